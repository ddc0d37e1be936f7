#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <skel/detail/base/contract.hpp>

namespace skel::statistics {

/// Watches numbers that should have mean 0 and standard deviation 1, and gives an alarm when their mean has moved. It
/// adds up the logarithm of the likelihood ratio of a mean of +-shift against 0. Each sum restarts when it falls below
/// 0.
///   S+ <- max(0, S+ + min(shift z - shift^2/2, c)),  S- alike with -z;  alarm when one of them reaches h.
///
/// With h = ln(2 interval) there is on average at most one false alarm in `interval` normal numbers. One sum alone
/// gives none in e^h on average (Lorden 1971, Annals of Mathematical Statistics 42(6):1897-1908), and there are two.
/// The cut c makes alarms rarer still: with c = h / (fewest - 1/2), fewer than `fewest` numbers give no alarm, however
/// far off they are. A ratio with a cut is Huber's robust test (1965, Annals of Mathematical Statistics
/// 36(6):1753-1758). The alarm comes 2 h / shift^2 numbers after a move by `shift`, and `fewest` numbers after a large
/// one.
///
/// A plain value: it can be copied and stored. O(1).
struct cusum {
  double shift = 1;        ///< the move that is looked for, in standard deviations, > 0
  double interval = 1000;  ///< numbers between false alarms, > 1
  int fewest = 3;          ///< numbers that an alarm takes at least
  double up = 0, down = 0;

  enum class alarm : std::uint8_t { none, up, down };

  double limit() const { return std::log(2 * interval); }
  /// c: as much as one number can add.
  double cut() const { return limit() / (fewest - 0.5); }
  /// True if a number is so far off that it is cut: it counts no more than a nearer one.
  bool is_cut_off(double z) const { return shift * std::abs(z) - shift * shift / 2 >= cut(); }

  /// Adds the next number; infinite ones count as far off. Starts anew after an alarm.
  alarm add(double z) {
    SKEL_EXPECTS(shift > 0 && interval > 1 && fewest >= 1 && !std::isnan(z));
    double const h = limit(), most = cut();
    up = std::max(0.0, up + std::min(shift * z - shift * shift / 2, most));
    down = std::max(0.0, down + std::min(-shift * z - shift * shift / 2, most));
    alarm const result = up >= h ? alarm::up : down >= h ? alarm::down : alarm::none;
    if (result != alarm::none) up = down = 0;
    return result;
  }

  friend bool operator==(cusum const&, cusum const&) = default;
};

}  // namespace skel::statistics
