#include <optional>

#include <skel/skel.hpp>

void run(skel::grid& grid) {
  auto a = skel::source([] { return std::optional<int>(1); });
  auto b = skel::farm([](int x) { return x; });
  grid.run(a | b);
}
