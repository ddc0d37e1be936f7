#include <skel/bsp.hpp>

struct alignas(64) line {
  double values[8];
};
struct state {
  std::vector<line> lines;
};

auto compose() {
  return skel::bsp<int>(
      "array", 4, [](std::size_t) { return state{}; }, [](skel::superstep<int>& now, state&) { now.halt(); },
      skel::registered<&state::lines>());
}
