#include <optional>

#include <skel/skel.hpp>

void run(skel::grid& grid) {
  auto const app = skel::source([] { return std::optional<int>(1); }) | skel::sink([](int) {});
  grid.run(app);
}
