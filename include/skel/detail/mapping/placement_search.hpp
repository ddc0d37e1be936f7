#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include <skel/detail/base/stop_condition.hpp>
#include <skel/detail/mapping/decision.hpp>
#include <skel/detail/mapping/placement_space.hpp>

namespace skel::mapping {

/// Prices a placement: items per second. Law: pure.
using placement_price = std::function<double(plan::placement const&)>;

/// The price that the exact steady state of the line gives, or the closure beyond exact_states. Keeps what placements
/// of equal structure share, so that one object should price many.
/// Throws skel::stopped when the condition is met, or when the closure's windows would have more than a million states.
placement_price line_price(placement_problem const& problem, stop_condition const& stop = {});

/// How long to search, and what to remember.
struct search_options {
  std::optional<std::chrono::duration<double>> time_limit{};  ///< absent: until the optimum is proven
  std::stop_token stop{};                                     ///< ends the search as the time limit does
  std::size_t alternatives = 10;                              ///< how many losers to keep
};

/// The placement with the highest throughput by the exact model, found by branch and bound and proven best, unless the
/// time limit or a stop ends the search first: then the best found, with a proven bound on every other. Both are asked
/// about within exact solutions and closures too, so that the search ends milliseconds later; where not a single
/// placement could be priced by then, `throughput` is an estimate, `evaluated` is 0 and `model` says which.
/// Ties are broken by simpler(). With candidates: the best of these.
/// Lines of more than `exact_states` states (14 stages of one worker without buffers) are priced by window closure, and
/// farms with more choices of hosts than enumerate_choices() lists are climbed only; both end with optimal = false,
/// after 10 s of climbing where no time limit is given.
/// Without a time limit the search may take as long as the space is large: 8 stages on 8 hosts take half a
/// second, 10 on 10 half a minute.
/// Returns infeasible when there is nothing to choose from, or no placement connects all hosts that must talk.
placement_answer place(placement_problem const& problem, search_options const& options = {});

/// Lines of more states are not solved exactly when placements are searched: 2 million states take a second each.
inline constexpr double exact_states = 2e6;

/// Which model prices the placements of a problem, in words.
std::string model_name(placement_problem const& problem, bool exact = true);

/// The decision in words, for people: what limits the winner, what each stage does with its time, and the runners-up
/// with their prices. The limit is the move or stage with the greatest elasticity: the share of the time per item that
/// its rate decides (cost::line_sensitivity). Solves the winner once more; where the condition is met before that is
/// done, the loads are those of the window closure if it takes milliseconds, or are said to be missing.
std::string explain(placement_problem const& problem, decision const& chosen, stop_condition const& stop = {});

/// Prices every placement of the space and takes the best: the oracle of every other search.
/// Ties are broken by simpler(). O(placements) prices. Ends early with optimal = false and an infinite bound; leaves
/// out placements of which the price throws skel::stopped.
placement_answer exhaustive(placement_problem const& problem, placement_price const& price,
                            search_options const& options = {});

}  // namespace skel::mapping
