#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>

#include <skel/detail/platform/forecast.hpp>

namespace skel::platform {

/// Turns readings that come at any time into a series that is regular in time, and forecasts it. Time is cut into slots
/// of one period. The readings of a slot make one value; a slot without readings has none. A reading for a slot that is
/// over is ignored: clocks that are set back change nothing.
///
/// A value without clock and threads, which can be copied. O(1), and the time of forecaster::add() for each slot with
/// readings; 20 KiB.
class slot_series {
 public:
  /// How the readings of a slot make one value.
  enum class value_of : std::uint8_t {
    mean,      ///< weighed
    least,     ///< of times that other causes may have made longer
    greatest,  ///< of rates that other causes may have made lower
  };

  /// `least_weight`: a slot with less total weight says too little, and has no value. Precondition: period > 0.
  explicit slot_series(double period, value_of kind = value_of::mean, double least_weight = 0);

  /// A reading at a time [s], and its weight beside others of its slot. False if it is ignored: its slot is over, a
  /// number is not finite, or it weighs nothing.
  bool add(double time, double value, double weight = 1);

  /// Slots that have ended by this time take no more readings.
  void close(double now);

  value_forecast next() const { return of_.next(); }
  /// Slots that had a value.
  std::uint64_t values() const { return of_.values(); }
  std::uint64_t steps() const { return of_.steps(); }
  /// End of the slot with the last value [s]; nothing before the first value.
  std::optional<double> last() const;
  /// Begin of the present level [s]: at the last step, or at the first value.
  double since() const { return since_; }
  /// Time when the last step was recognised [s]: the end of the slot that showed it.
  double stepped() const { return stepped_; }
  /// True if no step can have been missed since the last value: less time has passed than a period, or than the usual
  /// distance of values if that is longer.
  bool is_recent(double now) const;

 private:
  void end_slot();

  double period_;
  value_of kind_;
  double least_weight_;
  forecaster of_;
  std::deque<double> begins_;  // of the slots of the latest values
  std::optional<std::int64_t> open_;
  double sum_ = 0, weight_ = 0, least_ = 0, greatest_ = 0;
  double since_ = std::numeric_limits<double>::quiet_NaN();
  double stepped_ = -std::numeric_limits<double>::infinity();
  double gap_ = 0;  // usual distance of values [s]
};

}  // namespace skel::platform
