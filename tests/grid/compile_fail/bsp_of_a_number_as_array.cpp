#include <skel/bsp.hpp>

struct state {
  double one = 0;
};

auto compose() {
  return skel::bsp<int>(
      "array", 4, [](std::size_t) { return state{}; }, [](skel::superstep<int>& now, state&) { now.halt(); },
      skel::registered<&state::one>());
}
