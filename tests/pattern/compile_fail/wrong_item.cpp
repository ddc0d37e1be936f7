#include <optional>
#include <string>

#include <skel/detail/pattern/compose.hpp>

struct deflate {
  int operator()(std::string const&) const { return 0; }
};

auto const app = skel::source([] { return std::optional<int>(1); }) | skel::stage(deflate{});
