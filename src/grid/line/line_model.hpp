#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <skel/detail/cost/line.hpp>
#include <skel/detail/grid/report.hpp>
#include <skel/detail/grid/settings.hpp>
#include <skel/detail/mapping/poly_model.hpp>
#include <skel/detail/pattern/shape.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/runtime/line/calibration.hpp>
#include <skel/detail/runtime/line/program.hpp>

#include "processor_map.hpp"

/// The model of a line by which make_plan() places it: its stages, and the forecast of a placement.
namespace skel::line_model {

/// A source or sink that takes less than this share of the slowest stage's time is left out of the model, where it
/// would multiply the states. It adds at most this share to a cycle, which is below the spread of measured service
/// times.
inline constexpr double negligible = 0.01;

/// The stations of a line that become stages of the model.
struct model_shape {
  skeletons::shape shape;
  std::vector<std::size_t> station_of;  // per stage
  std::vector<double> waiting;          // per stage: share of its work in which it needs no core
  std::vector<bool> widens;             // per stage: a farm without a stated number or place of its workers
  double batch = 1;
};

/// Per item of the source.
double work_of(runtime::station const& s, runtime::station_cost const& cost, double reference_speed);

/// The rank that the source is on. Throws skel::error if it is pinned to a host that is not in the platform.
int source_rank(runtime::program const& line, processor_map const& processors);

/// The stages of a line with these costs, and where they have to be. Arguments as of make_plan().
model_shape shape_of(runtime::program const& line, std::vector<runtime::station_cost> const& costs, double reference,
                     processor_map const& processors, std::vector<std::optional<int>> const& state_on,
                     run_settings const& settings);

/// The program as placements are searched for. A stage that waits for something else than a core takes as much of a
/// processor as it computes. No placement makes it wait less. A farm that waits wins by workers beyond its cores
/// (widen).
skeletons::shape searched(model_shape const& model);

/// The room that the search prices with. It is the run's, if all chains of placements are then small enough to solve
/// many of them; otherwise the largest room that keeps them so.
std::size_t searchable_room(skeletons::shape const& shape, std::size_t processors, std::size_t capacity);

/// How many workers a farm that waits may have: most_waiting_workers at most. The ranks of a host together take at most
/// half of the threads that limits leave. Workers hold at most a tenth of the memory that can be had, or that the run
/// may take. Each holds the batches that wait before it, one in work and its result.
double most_workers_beside(model_shape const& model, processor_map const& processors, run_settings const& settings);

/// Gives farms that wait for something else than a core more workers, on the processors that they have. They get as
/// many as keep up with the limit of the rest of the line, and `most` at most. With x items per second and t the time
/// of one they are x t at once (Little 1961, Operations Research 9(3):383-387). The rate x is what cores, moves and
/// other stages allow. Stages that wait too, with one worker or as many as the user says, allow no more than their own
/// rate. If items then wait for cores that wait for items, there are twice as many workers, as long as that wins.
void widen(model_shape const& model, plan::placement& where, processor_map const& processors, double most);

/// A forecast, and how uncertain the time of its slowest station is; nothing where the user has said it.
struct modelled {
  forecast expected;
  std::optional<double> doubt{};
  double by_others = 0;  ///< standard deviation of ln(throughput) by other programs
};

/// The forecast of a placement. Costs and `reference` as of make_plan().
modelled forecast_of(model_shape const& model, runtime::program const& line,
                     std::vector<runtime::station_cost> const& costs, double reference, plan::placement const& where,
                     processor_map const& processors, run_settings const& settings);

/// Corrects a forecast by earlier runs: `time` per item.
void correct(modelled& of, mapping::corrected_time const& time);

}  // namespace skel::line_model
