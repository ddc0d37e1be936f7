#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/record/bsp_record.hpp>
#include <skel/detail/record/first_and_last.hpp>
#include <skel/detail/record/run_history.hpp>

namespace skel::record {

/// Supersteps that followed each other, summed.
struct superstep_sums {
  std::uint64_t first = 1, count = 1;
  double seconds = 0;  ///< that they took; as bsp_recorder has it never less than `slowest` [s]
  double slowest = 0,
         mean = 0;  ///< computing: of the slowest rank of each, and in the mean of those with processes [s]

  void join(superstep_sums const& next);
  /// Slowest / mean - 1; 0 where nobody computed.
  double imbalance() const { return mean > 0 ? slowest / mean - 1 : 0; }
};

/// Which ranks have processes.
std::vector<bool> ranks_used(std::span<int const> rank_of, std::size_t ranks);

/// Of one superstep, in which ranks computed so long [s]: the mean is that of the ranks that have processes, as
/// policies of migration have it.
superstep_sums sums_of(std::uint64_t number, double seconds, std::span<double const> computing,
                       std::vector<bool> const& used);

/// A column of the picture of a BSP run: what its processes did in some supersteps, in rows of equally many processes,
/// but for the last row.
struct bsp_column : superstep_sums {
  // Of each row; empty if processes are not measured.
  std::vector<float> load;         ///< that its processes ran [s]
  std::vector<std::int32_t> rank;  ///< where its first process was, in the last of the supersteps

  void join(bsp_column const& next);
};

/// Supersteps between two barriers at which processes moved.
struct bsp_stretch : superstep_sums {
  std::size_t moved = 0;  ///< processes, at the barrier before
  double moving = 0;      ///< that these migrations took [s]
};

/// What there is to see of a BSP program's run, on rank 0. A value of bounded size (bsp_recorder).
struct bsp_history {
  std::string began;        ///< when, as date and time; empty: not said
  bsp_record run;           ///< its record; of a run that has not ended well, what rank 0 knew until then
  std::string policy;       ///< who moves processes
  std::size_t per_row = 1;  ///< processes
  std::vector<bsp_column> columns;  ///< of equally many supersteps, but for the last one
  first_and_last<bsp_stretch> stretches;
  run_end end = run_end::none;
  std::string why;  ///< it failed
};

/// What was measured in a superstep, as long as it is looked at.
struct measured_superstep {
  std::uint64_t number = 1;
  double seconds = 0;                    ///< from the barrier before to its own, as rank 0 heard of them [s]
  std::span<double const> of_processes;  ///< that each ran in its function [s]; 0: it slept. Empty: not measured
  /// Of each process, from its barrier on; in it, if processes are not measured.
  std::span<int const> rank_of;
  std::span<double const> computing;     ///< of each rank, until its last process was done [s]
  std::size_t moved = 0;                 ///< processes, at the barrier before
  double moving = 0;                     ///< that these migrations took [s]
};

/// Makes the history of a BSP program's run. Its size is bounded, however long the run and however many processes: rows
/// stand for several processes and columns for several supersteps where there are more than these. A value without
/// clock.
class bsp_recorder {
 public:
  /// More than a picture in a page has points to show.
  static constexpr std::size_t most_columns = 512, most_rows = 512;

  /// `begun`: what is known before the run, with its processes and hosts. Precondition: there are both.
  explicit bsp_recorder(bsp_history begun);

  /// The next superstep. Where a rank computed longer than it took on rank 0, that one heard late of the barrier
  /// before: what is missing is taken from the superstep before, as far as its own ranks did not compute then.
  /// O(processes + ranks); O(ranks) if processes are not measured and none has moved. Precondition: they are measured
  /// in all supersteps or in none.
  void add(measured_superstep const& last);
  /// What was decided so far.
  void decide(bsp_decisions made) { history_.run.decisions = std::move(made); }
  /// It has ended, and this is its record.
  void complete(bsp_record run);
  /// It has ended by an exception, and this had been decided. Nothing where it has ended already.
  void fail(std::string why, bsp_decisions made);

  bsp_history const& history() const { return history_; }

 private:
  void stand(std::span<int const> rank_of);

  bsp_history history_;
  std::vector<int> ran_on_;  // rank of each process in the superstep that comes
  std::vector<bool> used_;   // ranks that have processes in it
  double spare_ = 0;         // of the last superstep, in which its slowest rank did not compute [s]
};

/// The stretch that began with the moves that were decided after a superstep, which were made at the barrier of the
/// next one: the place in `stretches`, or their number where nobody moved then or it is left out. O(stretches).
std::size_t stretch_after(bsp_history const& run, std::uint64_t superstep);

}  // namespace skel::record
