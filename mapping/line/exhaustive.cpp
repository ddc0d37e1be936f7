#include <limits>
#include <string>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/stop_condition.hpp>
#include <skel/detail/mapping/placement_search.hpp>

#include "enough_hosts.hpp"
#include "ranking.hpp"

namespace skel::mapping {
namespace {

/// Calls visit(placement) for each, until it returns false.
template <class Visit>
void for_each_placement(placement_space const& space, Visit&& visit) {
  auto const stages = space.choices.size();
  std::vector<std::size_t> digit(stages, 0);
  plan::placement where;
  for (auto const& one : space.choices) {
    if (one.empty()) return;
    where.stages.push_back(one.front());
  }
  for (;;) {
    if (!visit(where)) return;
    std::size_t i = stages;
    while (i > 0) {
      --i;
      digit[i] = (digit[i] + 1) % space.choices[i].size();
      where.stages[i] = space.choices[i][digit[i]];
      if (digit[i] != 0) break;
      if (i == 0) return;
    }
  }
}

}  // namespace

placement_answer exhaustive(placement_problem const& problem, placement_price const& price,
                            search_options const& options) {
  auto const start = std::chrono::steady_clock::now();
  decision result;
  detail::ranking ranking(options.alternatives);
  bool complete = true;
  auto const consider = [&](plan::placement const& where) {
    if (options.stop.stop_requested() ||
        (options.time_limit && std::chrono::steady_clock::now() - start >= *options.time_limit)) {
      complete = false;
      return false;
    }
    if (!connected(problem, where)) return true;
    try {
      ranking.add(where, price(where));
      ++result.evaluated;
    } catch (stopped const&) {
      complete = false;
    }
    return true;
  };
  if (problem.candidates) {
    if (problem.candidates->empty()) return infeasible{"candidates: the list is empty; give at least one placement"};
    for (auto const& where : *problem.candidates)
      if (!consider(where)) break;
  } else {
    if (auto const reason = detail::too_wide(problem.program)) return infeasible{*reason};
    auto const space = enumerate_choices(problem);
    if (auto const* none = std::get_if<infeasible>(&space)) return *none;
    if (!std::get<placement_space>(space).complete)
      return infeasible{
          "placement: there are too many ways to choose the hosts of the farms' workers to try them all; give "
          "them widths or pin them"};
    for_each_placement(std::get<placement_space>(space), consider);
  }
  if (ranking.empty() && complete && problem.candidates) {
    auto const& first = problem.candidates->front();
    auto const missing = missing_link(problem, first).value_or("a terminal is on no host of the platform");
    return infeasible{"placement " + to_string(first, problem.platform) + ": " + missing +
                      (problem.candidates->size() == 1 ? "" : "; no other candidate connects its hosts either")};
  }
  if (ranking.empty())
    return infeasible{complete ? "placement: no placement connects all hosts that must talk; add links between clusters"
                               : "placement: the search ended before it had priced any; give it more time"};
  ranking.hand_over(result);
  result.optimal = complete;
  result.bound = complete ? ranking.best() : std::numeric_limits<double>::infinity();
  result.model = model_name(problem);
  result.why = to_string(result.placement, problem.platform) +
               (complete ? " has" : " had, when the search was ended,") + " the highest throughput of " +
               counted(result.evaluated, "solved placement") + ".";
  return result;
}

}  // namespace skel::mapping
