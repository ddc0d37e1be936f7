#include <algorithm>
#include <string>

#include <skel/detail/base/number.hpp>
#include <skel/detail/cost/line_bounds.hpp>
#include <skel/detail/cost/line_closure.hpp>
#include <skel/detail/cost/line_solver.hpp>
#include <skel/detail/mapping/placement_search.hpp>

namespace skel::mapping {
namespace {

std::string percent(double share) {
  return fixed(100 * share, 1).append(" %");
}

/// Lines of no more states are solved in milliseconds, and so are windows.
inline constexpr double quick_states = 20'000;

/// A move or stage and the share of the time per item that its rate decides.
struct limit {
  std::string what;
  double elasticity = 0;
};

std::vector<limit> limits_of(cost::line const& line, cost::line_sensitivity const& slopes) {
  std::vector<limit> result;
  auto const count = line.stations.size();
  for (std::size_t i = 0; i <= count; ++i) {
    std::string what = "the move ";
    if (i == 0)
      what.append("into '").append(line.stations[0].name).append("'");
    else if (i == count)
      what.append("out of '").append(line.stations[count - 1].name).append("'");
    else
      what.append("from '")
          .append(line.stations[i - 1].name)
          .append("' to '")
          .append(line.stations[i].name)
          .append("'");
    result.push_back({what, slopes.moves[i] * line.moves[i] / slopes.throughput});
  }
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (std::size_t w = 0; w < line.stations[i].workers.size(); ++w)
      sum += slopes.workers[i][w] * line.stations[i].workers[w].rate;
    result.push_back({std::string("stage '").append(line.stations[i].name).append("'"), sum / slopes.throughput});
  }
  std::sort(result.begin(), result.end(), [](auto const& a, auto const& b) { return a.elasticity > b.elasticity; });
  return result;
}

/// Appends the limit of the line, from the exact solution or else from the closure. Gives the loads of its stations, or
/// nothing when both would take too long.
std::vector<cost::station_load> explain_line(cost::line const& line, stop_condition const& stop, std::string& text) {
  double const states = cost::count_states(line);
  // Solutions of milliseconds are not stopped.
  auto const patience = [&](double size) { return size <= quick_states ? stop_condition() : stop; };
  if (states <= exact_states) try {
      cost::line_solver solver({.stop = patience(states)});
      auto const limits = limits_of(line, solver.sensitivity(line));
      auto loads = solver.solve(line).stations;
      text.append("bottleneck: ").append(limits[0].what).append(" (its rate decides ");
      text.append(percent(limits[0].elasticity)).append(" of the time per item)");
      if (limits.size() > 1)
        text.append(", then ").append(limits[1].what).append(" (").append(percent(limits[1].elasticity)).append(")");
      text.append("\n");
      return loads;
    } catch (stopped const&) {
    }
  double const most = cost::states_of_pairs(line);
  if (line.stations.size() > 2 && most <= cost::closed_states) try {
      cost::closure_options rough;
      rough.window = 2;
      rough.bounds = false;
      rough.solver.stop = patience(most);
      auto loads = cost::close_line(line, rough).stations;
      auto const busiest =
          std::max_element(loads.begin(), loads.end(), [](auto const& a, auto const& b) { return a.busy < b.busy; });
      text.append("busiest: stage '").append(line.stations[static_cast<std::size_t>(busiest - loads.begin())].name);
      text.append("' (").append(percent(busiest->busy)).append(" of the time, by window closure)\n");
      return loads;
    } catch (stopped const&) {
    }
  text.append("bottleneck: not known; it would take longer than the time that is left\n");
  return {};
}

}  // namespace

std::string explain(placement_problem const& problem, decision const& chosen, stop_condition const& stop) {
  auto const line = cost::make_line(problem.program, chosen.placement, problem.platform, problem.options);
  std::string text = chosen.why;
  text.append("\npredicted: ").append(shown(chosen.throughput)).append(" items/s");
  if (!chosen.optimal) text.append(", proven bound ").append(shown(chosen.bound));
  text.append("; model: ").append(chosen.model).append("\n");

  auto const loads = explain_line(line, stop, text);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    text.append("  '").append(line.stations[i].name).append("' on ");
    for (std::size_t w = 0; w < chosen.placement.stages[i].size(); ++w)
      text.append(w > 0 ? "+" : "").append(problem.platform.host_name(chosen.placement.stages[i][w]));
    text.append(": busy ").append(percent(loads[i].busy)).append(", starved ").append(percent(loads[i].starved));
    text.append(", blocked ").append(percent(loads[i].blocked)).append("\n");
  }
  if (!chosen.alternatives.empty()) text.append("runners-up:\n");
  for (auto const& other : chosen.alternatives) {
    double const loss = 1 - other.throughput / chosen.throughput;
    text.append("  ")
        .append(to_string(other.placement, problem.platform))
        .append(": ")
        .append(shown(other.throughput));
    text.append(loss <= tie_tolerance ? std::string(" (tie)") : std::string(" (-").append(percent(loss)).append(")"))
        .append("\n");
  }
  return text;
}

}  // namespace skel::mapping
