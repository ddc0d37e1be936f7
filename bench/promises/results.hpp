#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <skel/detail/record/run_record.hpp>

namespace bench {

/// What one run of a program promised and kept.
struct promise_result {
  std::string program;
  std::size_t ranks = 1;
  std::size_t items = 0;   ///< asked for
  double seconds = 0;      ///< of the run
  double throughput = 0;   ///< of the run [items/s]
  double calibration = 0;  ///< [s]
  double planning = 0;     ///< [s]
  std::size_t busy = 0;    ///< other processes that computed all the time
  double others = 0;       ///< share of the host's processor time that went to other processes [0..1]
  std::vector<skel::record::throughput_forecast> forecasts;  ///< the first is from before the run

  /// |measured / predicted - 1| of the forecast from before, over the whole run.
  double error_before() const;
  /// The same of each forecast over the part of the run that it stood for, weighted by how long that was.
  double error_standing() const;
  /// Share of the time with an interval in which the measured rate of the part lies in it; NaN: no interval.
  double covered_standing() const;
  /// 1: the interval from before holds the whole run; 0: it does not; NaN: there was none.
  double covered_before() const;
  /// Planning and calibration, of all the time from the first item on.
  double preparation() const;
};

nlohmann::json to_json(promise_result const& result);
promise_result promise_from_json(nlohmann::json const& text);

void print_promises_heading();
/// One line: what all runs of a program on so many ranks kept. Returns the same figures.
nlohmann::json print_promises(std::string const& name, std::string const& ranks,
                              std::vector<promise_result> const& runs);
/// What forecasts from before the run are to keep beside others: intervals of 90 % hold this share of the runs, and the
/// median error is no more, alone and beside others.
inline constexpr double least_covered = 0.85, most_covered = 0.95, most_error_alone = 0.05, most_error_beside = 0.08;

/// What runs beside so many busy processes on so many ranks (0: on any) fall short of, in words; empty: of nothing.
std::string shortfall(std::size_t busy, std::size_t ranks, std::vector<promise_result> const& runs);

/// A table of forecasts from before the run by load and number of ranks, and below it what falls short. Returns the
/// same figures.
nlohmann::json print_loads(std::vector<promise_result> const& runs);

/// Share of the runs with at most an error, before the run and by what stood.
std::string plot_of_promises(std::vector<promise_result> const& runs);

}  // namespace bench
