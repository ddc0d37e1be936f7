#include <string>

#include <skel/bsp.hpp>

auto compose() {
  return skel::bsp<int>(
             "combines", 4, [](std::size_t) { return 0; }, [](skel::superstep<int>& now, int&) { now.halt(); })
      .combined_by([](int a, int) { return std::to_string(a); });
}
