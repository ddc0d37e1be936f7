#include <memory>
#include <string>

#include <skel/grid.hpp>

struct opaque {
  std::unique_ptr<int> value;
};
struct record {
  std::string name;
  opaque inside;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, inside);
  }
};

void send(skel::grid& grid, record const& mine) {
  grid.all_gather(mine);
}
