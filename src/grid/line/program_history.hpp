#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/adapt/remapping.hpp>
#include <skel/detail/mapping/copy_tree_problem.hpp>
#include <skel/detail/mapping/decider.hpp>
#include <skel/detail/mapping/placement_choice.hpp>
#include <skel/detail/mapping/service_times.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/record/run_record.hpp>
#include <skel/detail/runtime/line/calibration.hpp>
#include <skel/detail/runtime/line/program.hpp>

#include "decision_store.hpp"

namespace skel {

/// How far throughputs are from their forecasts, as standard deviations of ln(measured / predicted). They are those of
/// normal numbers of which as many lie in an interval of forecast_confidence.
struct forecast_doubt {
  double before = 0;         ///< from a forecast that rests on the first items, measured before the run
  double runs = 0;           ///< of a station's time per item, from one run of a program to the next
  double beside_others = 0;  ///< where k threads of others run on n cores, as a part of ln((n + k) / n)
  double between = 0;        ///< from one stretch of a run to the next as long, by what neither stretch shows in itself
};

/// The content of forecast_doubt.txt, with its origin. O(1) after the first call.
forecast_doubt const& usual_forecast_doubt();

/// The tree of a broadcast stage's copies.
struct placed_tree {
  mapping::copy_tree_request asked;
  double period = 0;  ///< of its messages for a batch [s]
  double items = 0;   ///< in a batch
};

/// The data by which a run was placed.
struct placed_run {
  std::vector<runtime::station_cost> first{};     ///< costs in its first items; none where nothing was measured
  std::vector<runtime::station_cost> believed{};  ///< the same, as earlier runs correct them
  std::uint64_t first_items = 0;
  std::uint64_t earlier_runs = 0;                     ///< that count in `believed`, at most
  std::optional<mapping::placement_request> asked{};  ///< nothing where there was nothing to decide
  double throughput = 0;                              ///< that the model predicts, uncorrected [1/s]
  double filling = 0;                                 ///< how long the first batch takes to the sink [s]
  /// The model's throughput if stations take so many times as long as believed [1/s].
  std::function<double(std::vector<double> const& factors)> repriced{};
  std::vector<placed_tree> trees{};
  std::optional<placed_line> running{};  ///< nothing where there is nothing to place
};

/// The time per item of each station in a run, on a core of its own where first items were measured [s]. It is 0 if it
/// means another thing there, or nothing was measured. `speed`: of a rank, where first items were measured at 1. A
/// station computes all of its time but `waiting`. Of that only the part counts in which the threads of its rank had
/// their cores: other programs took the rest.
std::vector<double> times_alone(runtime::program const& line, placed_run const& placed, record::run_record const& run,
                                std::function<double(std::size_t rank)> const& speed);

/// True if others took so much of the cores in a run that it is less reliable than first items: nothing is learnt from
/// it.
bool is_disturbed(record::run_record const& run);

/// Names the stations whose times differ from those of their first items by as much as chance brings about once in 1000
/// runs. Only stations that count beside the slowest are named. Empty: none.
std::string unlike_first_items(runtime::program const& line, placed_run const& placed,
                               std::vector<double> const& times);

/// Knowledge from runs of programs on these hosts for the next one. It has the times of their stations, and the error
/// of the model of a placement, given the times that the run then had. On rank 0; keeps its knowledge in the store when
/// it goes.
class program_history {
 public:
  explicit program_history(std::shared_ptr<decision_store> store);
  ~program_history();
  program_history(program_history const&) = delete;
  program_history& operator=(program_history const&) = delete;

  /// The same for each run of a program: of its file's name, its types, and the names of its stages.
  static std::uint64_t id_of(runtime::program const& line);

  /// A run whose first items had these costs; none: nothing was measured.
  placed_run believe(runtime::program const& line, std::vector<runtime::station_cost> first,
                     std::uint64_t first_items) const;

  /// Decides where a run is placed. Stays until the next call.
  mapping::decided<mapping::found_placement> const& choose(mapping::placement_request const& asked) {
    return placements_.use(asked);
  }
  /// Decides on which tree the copies of a stage are. Stays until the next call.
  mapping::decided<mapping::copy_tree> const& choose_tree(mapping::copy_tree_request const& asked) {
    return trees_.use(asked);
  }
  /// The placement that the user forces.
  std::optional<std::string> forced() const;

  /// Learns from a run. `speed`: of a rank, where first items were measured at 1. Learns a time if the run had more
  /// items than there were first ones. Learns a throughput if the run was not moved, and filling the line was a smaller
  /// part of it than the usual difference between runs. Returns why later programs learn nothing from it although they
  /// were to; empty: they do, or it was too short.
  std::string observe(runtime::program const& line, placed_run const& placed, record::run_record const& run,
                      std::function<double(std::size_t rank)> const& speed);

 private:
  std::shared_ptr<decision_store> store_;
  mapping::service_times times_;
  mapping::decider<mapping::placement_choice> placements_;
  mapping::decider<mapping::copy_tree_problem> trees_;
};

}  // namespace skel
