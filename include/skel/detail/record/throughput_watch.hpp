#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/base/cusum.hpp>
#include <skel/detail/record/throughput_forecast.hpp>

namespace skel::record {

/// Items that passed in some time.
struct passage {
  double items = 0;
  double seconds = 0;
};

/// What a series of passages says of the mean rate of what comes next, for as long again as the part of the series that
/// it rests on.
struct rate_estimate {
  double rate = 0;           ///< expected mean [items/s]
  double low = 0, high = 0;  ///< between which it lies with forecast_confidence [items/s]
  double drift = 0;          ///< d ln(rate) / dt, where that is not 0 beyond doubt [1/s]; else 0
  passage rests_on;          ///< all passages together that are no warm-up
  double error = 0;          ///< standard error of ln(rate)
  int freedom = 0;           ///< its degrees of freedom

  /// Whether such an estimate would come about in less than one of 1000 series if this were the mean rate.
  bool rules_out(double mean) const;
};

/// The estimate from consecutive passages that last about equally long, each with an item at least.
///
/// The warm-up that is left out is the d passages, of the first half, that leave the least standard error,
///   min over d of sum_{i >= d} (x_i - mean)^2 / (n - d)^2,
/// the rule MSER (White 1997, Simulation 69(6):323-334), on batch means (MSER-5: White, Cobb and Spratt 2000, Winter
/// Simulation Conference, 755-760), as the rates of passages are.
///
/// The rest are batches with the mean rate R = sum of items / sum of seconds. Neighbours are joined, two and two, as
/// long as they are correlated by von Neumann's ratio at 10 % and eight or more will be left (LABATCH: Fishman and
/// Yarberry 1997, INFORMS Journal on Computing 9(3):296-310); what is left of the correlation r widens the variance of
/// their mean by (1 + r) / (1 - r), as in an autoregressive process of first order (ASAP3: Steiger et al. 2005, ACM
/// Transactions on Modeling and Computer Simulation 15(1):39-73). With e the standard error of R and g batches, the
/// mean of as long a time again differs from R with variance 2 e^2, so that the interval is R exp(+-t sqrt(2) e / R), t
/// of Student's distribution with g - 1 degrees of freedom; the exponential keeps rates positive. Nobody knows how long
/// the run will be; as long again is what a watch lets pass until it asks again.
///
/// Where ln(rate) has a slope over time, in all passages or else in the last half of them, the last quarter and so on, that
/// has a probability below 1/1000 where there is none, and a line fits better than a step, the line is followed for as
/// long again: the interval reaches from its beginning to its end there and on both sides as far as the line is in doubt.
/// Fewer than 16 passages have no line: a pipeline that fills looks the same. The rate is the mean along half the slope,
/// as trends that are followed in full overshoot (Gardner and McKenzie 1985, Management Science 31(10):1237-1246).
///
/// Of normal rates without correlation the interval holds 90 % of what follows, by 16 passages and by 64; with a
/// correlation of 0.5 from one to the next, 81 and 88 %, of 0.8, 71 and 84 %: a series that is short against its own
/// correlation does not show it (the tests repeat these).
///
/// What moves a rate more slowly than the series lasts (the machine, the data) is not in it: `between` is the standard
/// deviation of ln(rate) from one series to the next by such things, which is added to what the series shows.
///
/// Nothing where fewer than three passages are left. O(n log n).
std::optional<rate_estimate> estimate_rate(std::span<passage const> series, double between = 0);

/// Watches a run and makes the forecast of its throughput anew when what is measured says that the standing one does
/// not hold. A value without clock or threads: time is what it is told.
///
/// It asks for an estimate when it has looked `fewest` times, and again whenever it has looked twice as often. The
/// standing forecast falls when its rate is not within the interval of that estimate, when the rate drifts to where its
/// own interval does not reach, or when it is from before the run and its interval is the wider one. In between, a
/// CUSUM test of each look's rate against the standing interval (one false alarm in 1000 looks at most) notices steps;
/// what was measured before that test began to rise is then forgotten, unless a drift explains it better. Looks are
/// joined two and two when there are `most` of them, so that one is a 32nd at most of what is remembered; each time
/// that `most` more forecasts have been made the shortest looks become twice as long, so that there are O(log(time))
/// forecasts, of which the first and the last are kept.
///
/// A look takes O(most) time, once in a while O(most log(most)).
class throughput_watch {
 public:
  /// Half of them may be warm-up, and four rates tell only what is beyond doubt: at the first question a forecast falls
  /// when the estimate rules it out. At the second, eight are left, the fewest batches of an estimate.
  static constexpr std::size_t fewest = 8;
  /// More than 30 batch means tell little more than 30 (Schmeiser 1982, Operations Research 30(3):556-568).
  static constexpr std::size_t most = 64;

  /// `before` was expected before the run, whose first item has the number `before.item`; a rate of 0: nothing was.
  /// What passes within `shortest` [s] is one look; later what passes in as long as looks are that are remembered.
  /// `between` as in estimate_rate(). `can_do`: what the stages that do not limit the run can do [items/s], which a
  /// forecast of a rate that rises does not pass, unless a look has.
  throughput_watch(throughput_forecast before, double shortest, double between = 0,
                   double can_do = std::numeric_limits<double>::infinity());

  /// `items` of the run have passed, the last of them `seconds` after its beginning. Items never become fewer.
  void look(double seconds, std::uint64_t items);

  /// How long a look is now [s]; 0: as long as `shortest`, or as it takes an item to pass.
  double length() const { return length_; }

  /// The forecast that stands; its rate is 0 where there is none.
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
