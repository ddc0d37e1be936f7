#include <optional>
#include <string>

#include <skel/skel.hpp>

struct add_lengths {
  int operator()(std::string const& a, std::string const& b) const { return static_cast<int>(a.size() + b.size()); }
};

void run(skel::grid& grid) {
  auto app = skel::source([] { return std::optional<std::string>("x"); }) | skel::reduce("lengths", add_lengths{}) |
             skel::sink([](int) {});
  grid.run(app);
}
