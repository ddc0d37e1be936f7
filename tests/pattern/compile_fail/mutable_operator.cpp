#include <optional>

#include <skel/detail/pattern/collective_stages.hpp>

struct counting_sum {
  int calls = 0;
  int operator()(int a, int b) { return ++calls, a + b; }
};

auto const app = skel::source([] { return std::optional<int>(1); }) | skel::reduce(counting_sum{});
