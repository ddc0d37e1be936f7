#include <optional>

#include <skel/detail/pattern/compose.hpp>

auto const app = skel::source([] { return std::optional<int>(1); }) |
                 skel::filter(
                     "odd", [](int x) { return x % 2 == 1; }, skel::width(4)) |
                 skel::sink([](int) {});
