#include <optional>
#include <string>

#include <skel/detail/pattern/compose.hpp>

struct append_line {
  void operator()(std::string const&) const {}
};

auto const app = skel::source([] { return std::optional<int>(1); }) | skel::sink(append_line{});
