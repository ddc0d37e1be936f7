#include <skel/detail/pattern/compose.hpp>

auto const app = skel::farm(skel::sink([](int) {}));
