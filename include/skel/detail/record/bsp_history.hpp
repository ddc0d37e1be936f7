#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/record/bounded.hpp>
#include <skel/detail/record/bsp_record.hpp>
#include <skel/detail/record/run_history.hpp>

namespace skel::record {

/// Consecutive supersteps, summed.
struct superstep_sums {
  std::uint64_t first = 1, count = 1;
  double seconds = 0;  ///< that they took; in bsp_recorder never less than `slowest` [s]
  double slowest = 0, mean = 0;  ///< computing: of the slowest rank of each, and the mean of those with processes [s]

  void join(superstep_sums const& next);
  /// Slowest / mean - 1; 0 if no rank computed.
  double imbalance() const { return mean > 0 ? slowest / mean - 1 : 0; }
};

/// For each rank, true if it has processes.
std::vector<bool> ranks_used(std::span<int const> rank_of, std::size_t ranks);

/// The sums of one superstep with these computing times of ranks [s]. The mean is over the ranks that have processes,
/// as in policies of migration.
superstep_sums sums_of(std::uint64_t number, double seconds, std::span<double const> computing,
                       std::vector<bool> const& used);

/// A column of the picture of a BSP run: some supersteps of its processes, in rows of equally many processes, but for
/// the last row.
struct bsp_column : superstep_sums {
  // Of each row; empty if processes are not measured.
  std::vector<float> load;         ///< that its processes ran [s]
  std::vector<std::int32_t> rank;  ///< of its first process, in the last of the supersteps

  void join(bsp_column const& next);
};

/// Supersteps between two barriers at which processes moved.
struct bsp_stretch : superstep_sums {
  std::size_t moved = 0;  ///< processes, at the barrier before
  double moving = 0;      ///< that these migrations took [s]
};

/// The history of a BSP program's run, as rank 0 shows it. A value of bounded size (bsp_recorder).
struct bsp_history {
  std::string began;        ///< when, as date and time; empty: not said
  bsp_record run;           ///< its record; of a run that has not ended well, what rank 0 knew until then
  std::string policy;       ///< that moves processes
  std::size_t per_row = 1;  ///< processes
  std::vector<bsp_column> columns;  ///< of equally many supersteps, but for the last one
  first_and_last<bsp_stretch> stretches;
  run_end end = run_end::none;
  std::string why;  ///< it failed
};

/// The measurements of a superstep, valid while it is looked at.
struct measured_superstep {
  std::uint64_t number = 1;
  double seconds = 0;                    ///< from the barrier before to its own, as rank 0 heard of them [s]
  std::span<double const> of_processes;  ///< that each ran in its function [s]; 0: it slept. Empty: not measured
  std::span<int const> rank_of;          ///< of each process, from its barrier on; in it, if they are not measured
  std::span<double const> computing;     ///< of each rank, until its last process was done [s]
  std::size_t moved = 0;                 ///< processes, at the barrier before
  double moving = 0;                     ///< that these migrations took [s]
};

/// Makes the history of a BSP program's run. Its size is bounded, however long the run and however many processes: if
/// there are too many, rows stand for several processes and columns for several supersteps. A value without clock.
class bsp_recorder {
 public:
  /// More than the points of a picture in a page.
  static constexpr std::size_t most_columns = 512, most_rows = 512;

  /// `begun`: the history before the run, with its processes and hosts. Precondition: there are both.
  explicit bsp_recorder(bsp_history begun);

  /// The next superstep. If a rank computed longer than it took on rank 0, rank 0 heard late of the barrier before. The
  /// missing time is then taken from the superstep before, as far as its own ranks did not compute. O(processes +
  /// ranks); O(ranks) if processes are not measured and none has moved. Precondition: they are measured in all
  /// supersteps or in none.
  void add(measured_superstep const& last);
  /// Sets the decisions so far.
  void decide(bsp_decisions made) { history_.run.decisions = std::move(made); }
  /// The run has ended with this record.
  void complete(bsp_record run);
  /// The run has ended by an exception, after these decisions. Does nothing if it has ended already.
  void fail(std::string why, bsp_decisions made);

  bsp_history const& history() const { return history_; }

 private:
  void stand(std::span<int const> rank_of);

  bsp_history history_;
  std::vector<int> ran_on_;  // rank of each process in the superstep that comes
  std::vector<bool> used_;   // ranks that have processes in it
  double spare_ = 0;         // of the last superstep, in which its slowest rank did not compute [s]
};

/// The stretch of the moves that were decided after a superstep and made at the barrier of the next one: its place in
/// `stretches`. Their number if nothing moved then or the stretch is left out. O(stretches).
std::size_t stretch_after(bsp_history const& run, std::uint64_t superstep);

}  // namespace skel::record
