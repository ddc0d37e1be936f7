#include <skel/bsp.hpp>

auto compose() {
  return skel::bsp<int>(
      "contributes", 4, [](std::size_t) { return 0; },
      [](skel::superstep<int>& now, int& mine) {
        now.contribute(++mine);
        now.halt();
      });
}
