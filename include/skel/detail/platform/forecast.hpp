#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <skel/detail/base/cusum.hpp>

namespace skel::platform {

/// The expected next value of a series.
struct value_forecast {
  double value = 0;      ///< NaN before the first measurement
  double error = 0;      ///< mean absolute error of this method lately; infinite before its first forecast was checked
  double usual = 0;      ///< median absolute error lately, which outliers and steps do not raise; infinite as `error`
  std::string method{};  ///< the predictor that is believed, "sliding median of 21 (cleaned)"
};

/// Forecasts the next value of a series of measurements (load of a host, bandwidth of a link, a service time), as the
/// Network Weather Service does. A family of cheap predictors makes forecasts before every measurement. The one with
/// the least error so far is believed (Wolski, Spring and Hayes 1999, Future Generation Computer Systems
/// 15(5-6):757-768). The family: the last value, running and sliding means, sliding medians and trimmed means,
/// exponential smoothing, autoregressive models of orders 1 to 16 (for loads of hosts: Dinda and O'Hallaron 2000,
/// Cluster Computing 3(4):265-280).
///
/// There are two predictors of each kind. One takes every value. The other takes cleaned values: a value far from its
/// forecast is put aside, and dropped as an outlier if the next ones are near again. If they stay away (three at least,
/// by a CUSUM test with one false alarm in 1000 values), that is a step, and older values no longer count. The second
/// kind is good for meaningless outliers, the first for a series that jumps all the time.
///
/// A value without clock and threads, which can be copied. add() takes O(order^2) every 16 values, O(window) otherwise:
/// some microseconds.
class forecaster {
 public:
  /// Number of values after which an error counts 1/e: to choose a method, and for value_forecast::error.
  static constexpr double memory = 1000, memory_of_error = 100;

  forecaster();
  forecaster(forecaster const& other);
  forecaster& operator=(forecaster const& other);
  forecaster(forecaster&&) noexcept;
  forecaster& operator=(forecaster&&) noexcept;
  ~forecaster();

  /// The next measurement. Precondition: it is finite.
  void add(double value);

  value_forecast next() const;

  std::uint64_t values() const { return values_; }
  std::uint64_t steps() const { return steps_; }          ///< changes of level that were recognised
  std::uint64_t last_step() const { return last_step_; }  ///< number of the first value of the level that stands
  std::uint64_t outliers() const { return outliers_; }    ///< values that were put aside and dropped

  /// Mean absolute error of every method over all values so far, without forgetting: to compare. O(methods).
  struct method_error {
    std::string method;
    double mean_absolute_error = 0;
  };
  std::vector<method_error> errors() const;

 private:
  struct bank;

  bool is_tested() const;
  double scale() const;
  void clean(double value);
  void begin_level(std::uint64_t values);

  std::unique_ptr<bank> raw_, cleaned_;
  statistics::cusum test_;
  std::deque<double> misses_;  // of the method that is believed of the cleaned ones: the scale of the noise
  std::deque<double> latest_;  // values
  std::vector<double> aside_;  // values that will be outliers or a step
  std::uint64_t up_from_ = 0, down_from_ = 0;  // values that came before a sum of the test began to rise
  std::uint64_t values_ = 0, steps_ = 0, last_step_ = 0, outliers_ = 0;
};

}  // namespace skel::platform
