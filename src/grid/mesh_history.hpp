#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/grid/mesh_report.hpp>
#include <skel/detail/mapping/selection_picture.hpp>
#include <skel/detail/record/run_history.hpp>
#include <skel/detail/runtime/iteration/mesh_part.hpp>

namespace skel {

/// Iterations that followed each other, summed.
struct iteration_sums {
  std::uint64_t first = 1, count = 1;
  double seconds = 0;

  void join(iteration_sums const& next) { count += next.count, seconds += next.seconds; }
};

/// Times of iterations, in groups of equally many but for the last one, which grow as the run does. A value without
/// clock.
class iteration_times {
 public:
  /// More than a picture in a page has points to show.
  static constexpr std::size_t most_groups = 512;

  /// So many iterations took so long, those after the last that were added. O(most_groups log count) of all calls.
  void add(std::uint64_t count, double seconds);
  std::vector<iteration_sums> const& groups() const { return groups_; }

 private:
  std::vector<iteration_sums> groups_;
  std::uint64_t added_ = 0;
};

/// What there is to see of the run of a program over a mesh, on rank 0.
struct mesh_history {
  std::string began{};  ///< when, as date and time; empty: not said
  record::run_end end = record::run_end::none;
  std::string why{};  ///< it failed
  std::vector<runtime::iteration::mesh_step> steps{};
  mesh_report report{};  ///< of a run that has not ended well, what was known when it paused last
  iteration_times times{};
  std::optional<mapping::selection_picture> clusters{};  ///< with the elements of hosts as they were planned
};

}  // namespace skel
