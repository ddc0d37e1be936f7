#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/record/bounded.hpp>
#include <skel/detail/record/move_record.hpp>
#include <skel/detail/record/superstep.hpp>

namespace skel::record {

/// Times of the ranks in consecutive supersteps, summed.
struct superstep_times {
  std::uint64_t first = 1, count = 1;
  std::vector<double> computing, waiting;  ///< of each rank, in its processes and for the other ranks [s]

  void join(superstep_times const& next);
};

/// A process that was to go to another rank.
struct bsp_migration {
  std::uint64_t superstep = 0;  ///< at whose barrier
  std::size_t process = 0;
  int from = 0, to = 0;
  std::uint64_t bytes = 0;  ///< of its state and of the messages for it
  double seconds = 0;       ///< that the slowest rank took for all migrations of this barrier
  std::string failed{};     ///< why it stayed; empty: it went
};

/// A call as a record keeps it, with the first of its candidates.
struct bsp_call : rescheduling {
  /// All kept calls together have no more of them than a record has migrations (bsp_record::most_migrations).
  static constexpr std::size_t most_candidates = 64;

  bsp_call() = default;
  bsp_call(rescheduling made);

  std::size_t considered = 0, moves = 0;  ///< candidates, and those that were accepted: also of those not kept
  SKEL_FIELDS(superstep, candidates, imbalance_before, imbalance_after, cost, price, took, considered, moves);
};

/// Decisions of a policy of migration while a BSP program ran. With a policy, a page or a scenario, also the model's
/// times of the supersteps beside their measured ones, summed. Hosts of calls are ranks.
struct bsp_decisions {
  std::string policy{};  ///< its name; empty: none was asked
  first_and_last<bsp_call> calls{};
  move_history history{};   ///< the same if the policy compares ways to go on
  std::uint64_t moves = 0;  ///< that they decided on, also those that were not made
  double deciding = 0;      ///< that the policy took [s]
  /// Time of a migration beside the way of its state, and of each byte of it [s], by the last barriers with moves; both
  /// 0: none was measured.
  double migration_fixed = 0, migration_per_byte = 0;
  double computation = 0, communication = 0, barriers = 0;  ///< w, g h and l of the model (cost::bsp::time_of) [s]
  std::uint64_t supersteps = 0;                             ///< that were looked at
  double measured = 0;                                      ///< that these took [s]
  SKEL_FIELDS(policy, calls, history, moves, deciding, migration_fixed, migration_per_byte, computation, communication,
              barriers, supersteps, measured);
};

/// The record of a BSP program. The same on every rank, but for members whose comments name a rank.
struct bsp_record {
  static constexpr std::size_t most_times = 1024, most_migrations = std::size_t{1} << 16;

  std::string name;
  std::size_t processes = 0;
  std::vector<std::string> hosts;  ///< of each rank
  std::uint64_t supersteps = 0;    ///< the number of the last one
  std::uint64_t messages = 0;  ///< that were sent; one to all counts once
  double seconds = 0;          ///< on this rank
  /// At most most_times entries of equally many supersteps each, but for the last one.
  std::vector<superstep_times> times;
  std::uint64_t migrated = 0, not_migrated = 0;
  std::vector<bsp_migration> migrations;  ///< the first most_migrations
  std::vector<int> rank_of;               ///< of each process, at the end
  bsp_decisions decisions;
  checkpoint_record checkpoints{};
  std::vector<std::string> refused_announcements{};  ///< and why, on rank 0
};

/// Adds the times of a superstep. If there are too many, consecutive supersteps are joined.
void add_superstep(bsp_record& to, superstep_times next);
/// Adds the waiting times of ranks in the superstep that was added last [s].
void add_waiting(bsp_record& to, std::vector<double> const& waited);

/// Computing of ranks in consecutive supersteps, by rank 0's clock.
struct timed_supersteps {
  std::uint64_t first = 1, count = 1;
  double begin = 0, end = 0;      ///< with the migrations before it; at its barrier [s]
  std::vector<double> computing;  ///< of each rank, until its last process was done [s]
  std::size_t moved = 0;          ///< processes, at the barrier before
  double moving = 0;              ///< that these migrations took [s]

  void join(timed_supersteps const& next);
};

/// When ranks of a BSP program computed and waited. Its size is bounded: if there are too many supersteps, each two
/// neighbours become one group, and so on.
class bsp_timeline {
 public:
  /// Groups times ranks at most: a trace of some 20 MB.
  static constexpr std::size_t most_cells = std::size_t{1} << 16;

  /// Precondition: there is a host of each rank.
  explicit bsp_timeline(std::vector<std::string> hosts);

  /// The next superstep. If a rank computed longer than it took on rank 0, it begins sooner, as in bsp_recorder::add().
  /// Precondition: it has the computing time of each rank.
  void add(timed_supersteps next);

  std::vector<timed_supersteps> const& supersteps() const { return all_; }
  std::vector<std::string> const& hosts() const { return hosts_; }

 private:
  std::vector<std::string> hosts_;
  std::size_t most_;
  double spare_ = 0;  // of the last superstep, in which its slowest rank neither computed nor moved processes [s]
  std::vector<timed_supersteps> all_;
};

}  // namespace skel::record
