#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/record/bsp_history.hpp>
#include <skel/detail/runtime/bsp/run.hpp>

namespace skel {

/// What --skel-progress says of a BSP program, about once a second. A value without clock.
class bsp_progress {
 public:
  static constexpr double period = 1;  ///< [s]

  /// The next superstep; a policy has made so many calls. The line, where it is time for one: how many supersteps there
  /// were in how long; of those since the last line, how long each took, and the imbalance of the ranks; and how many
  /// processes have moved. O(ranks), and
  /// O(processes) where some have just moved.
  std::optional<std::string> pass(runtime::bsp::passed_superstep const& last, std::uint64_t calls);

 private:
  std::optional<double> begun_;
  double said_ = 0;
  std::optional<record::superstep_sums> since_;  // then
  std::vector<bool> used_;                       // ranks that have processes
  std::size_t moved_ = 0;
};

}  // namespace skel
