#include <optional>

#include <skel/detail/pattern/compose.hpp>

auto const app = skel::source([] { return std::optional<int>(1); }) |
                 skel::stage("two", skel::pipeline([](int x) { return x; }, [](int x) { return x; })) |
                 skel::sink([](int) {});
