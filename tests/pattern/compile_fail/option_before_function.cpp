#include <optional>

#include <skel/detail/pattern/compose.hpp>

auto const app = skel::source([] { return std::optional<int>(1); }) |
                 skel::stage(skel::width(4), [](int x) { return x; }) | skel::sink([](int) {});
