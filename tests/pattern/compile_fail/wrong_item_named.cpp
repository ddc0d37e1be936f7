#include <optional>
#include <string>

#include <skel/detail/pattern/compose.hpp>

auto const app = skel::source([] { return std::optional<int>(1); }) | [](int x) { return x; } |
                 skel::stage<"sharpen">([](std::string const& s) { return s; });
