#include <skel/detail/plan/run_plan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace skel::plan {

std::vector<record::stage_move> moved_stages(run_plan const& from, run_plan const& to) {
  std::vector<record::stage_move> out;
  for (std::size_t s = 0; s < std::min(from.stations.size(), to.stations.size()); ++s) {
    auto before = from.stations[s].ranks, after = to.stations[s].ranks;
    std::ranges::sort(before);
    std::ranges::sort(after);
    if (before != after) out.push_back({static_cast<std::uint32_t>(s), std::move(before), std::move(after)});
  }
  return out;
}

}  // namespace skel::plan
