#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/base/cusum.hpp>
#include <skel/detail/record/run_record.hpp>

namespace skel::record {

/// Items that passed in some time.
struct passage {
  double items = 0;
  double seconds = 0;
};

/// The estimate of the next mean rate from a series of passages, for as long again as the part of the series that it
/// rests on.
struct rate_estimate {
  double rate = 0;           ///< expected mean [items/s]
  double low = 0, high = 0;  ///< between which it lies with forecast_confidence [items/s]
  double drift = 0;          ///< d ln(rate) / dt, if it is not 0 beyond doubt [1/s]; else 0
  passage rests_on;          ///< all passages together that are no warm-up
  double error = 0;          ///< standard error of ln(rate)
  int freedom = 0;           ///< its degrees of freedom

  /// True if such an estimate would come from fewer than one of 1000 series with this mean rate.
  bool rules_out(double mean) const;
};

/// The estimate from consecutive passages that last about equally long, each with an item at least.
///
/// The warm-up is left out: the first d passages, at most half of all, that leave the least standard error,
///   min over d of sum_{i >= d} (x_i - mean)^2 / (n - d)^2,
/// the rule MSER (White 1997, Simulation 69(6):323-334). The rates of passages are batch means, as in MSER-5 (White,
/// Cobb and Spratt 2000, Winter Simulation Conference, 755-760).
///
/// The rest are batches with the mean rate R = sum of items / sum of seconds. Neighbours are joined, two and two, while
/// they are correlated by von Neumann's ratio at 10 % and eight or more will be left (LABATCH: Fishman and Yarberry
/// 1997, INFORMS Journal on Computing 9(3):296-310). The remaining correlation r widens the variance of their mean by
/// (1 + r) / (1 - r), as in an autoregressive process of first order (ASAP3: Steiger et al. 2005, ACM Transactions on
/// Modeling and Computer Simulation 15(1):39-73). Let e be the standard error of R, of g batches. The mean of as long a
/// time again differs from R with variance 2 e^2. So the interval is R exp(+-t sqrt(2) e / R), t of Student's
/// distribution with g - 1 degrees of freedom; the exponential keeps rates positive. The length of the run is unknown;
/// a watch asks again after as long a time.
///
/// If ln(rate) has a slope over time and a line fits better than a step, the line is followed for as long again. The
/// slope must have a probability below 1/1000 without a trend: in all passages, or else in the last half of them, the
/// last quarter and so on. The interval reaches from the line's beginning to its end there, and on both sides as far as
/// the line is in doubt. Fewer than 16 passages have no line: a pipeline that fills looks the same. The rate is the
/// mean along half the slope, since trends that are followed in full overshoot (Gardner and McKenzie 1985, Management
/// Science 31(10):1237-1246).
///
/// Of normal rates without correlation the interval holds 90 % of the next means, by 16 passages and by 64. With a
/// correlation of 0.5 from one to the next it holds 81 and 88 %, with 0.8, 71 and 84 %: a series that is short against
/// its own correlation does not show it (the tests repeat these).
///
/// The series does not show causes that move a rate more slowly than it lasts (the machine, the data). `between` is the
/// standard deviation of ln(rate) from one series to the next by such causes; it is added.
///
/// Nothing if fewer than three passages are left. O(n log n).
std::optional<rate_estimate> estimate_rate(std::span<passage const> series, double between = 0);

/// Watches a run, and makes a new forecast of its throughput when measurements contradict the standing one. A value
/// without clock or threads: it is told the time.
///
/// It asks for an estimate after `fewest` looks, and again after each doubling of their number. The standing forecast
/// falls if its rate is outside the interval of that estimate, or if the rate drifts out of its own interval. It also
/// falls if it is from before the run and its interval is the wider one. In between, a CUSUM test of each look's rate
/// against the standing interval (one false alarm in 1000 looks at most) notices steps. The watch then forgets the
/// looks before that test began to rise, unless a drift explains them better. Looks are joined two and two when there
/// are `most` of them, so that one is a 32nd at most of the memory. Each time that `most` more forecasts have been
/// made, the shortest looks become twice as long. So there are O(log(time)) forecasts; the first and the last are kept.
///
/// A look takes O(most) time, once in a while O(most log(most)).
class throughput_watch {
 public:
  /// Half of them may be warm-up, and four rates tell little: at the first question a forecast falls only if the
  /// estimate rules it out. At the second, eight are left, the fewest batches of an estimate.
  static constexpr std::size_t fewest = 8;
  /// More than 30 batch means tell little more than 30 (Schmeiser 1982, Operations Research 30(3):556-568).
  static constexpr std::size_t most = 64;

  /// `before`: the forecast from before the run, whose first item has the number `before.item`; a rate of 0: none. A
  /// look lasts `shortest` [s], later as long as the looks in memory. `between` as in estimate_rate(). `can_do`: the
  /// throughput of the stages that do not limit the run [items/s]. A forecast of a rising rate does not pass it, unless
  /// a look has.
  throughput_watch(throughput_forecast before, double shortest, double between = 0,
                   double can_do = std::numeric_limits<double>::infinity());

  /// `items` of the run have passed, the last of them `seconds` after its beginning. Items never become fewer.
  void look(double seconds, std::uint64_t items);

  /// Length of a look now [s]; 0: as long as `shortest`, or as it takes an item to pass.
  double length() const { return length_; }

  /// The standing forecast; its rate is 0 if there is none.
  throughput_forecast const& standing() const { return standing_; }
  /// Those that stood, one after the other. The first is from before the run, if anything was expected then.
  first_and_last<throughput_forecast> forecasts() const;

 private:
  void keep(passage const& one);
  std::optional<std::size_t> rise(passage const& one);
  void forget(std::size_t looks);
  void ask();
  void bound(rate_estimate& found) const;
  bool falls(rate_estimate const& found) const;
  bool is_surer(rate_estimate const& found) const;
  std::string reason(rate_estimate const& found) const;

  std::uint64_t first_;
  double shortest_, between_, can_do_;
  throughput_forecast standing_;
  first_and_last<throughput_forecast> fallen_;
  std::size_t made_ = 1;  // with the one from before the run

  double seconds_ = 0;  // of the run at the end of the last short look
  std::uint64_t items_ = 0;
  passage open_;                // the look that is not complete
  double length_ = 0;           // of a complete one [s]; 0: of a short one
  std::vector<passage> looks_;  // what is remembered
  std::size_t next_question_ = fewest;

  statistics::cusum test_;
  std::size_t up_from_ = 0, down_from_ = 0;  // looks that came before a sum began to rise
  std::optional<double> scatter_;            // of ln(rate) from look to look, once there was an estimate
};

}  // namespace skel::record
