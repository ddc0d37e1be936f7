#pragma once

#include <cstdint>
#include <string>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/record/first_and_last.hpp>

namespace skel::record {

/// Intended probability that the measured rate lies in the interval of a forecast.
inline constexpr double forecast_confidence = 0.9;

/// The forecast for a run from an item on, and the progress of the run while it stood.
struct throughput_forecast {
  std::uint64_t item = 0;  ///< number of the first item that it is about
  double seconds = 0;      ///< when it was made, from the beginning of the run [s]
  double rate = 0;         ///< mean from then to the end of the run [items/s]; 0: nothing was expected
  double low = 0;          ///< that mean lies between these with forecast_confidence [items/s]; both are 0 where no
  double high = 0;         ///< interval was stated
  bool drifts = false;     ///< the rate was rising or falling when it was made
  std::string why;         ///< it was made; empty: before the run

  std::uint64_t items = 0;  ///< that passed while it stood
  double lasted = 0;        ///< how long it stood [s]

  /// The measured rate while it stood [items/s].
  double measured() const { return lasted > 0 ? static_cast<double>(items) / lasted : 0; }
  bool has_interval() const { return high > 0; }
  bool covers(double rate_measured) const { return low <= rate_measured && rate_measured <= high; }
  SKEL_FIELDS(item, seconds, rate, low, high, drifts, why, items, lasted);
};

/// Notes in each forecast the items that passed until the next one was made; in the last one, until the run ended. The
/// run has `items`, the first of them with the number `first`, in `seconds`. A forecast stays as it is if its next one
/// is left out. O(forecasts).
void judge(first_and_last<throughput_forecast>& forecasts, std::uint64_t first, std::uint64_t items, double seconds);

}  // namespace skel::record
