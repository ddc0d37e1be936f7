#include <optional>
#include <string>

#include <skel/skel.hpp>

struct deflate {
  int operator()(std::string const&) const { return 0; }
};

void run(skel::grid& grid) {
  auto app = skel::source([] { return std::optional<int>(1); }) | skel::farm(deflate{}) | [](int x) { return x; } |
             skel::sink([](int) {});
  grid.run(app);
}
