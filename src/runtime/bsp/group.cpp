#include <skel/detail/runtime/bsp/group.hpp>

#include <algorithm>

namespace skel::runtime::bsp {

std::uint64_t process_group::awake() const {
  return static_cast<std::uint64_t>(std::ranges::count(asleep_, std::uint8_t{0}));
}

std::size_t process_group::slot_of(process_number process) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(here_, process) - here_.begin());
}

}  // namespace skel::runtime::bsp
