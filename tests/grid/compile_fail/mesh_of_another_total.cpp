#include <functional>
#include <string>
#include <vector>

#include <skel/iterate.hpp>

struct cell {
  int a = 0;
  std::string text;
};
struct totals {
  std::vector<int> name;
};

auto compose() {
  return skel::iterate("a", skel::mesh(), totals(), [](skel::mesh_element const&) { return cell(); }) |
         skel::all_reduce(
             "sum", &totals::name, [](cell const& of) { return of.a; }, std::plus<>()) |
         skel::times(1);
}
