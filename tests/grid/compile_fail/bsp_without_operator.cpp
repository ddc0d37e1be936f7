#include <skel/bsp.hpp>

auto compose() {
  return skel::bsp<int, double>(
      "contributes", 4, [](std::size_t) { return 0; }, [](skel::superstep<int, double>& now, int&) { now.halt(); });
}
