#include <optional>

#include <skel/skel.hpp>

void run(skel::grid& grid) {
  grid.run([] { return std::optional<int>(1); } | [](int) {});
}
