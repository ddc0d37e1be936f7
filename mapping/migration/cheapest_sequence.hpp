#pragma once

#include <cstddef>
#include <vector>

namespace skel::mapping::migration {

/// Ways to go through parts of a time to come, of which each part may have another one.
struct way_sequences {
  std::vector<double> seconds;       ///< of the cheapest sequence that begins with each way [s]
  std::vector<std::size_t> changes;  ///< the part in which that sequence first has another way; as many as parts: none
};

/// `seconds`: of each way, in each part. `change`: from way a to way b, at a * ways + b [s]. `chance`: of each part,
/// that a change there has to be paid for. From the last part to the first (Bellman):
///   rest(a, k) = seconds(a, k) + min(rest(a, k+1), min_b (chance(k+1) change(a, b) + rest(b, k+1))).
/// O(ways^2 parts). Precondition: equally many parts for each way, one at least.
way_sequences cheapest_sequences(std::vector<std::vector<double>> const& seconds, std::vector<double> const& change,
                                 std::vector<double> const& chance);

}  // namespace skel::mapping::migration
