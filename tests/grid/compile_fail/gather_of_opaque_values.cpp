#include <memory>
#include <vector>

#include <skel/grid.hpp>

struct opaque {
  explicit opaque(int v) : value(std::make_unique<int>(v)) {}
  std::unique_ptr<int> value;
};

void send(skel::grid& grid, std::vector<opaque> const& mine) {
  grid.gather(mine);
}
