#include <skel/detail/pattern/compose.hpp>

auto const app = skel::sink([](int) {}, "print");
