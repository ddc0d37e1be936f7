#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include <skel/detail/base/cusum.hpp>
#include <skel/detail/mapping/migration/policy.hpp>
#include <skel/detail/mapping/move_decider.hpp>

#include "assignment_search.hpp"
#include "load_forecast.hpp"
#include "message_history.hpp"

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

/// The policy "skel": the decider's choice between staying and assignments near the present one, by the time that the
/// supersteps to come are expected to take: as many as the program says are left, or otherwise as many as have passed.
///
/// A superstep that is x ahead counts by the chance t / (t + x) that what has been so for t supersteps will be so then
/// (Lindy's law, a Pareto distribution with exponent 1): of forecasts, t since they were last wrong by a CUSUM test;
/// and of the program, where it does not say how many supersteps it has. It counts as much of that as forecasts so far
/// ahead have foreseen of what hosts differ by (forecast_skill). Of the assignments that were found, the
/// cheapest sequence over the supersteps to come is looked for, each change at the price of its migrations. The price
/// of a way is that of the cheapest sequence that begins with it; "stay" is one. So what can as well be done later is
/// done later. A way other than staying counts with the standard error of the forecasts' mean error as its doubt, for
/// the supersteps until staying would end.
///
/// Whether to make a call at all is decided apart. A call is due when half as many supersteps have passed as
/// forecasts had held for at the last one, or so many that it takes but a small share of their time, when a sequence
/// changes, or when supersteps take longer than they were expected to. It is made where an even spread of the work and
/// no waiting for messages would have saved more since the last one than a call takes that moves something, one of n +
/// 1 after n in a row that did not; and while calls take less than half of what migrations have won and a small share
/// of the time: of the whole, where the program says its end. Beyond that it is made where the last one moved nothing,
/// as it did not pay yet, and what it found is to win more by now, as forecasts have held for longer, than n + 1 calls
/// take. Where a host goes away, it is made at once, whatever it takes.
///
/// Where not all supersteps are told, forecasts are as if those that are told were all, and each counts for as many as
/// it stands for.
///
/// A superstep takes O(processes + hosts + messages + clusters^2), a call what near_assignments() takes and
/// O(ways^2 (processes + supersteps)).
class expected_time final : public policy {
 public:
  expected_time(skeletons::migration_settings const& settings, cost::bsp::machine const& machine,
                std::vector<bool> const& pinned);

  move_decider* mover() override { return &mover_; }
  bool takes_samples() const override { return true; }
  void pin(std::size_t process) override { pinned_.at(process) = true; }
  std::optional<record::rescheduling> after(record::superstep const& step) override;

 private:
  /// Parts of the time to come, in each of which a period of supersteps stands for all of them.
  struct horizon {
    std::vector<std::size_t> begins;  // supersteps ahead
    std::vector<double> chance;       // that what is expected then still holds, at the beginning of each part
    std::vector<double> weight;       // supersteps of each part, by the chance that there will be such ones
    std::vector<std::size_t> ahead;   // what is told then stands for a part, part by part
    std::vector<double> supersteps;   // for how many each of these stands

    /// Time of each part, of times of the supersteps that stand for it.
    std::vector<double> by_parts(std::vector<double> const& seconds) const;
  };

  /// What a call in vain found: staying, and other ways.
  struct found_way {
    double seconds = 0;  // expected of a superstep, in the mean
    double price = 0;    // of its migrations, by what they are to win
  };

  void watch(record::superstep const& step);
  bool is_due(record::superstep const& step) const;
  /// Median size of the errors of single supersteps, and what their mean is off by, as far as errors of single
  /// supersteps are like most of them (statistics::deviation over the root of how many there are): what all ways are
  /// off alike says nothing of which is better.
  double doubt() const;
  double doubt_of_mean() const;
  /// Whether one of these ways is to win more than `least` beside its price [s], as long as forecasts have held by now,
  /// and also where they are as wrong as they usually are.
  bool pays_by_now(double least) const;
  horizon to_come() const;
  record::rescheduling call(record::superstep const& step);

  skeletons::migration_settings settings_;
  cost::bsp::machine machine_;
  std::vector<bool> pinned_;
  move_decider mover_{of_bsp, 0};
  load_forecast forecast_;
  message_history messages_;
  forecast_skill skill_;
  std::vector<double> next_;              // expected work of the next superstep
  std::deque<double> errors_;             // ln(measured / expected) of the slowest host's time, lately
  statistics::cusum test_;                // of them
  std::size_t supersteps_ = 0;            // so far
  std::size_t stands_for_ = 1;            // the last one that was told
  std::size_t holds_ = 0;                 // supersteps in which forecasts have held
  double passed_ = 0, called_ = 0;        // time so far, and what calls of it took [s]
  std::vector<std::size_t> first_hosts_;  // of each process at the beginning
  double won_ = 0;                        // beside leaving all processes there, without what migrations took [s]
  double late_ = 0, expected_ = 0;        // since then: beyond what was expected then, and what was [s]
  std::size_t last_call_ = 0, due_ = 0;   // supersteps
  bool left_in_vain_ = false;             // the last call was one, and a host was going away
  std::vector<found_way> found_;          // by the last call, where it was in vain; staying is the first
  std::vector<std::size_t> begins_;       // of parts of what was expected then
  std::vector<double> seconds_;           // expected then of a superstep of each part
};

}  // namespace skel::mapping::migration
