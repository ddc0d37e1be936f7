#include <optional>

#include <skel/detail/pattern/compose.hpp>

auto const app =
    skel::source([] { return std::optional<int>(1); }) | skel::filter("long", skel::width(4)) | skel::sink([](int) {});
