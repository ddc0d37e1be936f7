#include <skel/detail/pattern/compose.hpp>

auto const app = skel::farm([](int x) { return x; }, "work");
