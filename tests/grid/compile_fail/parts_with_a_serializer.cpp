#include <optional>
#include <vector>

#include <skel/skel.hpp>

struct counts {
  std::vector<long> of = std::vector<long>(8);
  long operator()(int x) { return ++of[part_of(x)]; }
  std::size_t parts() const { return of.size(); }
  std::size_t part_of(int x) const { return static_cast<unsigned>(x) % of.size(); }
  template <class Archive>
  void serialize_part(Archive& archive, std::size_t part) {
    archive(of[part]);
  }
};

template <>
struct skel::serializer<counts> {
  template <class Archive>
  static void save(Archive& archive, counts const& one) {
    archive(one.of);
  }
  template <class Archive>
  static counts load(Archive& archive) {
    counts one;
    archive(one.of);
    return one;
  }
};

void run(skel::grid& grid) {
  auto app = skel::source([] { return std::optional<int>(); }) | skel::stage(counts()) | skel::sink([](long) {});
  grid.run(app);
}
