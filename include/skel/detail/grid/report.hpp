#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/mapping/decision.hpp>
#include <skel/detail/pattern/shape.hpp>
#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/record/run_record.hpp>

namespace skel {

/// The forecast for one station of a planned program.
struct station_forecast {
  std::string name;
  std::size_t workers = 1;
  std::vector<std::string> hosts;  ///< of its workers
  double service_time = 0;         ///< measured or said, on the reference host [s]
  double capacity = 0;             ///< items per second that its workers can do, neighbours left aside [1/s]
  double utilisation = 0;          ///< predicted share of its workers' time [0..1]
  SKEL_FIELDS(name, workers, hosts, service_time, capacity, utilisation);
};

/// The forecast for a program on its placement.
struct forecast {
  double exponential = 0;    ///< items per second if service times were exponential (PEPA) [1/s]
  double deterministic = 0;  ///< items per second if they were constant (simulated) [1/s]
  double variation = 0;      ///< squared coefficient of variation that was measured at the bottleneck, 0..1
  double throughput = 0;     ///< the forecast: the two-moment blend of both, corrected [1/s]
  double correction = 1;     ///< by earlier runs of this program
  std::uint64_t runs = 0;    ///< earlier ones whose times per item count in those of the stations
  double low = 0, high = 0;  ///< interval with record::forecast_confidence [1/s]; 0: not known
  double most = 0;           ///< that the stages beside the slowest one can do, as far as it is known [1/s]; 0: nothing
  double batch = 1;          ///< items that travel together
  std::string model;         ///< the models that were solved, and how
  std::vector<station_forecast> stations;
  SKEL_FIELDS(exponential, deterministic, variation, throughput, correction, runs, low, high, most, batch, model,
              stations);
};

/// A program with its decisions.
struct planned_program {
  plan::run_plan run;
  forecast expected;
  mapping::decision decision;           ///< the search's answer, over processors (a core of a rank); in items of the
                                        ///< source per second
  std::vector<std::string> processors;  ///< names of the hosts that the decision's indices mean
  std::vector<std::string> placed;      ///< stages that the decision placed, in its order
  std::string note;                     ///< decisions without a search, restrictions, unknown facts

  /// The bottleneck, the runners-up and what they would cost, as text.
  std::string explain() const;
  friend std::ostream& operator<<(std::ostream& out, planned_program const& plan) { return out << plan.explain(); }
  SKEL_FIELDS(run, expected, decision, processors, placed, note);
};

/// A run, beside its forecast.
struct run_report {
  run_report();
  run_report(run_report const& other);
  run_report(run_report&& other) noexcept;
  run_report& operator=(run_report const& other);
  run_report& operator=(run_report&& other) noexcept;
  ~run_report();

  planned_program plan;
  record::run_record run;
  std::uint64_t calibration_items = 0;  ///< items that passed while the stages were measured
  double calibration_seconds = 0;
  double planning_seconds = 0;
  std::optional<std::uint64_t> resumed;  ///< the item that a checkpoint said to go on with; nothing: it began
  /// Stages whose first items, the basis of the forecast, were unlike the others. Or tells that later runs learn
  /// nothing from this one, since other programs took the cores. On rank 0.
  std::string unlike;
  std::string ended_source{};         ///< the source that gave nothing: it had ended in an earlier run; empty: none
  std::string without_checkpoints{};  ///< why it keeps none although a folder is named; empty: it does
  std::string corrected;  ///< hosts whose speeds the run measured better than the probe; they are kept; on rank 0

  /// Why announcements were refused, the first ones of this grid; on rank 0.
  std::vector<std::string> refused_announcements;

  std::uint64_t items() const { return calibration_items + run.items; }
  /// Plan, forecast and measurement as text.
  std::string text() const;
};

std::ostream& operator<<(std::ostream& out, run_report const& report);

}  // namespace skel
