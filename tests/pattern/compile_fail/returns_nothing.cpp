#include <optional>

#include <skel/detail/pattern/compose.hpp>

struct print_item {
  void operator()(int) const {}
};

auto const app = skel::source([] { return std::optional<int>(1); }) | skel::stage(print_item{});
