#include <optional>

#include <skel/detail/pattern/compose.hpp>

auto const app = skel::source([] { return std::optional<int>(1); }) |
                 skel::farm("work", skel::unordered, [](int x) { return x; }) | skel::sink([](int) {});
