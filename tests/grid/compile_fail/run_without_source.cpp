
#include <skel/skel.hpp>

void run(skel::grid& grid) {
  auto a = skel::farm([](int x) { return x; });
  auto b = skel::sink([](int) {});
  grid.run(a | b);
}
