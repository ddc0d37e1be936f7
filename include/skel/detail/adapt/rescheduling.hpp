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

/// The ranks of a run as the hosts that BSP processes are priced on: ranks of one cluster that are equally fast are a
/// cluster of hosts.
struct bsp_machine {
  cost::bsp::machine machine;
  std::vector<std::size_t> host_of_rank;
  std::vector<int> rank_of_host;
  std::vector<std::size_t> threads;  ///< of each rank
};

/// What a BSP program whose processes may migrate has to know to begin.
struct rescheduling_setup {
  skeletons::migration_settings policy;
  bsp_machine where;
  platform::monitor monitor;  ///< of the machine that the ranks are on
  std::size_t processes = 0;
  std::vector<std::size_t> pinned{};
  /// What was announced since it was asked last.
  std::function<std::vector<platform::announcement>()> announced{};
  mapping::decision_setup decisions{};
  /// Is told each superstep as it was, before the policy is told it, where it is not null.
  std::function<void(record::superstep const&)> told{};
  /// What the calling thread has run [ns]: what telling the policy takes is measured by it.
  std::function<std::int64_t()> thread_time = record::thread_ns;
};

/// Looks after a BSP program that runs, on rank 0: tells a policy of migration what was measured in each superstep, and
/// says who moves because of it. What a process has computed is the time that its thread ran times the speed of one
/// thread of its rank; how fast ranks are next is what their threads are expected to get, at most what the quota of
/// their control group lets threads have that never rest, or what is known of their hosts where no process has computed
/// on them lately. Where processes have just moved, the policy is told the superstep as if they had been there already,
/// so that it never decides on what it has already changed. A policy that takes samples is told so many supersteps in a
/// row, and then no more until a hundredth of the time has paid for it (told_in_a_row): supersteps may be shorter than
/// what telling takes. For one thread, the one that communicates.
class rescheduling {
 public:
  /// `policy`: what decides instead of the policy that the setup names, where it is not null. Throws skel::error for a
  /// name that is none.
  explicit rescheduling(rescheduling_setup setup, std::unique_ptr<mapping::migration::policy> policy = nullptr);

  /// How many supersteps in a row a policy is told, and of how many there are multiples between two such rows: so that
  /// a period of supersteps that load_forecast knows, or one of this length, goes on where it was.
  static constexpr std::uint64_t told_in_a_row = 12;

  /// run_options::next_moves. O(processes + messages), and what the policy takes, where it is told; otherwise O(ranks).
  /// Throws skel::error where that moves what cannot be moved so (mapping::migration::check_moves).
  std::vector<bsp_move> next_moves(bsp_measures const& last);

  /// run_options::last_measured: nothing is decided.
  void hear_last(bsp_measures const& last);

  /// What has been decided so far.
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
  std::vector<platform::slot_series> shares_;  // of each rank: what its threads got of a core
  std::vector<int> ran_on_;                    // rank of each process in the superstep that is looked at
  std::vector<cost::bsp::migration> moved_;    // at the barrier before
  mapping::migration::migration_learner prices_;
  std::uint64_t row_begun_ = 1;    // the superstep
  std::uint64_t stands_for_ = 1;   // supersteps, each that is told in this row
  std::uint64_t passed_over_ = 0;  // supersteps, since the row
  double row_began_ = 0;           // [s]
  double telling_ = 0;             // what it took to tell this row [s]
  double pause_ = 0;               // after it [s]; 0: it goes on
  double listened_ = 0;            // to announcements [s]
  bool moves_ = false;             // it was said that processes move, and nothing yet of what that took
  std::deque<double> calls_;  // what the last calls took [s]
  double calling_ = 0;        // what all calls took [s]
  double now_ = 0;            // [s] of supersteps and migrations: what is decided depends on measurements alone
  record::bsp_decisions made_;
};

}  // namespace skel
