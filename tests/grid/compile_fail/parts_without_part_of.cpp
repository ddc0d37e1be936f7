#include <optional>
#include <vector>

#include <skel/skel.hpp>

struct counts {
  std::vector<long> of = std::vector<long>(8);
  long operator()(int x) { return ++of[static_cast<unsigned>(x) % 8]; }
  std::size_t parts() const { return of.size(); }
  template <class Archive>
  void serialize_part(Archive& archive, std::size_t part) {
    archive(of[part]);
  }
};

void run(skel::grid& grid) {
  auto app = skel::source([] { return std::optional<int>(); }) | skel::stage(counts()) | skel::sink([](long) {});
  grid.run(app);
}
