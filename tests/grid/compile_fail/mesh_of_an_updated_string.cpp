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

auto compose() {
  return skel::iterate("a", skel::mesh(), [](skel::mesh_element const&) { return cell(); }) |
         skel::update("text", &cell::text) | skel::times(1);
}
