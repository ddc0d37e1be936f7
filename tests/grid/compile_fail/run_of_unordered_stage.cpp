#include <optional>

#include <skel/skel.hpp>

void run(skel::grid& grid) {
  auto app = skel::source([] { return std::optional<int>(1); }) |
             skel::stage([](int x) { return x; }, skel::unordered) | skel::sink([](int) {});
  grid.run(app);
}
