#include <optional>

#include <skel/detail/pattern/compose.hpp>

auto const app = skel::source([] { return std::optional<int>(1); }) |
                 ([](int x) { return x; } | [](int x) { return x + 1; }) | skel::sink([](int) {});
