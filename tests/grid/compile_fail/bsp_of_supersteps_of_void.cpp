#include <skel/bsp.hpp>

auto compose() {
  return skel::bsp<void>(
      "void", 4, [](std::size_t) { return 0; }, [](skel::superstep<void>& now, int&) { now.halt(); });
}
