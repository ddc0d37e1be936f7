#include <skel/bsp.hpp>

auto compose() {
  return skel::bsp<int>(
      "keeps", 4, [](std::size_t) { return 0; },
      [calls = 0](skel::superstep<int>& now, int&) mutable {
        if (++calls > 4) now.halt();
      });
}
