#include <skel/bsp.hpp>

auto compose() {
  return skel::bsp<int>(
      "reduces", 4, [](std::size_t) { return 0; },
      [](skel::superstep<int>& now, int&) {
        if (now.reduced()) now.halt();
      });
}
