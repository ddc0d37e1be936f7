#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <skel/detail/cost/bsp/superstep_time.hpp>
#include <skel/detail/mapping/migration/migration_learner.hpp>
#include <skel/detail/mapping/migration/policy.hpp>
#include <skel/detail/platform/announcement.hpp>
#include <skel/detail/platform/monitor.hpp>
#include <skel/detail/platform/slot_series.hpp>
#include <skel/detail/record/bsp_measures.hpp>
#include <skel/detail/record/bsp_record.hpp>
#include <skel/detail/record/clock.hpp>

namespace skel {

/// The ranks of a run as hosts that price BSP processes: equally fast ranks of one cluster are a cluster of hosts.
struct bsp_machine {
  cost::bsp::machine machine;
  std::vector<std::size_t> host_of_rank;
  std::vector<int> rank_of_host;
  std::vector<std::size_t> threads;  ///< of each rank
};

/// The needs of a BSP program whose processes may migrate, at its beginning.
struct rescheduling_setup {
  skeletons::migration_settings policy;
  bsp_machine where;
  platform::monitor monitor;  ///< of the machine that the ranks are on
  std::size_t processes = 0;
  std::vector<std::size_t> pinned{};
  /// Announcements since the last call.
  std::function<std::vector<platform::announcement>()> announced{};
  mapping::decision_setup decisions{};
  /// Gets each superstep as it was, before the policy gets it; may be null.
  std::function<void(record::superstep const&)> told{};
  /// Processor time of the calling thread [ns], to measure the cost of telling the policy.
  std::function<std::int64_t()> thread_time = record::thread_ns;
};

/// Looks after a running BSP program, on rank 0: tells a migration policy the measurements of each superstep, and says
/// which processes move. The work of a process is its thread's time times the speed of one thread of its rank. The next
/// speed of ranks follows from the expected shares of their threads. These are at most the part that their control
/// group's quota leaves to threads that never rest. If no process has computed there lately, the known figures of the
/// host count. When processes have just moved, the policy gets the superstep as if they had already been there. So it
/// never decides on a state that it has already changed. A policy that takes samples gets a row of supersteps
/// (told_in_a_row). Then it gets none until telling it was at most a hundredth of the time, because supersteps may be
/// shorter than telling. For one thread, the one that communicates.
class rescheduling {
 public:
  /// `policy`: decides instead of the policy that the setup names, unless it is null. Throws skel::error for an unknown
  /// name.
  explicit rescheduling(rescheduling_setup setup, std::unique_ptr<mapping::migration::policy> policy = nullptr);

  /// Supersteps in a row that a policy is told; the distance between two such rows is a multiple of it. So a period of
  /// supersteps that load_forecast knows, or one of this length, goes on where it was.
  static constexpr std::uint64_t told_in_a_row = 12;

  /// run_options::next_moves. O(processes + messages) and the policy's time if it is told; otherwise O(ranks). Throws
  /// skel::error for moves that are not possible (mapping::migration::check_moves).
  std::vector<bsp_move> next_moves(bsp_measures const& last);

  /// run_options::last_measured: decides nothing.
  void hear_last(bsp_measures const& last);

  /// The decisions so far.
  record::bsp_decisions made() const;

 private:
  bool is_told(bsp_measures const& last);
  void begin_row(std::uint64_t number, std::uint64_t stands_for);
  void end_row(bsp_measures const& last);
  void hear_ranks(bsp_measures const& last);
  void hear_others(bsp_measures const& last);
  void hear(bsp_measures const& last);
  void learn_migrations(bsp_measures const& last);
  double quota_of(std::size_t rank) const;
  double share_of(std::size_t rank) const;
  std::vector<double> loads() const;
  double unit() const;
  record::superstep superstep_of(bsp_measures const& last);
  void leave(std::size_t host, record::superstep& step) const;
  std::vector<bsp_move> moves_of(record::rescheduling call, double took);

  bsp_machine where_;
  std::unique_ptr<mapping::migration::policy> policy_;
  std::vector<bool> pinned_;
  platform::monitor monitor_;
  std::function<std::vector<platform::announcement>()> announced_;
  std::function<void(record::superstep const&)> told_;
  std::function<std::int64_t()> thread_time_;  // [ns]
  std::vector<double> wanted_, got_;           // of each rank: time in its processes, and of it on its core [s]
  std::vector<double> quotas_;                 // the part of a core that a quota leaves each of its threads
  std::vector<platform::slot_series> shares_;  // of each rank: shares of a core of its threads
  std::vector<int> ran_on_;                    // rank of each process in the present superstep
  std::vector<cost::bsp::migration> moved_;    // at the barrier before
  mapping::migration::migration_learner prices_;
  std::uint64_t row_begun_ = 1;    // the superstep
  std::uint64_t stands_for_ = 1;   // supersteps for which each one told in this row stands
  std::uint64_t passed_over_ = 0;  // supersteps, since the row
  double row_began_ = 0;           // [s]
  double telling_ = 0;             // time of telling this row [s]
  double pause_ = 0;               // after it [s]; 0: it goes on
  double listened_ = 0;            // to announcements [s]
  bool moves_ = false;             // processes move, and the time of that is not yet known
  std::deque<double> calls_;       // times of the last calls [s]
  double calling_ = 0;             // time of all calls [s]
  double now_ = 0;                 // [s] of supersteps and migrations: decisions depend on measurements alone
  record::bsp_decisions made_;
};

}  // namespace skel
