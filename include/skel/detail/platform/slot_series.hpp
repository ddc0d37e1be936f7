#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>

#include <skel/detail/platform/forecast.hpp>

namespace skel::platform {

/// Readings that come when they come, as a series that is regular in time, and its forecast. Time is cut into slots of
/// one period; the readings of a slot are one value, and a slot without readings is none. A reading of a slot that is
/// over is ignored: clocks that are set back change nothing.
///
/// A value without clock and threads, which can be copied. O(1) and the time of forecaster::add() for each slot with
/// readings, 20 KiB.
class slot_series {
 public:
  /// What the readings of a slot are together.
  enum class value_of : std::uint8_t {
    mean,      ///< weighed
    least,     ///< of times that may be longer than what is measured, for reasons of other kinds
    greatest,  ///< the same of rates
  };

  /// `least_weight`: a slot whose readings weigh less together says too little, and is none. Precondition: period > 0.
  explicit slot_series(double period, value_of kind = value_of::mean, double least_weight = 0);

  /// A reading at a time [s], and how much it weighs beside others of its slot. False where it is ignored: its slot is
  /// over, a number is not finite, or it weighs nothing.
  bool add(double time, double value, double weight = 1);

  /// Slots that have ended by this time take no more readings.
  void close(double now);

  value_forecast next() const { return of_.next(); }
  /// Slots that had a value.
  std::uint64_t values() const { return of_.values(); }
  std::uint64_t steps() const { return of_.steps(); }
  /// When the slot ended that had the last value [s]; nothing where none had.
  std::optional<double> last() const;
  /// When the level began that stands [s]: at the last step, or at the first value.
  double since() const { return since_; }
  /// When the last step was recognised [s]: the end of the slot that showed it.
  double stepped() const { return stepped_; }
  /// Whether so little time has passed since the last value, in periods or in the usual distance of values, whichever
  /// is longer, that a step could not have been missed.
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
