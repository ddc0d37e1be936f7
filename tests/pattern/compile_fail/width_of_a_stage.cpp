#include <optional>

#include <skel/detail/pattern/compose.hpp>

auto const app =
    skel::source([] { return std::optional<int>(1); }) | skel::stage([](int x) { return x; }, skel::width(4));
