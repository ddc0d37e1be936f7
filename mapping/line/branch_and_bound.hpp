#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <skel/detail/cost/line_solver.hpp>
#include <skel/detail/mapping/placement_search.hpp>
#include <skel/detail/mapping/placement_space.hpp>

#include "placement_tables.hpp"
#include "ranking.hpp"
#include "supporting_planes.hpp"

namespace skel::mapping::detail {

/// Hosts that can be exchanged without changing any time: equal speed, equal local latency, equal paths to and from
/// every other host, and neither pinned nor input or output. Exchanging two of a class maps placements to placements of
/// equal throughput, so one of each orbit is enough.
class host_symmetry {
 public:
  /// O(hosts^2 * hosts) up to 64 hosts; beyond that only hosts of one cluster are compared, O(hosts).
  explicit host_symmetry(placement_problem const& problem);

  std::size_t class_of(plan::host_id h) const { return class_of_[h]; }

  /// True if `choice` is the one of its orbit that is searched, when `count` has the workers of each host. The hosts of
  /// a class come into use in ascending order.
  bool canonical(std::vector<plan::host_id> const& choice, std::vector<std::size_t> const& count) const;

  /// The placement of the same orbit that simpler() puts first.
  plan::placement simplest(plan::placement const& where) const;

 private:
  std::vector<std::size_t> class_of_;
  std::vector<std::vector<plan::host_id>> members_;  // ascending
};

/// The result of a search.
struct search_outcome {
  bool complete = false;      ///< the whole space was searched or excluded
  double bound = 0;           ///< of all placements, those found included
  std::size_t evaluated = 0;  ///< placements solved exactly
};

/// Best-first branch and bound over rows of neighbouring stages. The row starts at the stage with the most work and
/// grows to the side of the heavier neighbour. Closed forms bound a row first. Supporting planes
/// (supporting_planes.hpp), if there are any, bound it when it is the most promising one left. Once its placements that
/// no plane excludes are few, they replace it (completions.hpp). Without planes, bounds are the exact throughput of
/// rows of up to three stages, and then of the whole row. A placement far below all planes adds one. The throughput of
/// the most promising row left bounds the whole space at any moment. `found` may hold placements already and receives
/// the solved ones. `planes` may be none. Ends when out_of_time() is true, or when the solver throws skel::stopped.
search_outcome branch_and_bound(placement_tables const& tables, placement_space const& space,
                                host_symmetry const& symmetry, cost::line_solver& solver, supporting_planes* planes,
                                ranking& found, std::function<bool()> const& out_of_time);

}  // namespace skel::mapping::detail
