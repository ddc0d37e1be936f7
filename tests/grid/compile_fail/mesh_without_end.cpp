#include <functional>
#include <string>

#include <skel/iterate.hpp>

struct cell {
  int a = 0;
  std::string text;
};
struct totals {
  std::string* name = nullptr;
};

int main() {
  skel::grid grid;
  auto const app = skel::iterate("a", skel::mesh(), [](skel::mesh_element const&) { return cell(); }) |
                   skel::phase("more", [](cell& own) { ++own.a; });
  grid.run(app);
}
