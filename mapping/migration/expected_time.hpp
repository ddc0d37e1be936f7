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

/// Ways to go through parts of a time to come; each part may have another way.
struct way_sequences {
  std::vector<double> seconds;       ///< of the cheapest sequence that begins with each way [s]
  std::vector<std::size_t> changes;  ///< the part in which that sequence first has another way; as many as parts: none
};

/// `seconds`: of each way, in each part. `change`: from way a to way b, at a * ways + b [s]. `chance`: of each part,
/// that a change there has to be paid. From the last part to the first (Bellman):
///   rest(a, k) = seconds(a, k) + min(rest(a, k+1), min_b (chance(k+1) change(a, b) + rest(b, k+1))).
/// O(ways^2 parts). Precondition: equally many parts for each way, one at least.
way_sequences cheapest_sequences(std::vector<std::vector<double>> const& seconds, std::vector<double> const& change,
                                 std::vector<double> const& chance);

/// The policy "skel": the decider chooses between staying and assignments near the present one, by the expected time of
/// the supersteps to come. These are as many as the program says are left, or otherwise as many as have passed.
///
/// A superstep that is x ahead counts by the chance t / (t + x) that a state of t supersteps still holds then (Lindy's
/// law, a Pareto distribution with exponent 1). For forecasts, t counts since a CUSUM test last found them wrong. The
/// program counts too, if it does not say its number of supersteps. The chance is multiplied by the share of the hosts'
/// differences that forecasts so far ahead have foreseen (forecast_skill). Each change of assignment costs its
/// migrations. The price of a way is that of the cheapest sequence over the supersteps to come that begins with it;
/// "stay" is one. So changes that can as well be made later are made later. A way other than staying counts with the
/// standard error of the forecasts' mean error as its doubt, for the supersteps until staying would end.
///
/// The policy decides apart if it makes a call. A call is due after half as many supersteps as forecasts had held for
/// at the last one, or once it takes but a small share of their time. It is also due when a sequence changes, or when
/// supersteps take longer than expected. Then two conditions allow it. First, an even spread of the work and no waiting
/// for messages would have saved more since the last call than n + 1 calls take. Here n is the number of calls in a row
/// that moved nothing. Second, calls take less than half of the gain of migrations and a small share of the time: of
/// the whole, if the program says its end. Beyond that it is made if the last one moved nothing, but its result is now
/// to win more than n + 1 calls take, because forecasts have held for longer. If a host leaves, it is made at once,
/// whatever it takes.
///
/// If not all supersteps are told, forecasts treat the told ones as all; each counts for as many as it stands for.
///
/// A superstep takes O(processes + hosts + messages + clusters^2), a call as long as near_assignments() and O(ways^2
/// (processes + supersteps)).
class expected_time final : public policy {
 public:
  expected_time(skeletons::migration_settings const& settings, cost::bsp::machine const& machine,
                std::vector<bool> const& pinned);

  move_decider* mover() override { return &mover_; }
  bool takes_samples() const override { return true; }
  void pin(std::size_t process) override { pinned_.at(process) = true; }
  std::optional<record::rescheduling> after(record::superstep const& step) override;

 private:
  /// Parts of the time to come; in each a period of supersteps stands for all of them.
  struct horizon {
    std::vector<std::size_t> begins;  // supersteps ahead
    std::vector<double> chance;       // that the forecast still holds, at the beginning of each part
    std::vector<double> weight;       // supersteps of each part, by the chance that they will come
    std::vector<std::size_t> ahead;   // distance of the supersteps that stand for a part, part by part
    std::vector<double> supersteps;   // number for which each of these stands

    /// Time of each part, from times of the supersteps that stand for it.
    std::vector<double> by_parts(std::vector<double> const& seconds) const;
  };

  /// Result of a call in vain: staying, and other ways.
  struct found_way {
    double seconds = 0;  // expected mean of a superstep
    double price = 0;    // of its migrations, times price_weight
  };

  void watch(record::superstep const& step);
  bool is_due(record::superstep const& step) const;
  /// Median size of the errors of single supersteps, and the error of their mean, if errors are like most of them
  /// (statistics::deviation over the root of their number). Errors that all ways have in common do not tell which is
  /// better.
  double doubt() const;
  double doubt_of_mean() const;
  /// True if one of these ways is expected to win more than `least` beside its price [s], as long as forecasts have
  /// held by now. They count as if they are as wrong as they usually are.
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
  double passed_ = 0, called_ = 0;        // time so far, and time of its calls [s]
  std::vector<std::size_t> first_hosts_;  // of each process at the beginning
  double won_ = 0;                        // beside leaving all processes there, less the time of migrations [s]
  double late_ = 0, expected_ = 0;        // since the last call: time beyond the expected, and the expected [s]
  std::size_t last_call_ = 0, due_ = 0;   // supersteps
  bool left_in_vain_ = false;             // the last call was one, and a host was going away
  std::vector<found_way> found_;          // by the last call, if it was in vain; staying is the first
  std::vector<std::size_t> begins_;       // of parts of the forecast of the last call
  std::vector<double> seconds_;           // forecast of then for a superstep of each part
};

}  // namespace skel::mapping::migration
