
#include <skel/skel.hpp>

void run(skel::grid& grid) {
  grid.run([](int x) { return x; });
}
