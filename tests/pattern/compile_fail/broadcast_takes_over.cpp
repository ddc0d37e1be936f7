#include <memory>
#include <optional>

#include <skel/detail/pattern/collective_stages.hpp>

struct take_over {
  int operator()(std::unique_ptr<int> x) const { return *x; }
};

auto const app = skel::source([] { return std::optional(std::make_unique<int>(1)); }) | skel::broadcast(take_over{});
