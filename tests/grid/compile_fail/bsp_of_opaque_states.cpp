#include <skel/bsp.hpp>

// The state has a vector, and nobody says how it crosses ranks.
struct opaque {
  std::vector<int> values;
};

auto compose() {
  return skel::bsp<int>(
      "opaque", 4, [](std::size_t) { return opaque{}; }, [](skel::superstep<int>& now, opaque&) { now.halt(); });
}
