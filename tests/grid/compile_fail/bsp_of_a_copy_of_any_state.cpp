#include <skel/bsp.hpp>

struct counter {
  int calls = 0;
};

auto compose() {
  return skel::bsp<int>(
      "copies", 4, [](std::size_t) { return counter{}; },
      [](auto& now, auto mine) {
        if (++mine.calls > 4) now.halt();
      });
}
