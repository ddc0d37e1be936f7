#include <skel/detail/runtime/iteration/mesh_part.hpp>

#include <unistd.h>

#include <cstddef>
#include <utility>

#include <skel/detail/runtime/bytes.hpp>

namespace skel::runtime::iteration {

bool fetches_ahead(std::size_t cells, std::size_t bytes_of_cell) {
  constexpr std::size_t line = 64, usual = std::size_t{1} << 20, times = 8;
  static long const known = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes_of_cell > line && cells > times * (known > 0 ? static_cast<std::size_t>(known) : usual) / bytes_of_cell;
}

step_work::failed step_work::reduce_alone(std::size_t places, step_control& control) {
  std::string sum;
  prepare_fold(1);
  if (auto why = fold(0, {0, places}, control)) return why;
  if (auto why = contribute(sum)) return why;
  auto const only = bytes_of(sum);
  return combine({&only, 1});
}

void mesh_part::fetch_ahead(std::size_t cells) {
  bool const does = fetches_ahead(cells, bytes_);
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    if (steps_[s].what != mesh_step::kind::phase || !steps_[s].sees_neighbours) continue;
    std::vector<bytes_of_cell> parts;
    for (std::size_t back = 1; does && back < steps_.size(); ++back) {
      std::size_t const before = (s + steps_.size() - back) % steps_.size();
      if (steps_[before].what == mesh_step::kind::update) works_[before]->add_updated(parts);
      if (steps_[before].sees_neighbours && !parts.empty()) break;
    }
    works_[s]->fetch_ahead(std::move(parts));
  }
}

}  // namespace skel::runtime::iteration
