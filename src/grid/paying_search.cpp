#include "paying_search.hpp"

#include <algorithm>
#include <variant>

namespace skel {
namespace {

/// The first search takes this long [s]: it ends within a millisecond or two of its limit.
constexpr double first_search = 1e-3;

}  // namespace

mapping::placement_answer search_while_it_pays(std::function<mapping::placement_answer(double limit)> const& search,
                                               double longest, double horizon) {
  double best = 0, in_vain = 0;
  for (double limit = std::min(first_search, longest);; limit = std::min(2 * limit, longest)) {
    auto answer = search(limit);
    auto const* found = std::get_if<mapping::decision>(&answer);
    if (found == nullptr || found->optimal || limit >= longest) return answer;
    in_vain = found->evaluated > 0 && found->throughput <= best ? in_vain + 1 : 0;
    best = found->throughput;
    if (horizon * (found->bound / best - 1) / (in_vain + 2) <= 2 * limit) return answer;
  }
}

}  // namespace skel
