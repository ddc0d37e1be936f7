#include <skel/detail/runtime/bsp/group.hpp>

#include <algorithm>
#include <utility>

namespace skel::runtime::bsp {

std::vector<bsp_traffic> summed(std::vector<bsp_traffic> traffic) {
  std::ranges::sort(traffic, {}, [](auto const& one) { return std::pair(one.from, one.to); });
  std::vector<bsp_traffic> out;
  for (auto const& one : traffic)
    if (!out.empty() && out.back().from == one.from && out.back().to == one.to)
      out.back().bytes += one.bytes;
    else
      out.push_back(one);
  return out;
}

std::uint64_t process_group::awake() const {
  return static_cast<std::uint64_t>(std::ranges::count(asleep_, std::uint8_t{0}));
}

std::size_t process_group::slot_of(process_number process) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(here_, process) - here_.begin());
}

}  // namespace skel::runtime::bsp
