#include "prediction/models.hpp"

#include <algorithm>
#include <cmath>

#include <skel/detail/cost/line_bounds.hpp>
#include <skel/detail/cost/line_simulation.hpp>
#include <skel/detail/cost/line_solver.hpp>
#include <skel/detail/runtime/station/flow_control.hpp>

namespace bench {
namespace {

namespace flow = skel::runtime::flow_control;
using skel::cost::dispatch;
using skel::cost::share;

/// Room behind an ordered farm, of which there is much, is left out beyond what can be solved in seconds.
constexpr double most_states = 3e5;

/// The stations of a case without their functions: what flow control looks at.
skel::runtime::program skeleton_of(random_case const& it) {
  skel::runtime::program line;
  line.stations.emplace_back();
  for (auto const& stage : it.program.stages) {
    auto& station = line.stations.emplace_back();
    station.replicable = stage.replicable;
    station.notes.ordered = stage.ordered;
  }
  line.stations.emplace_back();
  return line;
}

skel::cost::line plain_line(random_case const& it, move_times const& moves, share sharing, std::size_t buffer) {
  return skel::cost::make_line(it.program, it.placement, platform_of(it, moves),
                               {sharing, dispatch::on_demand, buffer});
}

/// Items that fit into a station, per worker, all ranks together.
double room_per_worker(skel::plan::run_plan const& plan, std::size_t station) {
  auto const producers = flow::sites(plan.stations[station - 1]).size();
  auto const consumers = flow::sites(plan.stations[station]).size();
  std::size_t all = 0;
  for (std::size_t c = 0; c < consumers; ++c)
    for (std::size_t p = 0; p < producers; ++p) all += flow::room(plan.stations[station], c, producers, p);
  return static_cast<double>(all) / static_cast<double>(plan.stations[station].ranks.size());
}

}  // namespace

std::vector<model_text> const& models() {
  static std::vector<model_text> const all = {
      {"pepa", "exponential, share dynamic, the engine's capacity as buffer"},
      {"as run", "the same with the room that the engine's flow control gives each station"},
      {"static", "exponential, share static, the engine's capacity as buffer"},
      {"paper", "exponential, share static, no buffer"},
      {"cycle", "constant: upper bound by the slowest station or host, share dynamic"},
      {"events", "constant: simulated event by event, with the room of 'as run' and the engine's choice of workers"},
  };
  return all;
}

skel::cost::line line_as_run(random_case const& it, move_times const& moves, std::size_t ranks) {
  auto line = plain_line(it, moves, share::dynamic, it.capacity);
  auto const program = skeleton_of(it);
  auto const plan = plan_of(it, ranks);
  std::size_t exit = 0;
  for (std::size_t i = 0; i < line.stations.size(); ++i) {
    std::size_t const s = i + 1;  // the source is no station of the model
    line.stations[i].buffer = static_cast<std::size_t>(room_per_worker(plan, s) + 0.5) - 1;
    if (program.stations[s].replicable || !program.stations[s - 1].replicable) continue;
    auto const farm = flow::region_around(program, s - 1);
    if (!farm.ordered) continue;
    std::size_t workers = 0;
    for (std::size_t inside = farm.entry + 1; inside < farm.exit; ++inside)
      workers += plan.stations[inside].ranks.size();
    line.stations[i].buffer = flow::window(plan, farm) - workers - 1;
    exit = i;
  }
  while (exit > 0 && line.stations[exit].buffer > it.capacity && skel::cost::count_states(line) > most_states)
    --line.stations[exit].buffer;
  return line;
}

std::vector<prediction> predict(random_case const& it, move_times const& moves, std::size_t ranks) {
  skel::cost::line_solver solver;
  auto const exact = [&](skel::cost::line const& line) { return solver.solve(line).throughput; };
  auto const pepa = plain_line(it, moves, share::dynamic, it.capacity);
  auto const as_run = line_as_run(it, moves, ranks);
  skel::cost::simulation_options events;
  events.fewest_first = true;
  return {
      {"pepa", exact(pepa)},
      {"as run", exact(as_run)},
      {"static", exact(plain_line(it, moves, share::fixed, it.capacity))},
      {"paper", exact(plain_line(it, moves, share::fixed, 0))},
      {"cycle", skel::cost::upper_bound(pepa)},
      {"events", skel::cost::simulate_line(as_run, events).throughput},
  };
}

double run_scatter(random_case const& it, move_times const& moves, std::size_t ranks, std::size_t items) {
  skel::cost::simulation_options events;
  events.services = skel::cost::times::exponential;
  events.fewest_first = true;
  events.items = 50 * items;
  auto const simulated = skel::cost::simulate_line(line_as_run(it, moves, ranks), events);
  double const measured = 0.9 * static_cast<double>(events.items);  // the simulation leaves out its first tenth
  return simulated.standard_error / simulated.throughput * std::sqrt(measured / static_cast<double>(items));
}

}  // namespace bench
