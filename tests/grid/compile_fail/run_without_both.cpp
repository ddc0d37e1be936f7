
#include <skel/skel.hpp>

void run(skel::grid& grid) {
  grid.run(skel::farm([](int x) { return x; }) | [](int x) { return x; });
}
