#include <optional>
#include <string>

#include <skel/skel.hpp>

struct append_line {
  void operator()(std::string const&) const {}
};

void run(skel::grid& grid) {
  grid.run(skel::source([] { return std::optional<int>(1); }) | skel::sink(append_line{}));
}
