#include <optional>
#include <stop_token>

#include <skel/detail/pattern/compose.hpp>

struct wait_and_see {
  int operator()(std::stop_token, int x) const { return x; }
};

auto const app = skel::source([] { return std::optional<int>(1); }) | skel::stage(wait_and_see{});
