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

/// The price by the exact steady state of the line, or by the closure beyond exact_states. Keeps data that placements
/// of equal structure share, so let one object price many. Throws skel::stopped when the condition is met, or when the
/// closure's windows would have more than a million states.
placement_price line_price(placement_problem const& problem, stop_condition const& stop = {});

/// Limits of a search, and of its memory.
struct search_options {
  std::optional<std::chrono::duration<double>> time_limit{};  ///< absent: until the optimum is proven
  std::stop_token stop{};                                     ///< ends the search as the time limit does
  std::size_t alternatives = 10;                              ///< losers to keep
};

/// The placement with the highest throughput by the exact model, found by branch and bound and proven best. If the time
/// limit or a stop ends the search first: the best found, with a proven bound on every other. Exact solutions and
/// closures test both limits too, so the search ends milliseconds later. If no placement could be priced by then,
/// `throughput` is an estimate, `evaluated` is 0 and `model` says which. simpler() breaks ties. With candidates: the
/// best of these.
/// Window closure prices lines of more than `exact_states` states (14 stages of one worker without buffers). Farms with
/// more choices of hosts than enumerate_choices() lists are climbed only. Both end with optimal = false. If there is no
/// time limit, they end after 10 s of climbing.
/// Without a time limit the search may take as long as the space is large: 8 stages on 8 hosts take half a second, 10
/// on 10 half a minute. Returns infeasible when there is nothing to choose from, or no placement connects all hosts
/// that must talk.
placement_answer place(placement_problem const& problem, search_options const& options = {});

/// Searches of placements do not solve lines of more states exactly: 2 million states take a second each.
inline constexpr double exact_states = 2e6;

/// The model that prices the placements of a problem, in words.
std::string model_name(placement_problem const& problem, bool exact = true);

/// The decision in words, for people: the winner's limit, how each stage spends its time, and the runners-up with their
/// prices. The limit is the move or stage with the greatest elasticity: the share of the time per item that its rate
/// decides (cost::line_sensitivity). Solves the winner once more. If the condition is met first, the loads are those of
/// the window closure, if that takes milliseconds, or are missing.
std::string explain(placement_problem const& problem, decision const& chosen, stop_condition const& stop = {});

/// Prices every placement of the space and takes the best: the oracle of every other search. simpler() breaks ties.
/// O(placements) prices. An early end gives optimal = false and an infinite bound. Leaves out placements whose price
/// throws skel::stopped.
placement_answer exhaustive(placement_problem const& problem, placement_price const& price,
                            search_options const& options = {});

}  // namespace skel::mapping
