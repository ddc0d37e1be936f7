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

class mesh_planner;

/// Iterations that followed each other, summed.
struct iteration_sums {
  std::uint64_t first = 1, count = 1;
  double seconds = 0;

  void join(iteration_sums const& next) { count += next.count, seconds += next.seconds; }
  /// How long one took; 0 if there is none [s].
  double each() const { return count > 0 ? seconds / static_cast<double>(count) : 0; }
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

/// The visible part of the run of a program over a mesh, on rank 0.
struct mesh_history {
  std::string began{};  ///< when, as date and time; empty: not said
  record::run_end end = record::run_end::none;
  std::string why{};  ///< it failed
  std::vector<runtime::iteration::mesh_step> steps{};
  std::optional<std::uint64_t> iterations{};  ///< that will be made, if the program says so
  mesh_report report{};                       ///< of a run that has not ended well, the state when it paused last
  std::uint64_t passed = 0;                   ///< the last iteration that is known to be made
  iteration_times times{};
  std::optional<mapping::selection_picture> clusters{};  ///< with the elements of hosts as they were planned
};

/// Makes the history of a program over a mesh from the messages and initial knowledge of rank 0. A value without clock.
class mesh_recorder {
 public:
  explicit mesh_recorder(mesh_history begun) : history_(std::move(begun)) {}

  /// How it will run, after so many iterations of a run before. `by`: decided that, and outlives this; null: no
  /// picture.
  void plan(mesh_plan const& plan, std::optional<std::uint64_t> resumed, mesh_planner const* by);
  /// Iterations begin, or go on.
  void begin();
  /// So many have been made, at this time [s].
  void pass(std::uint64_t iteration, double now);
  /// Takes the decisions so far.
  void decide(record::move_history made) { history_.report.decisions = std::move(made); }
  /// They have paused or ended, the last `iterations` since begin(). `run`: all that ranks have done until now.
  void pause(record::mesh_record const& run, std::uint64_t iterations, double seconds);

  /// It has ended, with this report or by an exception.
  void complete(mesh_report report);
  void fail(std::string const& why, std::vector<std::string> refused_announcements);

  mesh_history const& history() const { return history_; }

 private:
  void mark_chosen();

  mesh_history history_;
  mesh_planner const* by_ = nullptr;  // has made its picture of clusters
  // Since begin(): the last message.
  std::optional<std::uint64_t> last_{};
  double since_ = 0;
  std::uint64_t told_ = 0;  // iterations in the history since begin(), and their time [s]
  double told_seconds_ = 0;
};

}  // namespace skel
