#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/plan/placement.hpp>

namespace skel::mapping {

/// A placement that was priced and not taken.
struct alternative {
  plan::placement placement;
  double throughput = 0;  ///< items per second, by the model that the decision believes
  SKEL_FIELDS(placement, throughput);
};

/// A placement that was chosen, and why.
struct decision {
  plan::placement placement;
  double throughput = 0;                  ///< its price: items per second that the model predicts
  bool optimal = false;                   ///< proven: no placement in the space is better by more than `tie_tolerance`
  double bound = 0;                       ///< proven: no placement in the space has a higher throughput than this
  std::size_t evaluated = 0;              ///< placements that the model solved
  std::vector<alternative> alternatives;  ///< the best of the others that were solved, best first; ties come first
  std::string model;                      ///< the believed model, with its options
  std::string why;                        ///< one sentence
  SKEL_FIELDS(placement, throughput, optimal, bound, evaluated, alternatives, model, why);
};

/// Nothing can be chosen.
struct infeasible {
  std::string reason;  ///< the requirement, why it fails, and a remedy
};

using placement_answer = std::variant<decision, infeasible>;

/// Throughputs that differ by less than this share of the larger are a tie. It is a thousand times the tolerance of the
/// solver, because an error of the residual grows on its way to the throughput.
inline constexpr double tie_tolerance = 1e-9;

/// Orders placements of equal throughput: fewer hosts, then fewer workers, then the lower host numbers stage by stage.
bool simpler(plan::placement const& a, plan::placement const& b);

}  // namespace skel::mapping
