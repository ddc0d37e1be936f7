#include <optional>

#include <skel/detail/pattern/collective_stages.hpp>

struct show {
  void operator()(int) const {}
};

auto const app = skel::source([] { return std::optional<int>(1); }) | skel::broadcast([](int const& x) { return x; }) |
                 skel::sink(show{});
