#include <skel/detail/plan/relays.hpp>

#include <algorithm>
#include <bit>
#include <map>

#include <skel/detail/base/contract.hpp>

namespace skel::plan {
namespace {

std::size_t steps_among(std::size_t ranks) {
  return ranks > 1 ? static_cast<std::size_t>(std::bit_width(ranks - 1)) : 0;
}

/// Adds steps from number `first` on in which `members` hear the `sets` of ranks of each of them, whose heads they
/// know. `me` is the index of the own rank.
void gather(std::vector<relay_step>& steps, std::size_t first, std::vector<int> const& members, std::size_t me,
            std::vector<std::vector<int>> const& sets) {
  std::size_t const n = members.size();
  for (std::size_t k = 0; k < steps_among(n); ++k) {
    std::size_t const far = std::size_t{1} << k;
    auto& step = steps[first + k];
    step.to.push_back(members[(me + far) % n]);
    step.from.push_back(members[(me + n - far) % n]);
    for (std::size_t back = 0; back < std::min(far, n - far); ++back) {
      auto const& set = sets[(me + n - back) % n];
      step.heads.insert(step.heads.end(), set.begin(), set.end());
    }
  }
}

}  // namespace

std::vector<relay_step> relays_of(std::span<std::size_t const> group_of, int rank) {
  SKEL_EXPECTS(rank >= 0 && static_cast<std::size_t>(rank) < group_of.size());
  std::map<std::size_t, std::vector<int>> groups;
  for (std::size_t r = 0; r < group_of.size(); ++r) groups[group_of[r]].push_back(static_cast<int>(r));
  std::size_t most = 0;
  for (auto const& [name, members] : groups) most = std::max(most, steps_among(members.size()));
  std::size_t const own = group_of[static_cast<std::size_t>(rank)];
  auto const& here = groups.at(own);
  auto const me = static_cast<std::size_t>(std::ranges::find(here, rank) - here.begin());

  std::vector<relay_step> steps(groups.size() > 1 ? 2 * most + 1 : most);
  std::vector<std::vector<int>> said;
  for (int const r : here) said.push_back({r});
  gather(steps, 0, here, me, said);
  if (groups.size() == 1) return steps;

  // Of the groups in their order, number b of group a sends to number a of group b, in turn where a group has fewer
  // ranks.
  auto& between = steps[most];
  std::vector<std::vector<int>> heard(here.size());  // by each rank here, from other groups
  std::size_t const a = static_cast<std::size_t>(std::distance(groups.begin(), groups.find(own)));
  std::size_t b = 0;
  for (auto const& [name, there] : groups) {
    std::size_t const other = b++;
    if (name == own) continue;
    std::size_t const taker = other % here.size();
    heard[taker].insert(heard[taker].end(), there.begin(), there.end());
    if (taker != me) continue;
    between.to.push_back(there[a % there.size()]);
    between.from.push_back(there[a % there.size()]);
  }
  if (!between.to.empty()) between.heads = here;
  gather(steps, most + 1, here, me, heard);
  return steps;
}

}  // namespace skel::plan
