#include <limits>
#include <memory>
#include <string>

#include <skel/base/error.hpp>
#include <skel/cost/line_solver.hpp>
#include <skel/mapping/placement_search.hpp>

#include "branch_and_bound.hpp"
#include "local_search.hpp"

namespace skel::mapping {
namespace {

/// Relative width to which the climb wants to know throughputs.
inline constexpr double climb_gap = 1e-3;

}  // namespace

placement_price line_price(placement_problem const& problem) {
  auto solver = std::make_shared<cost::line_solver>();
  return [solver, program = problem.program, platform = problem.platform,
          options = problem.options](plan::placement const& where) {
    return solver->throughput(cost::make_line(program, where, platform, options));
  };
}

placement_answer place(placement_problem const& problem, search_options const& options) {
  if (problem.candidates) return exhaustive(problem, line_price(problem), options);
  auto const start = std::chrono::steady_clock::now();
  auto const out_of_time = [&] {
    return options.stop.stop_requested() ||
           (options.time_limit && std::chrono::steady_clock::now() - start >= *options.time_limit);
  };
  auto const choices = enumerate_choices(problem);
  if (auto const* none = std::get_if<infeasible>(&choices)) return *none;
  auto const& space = std::get<placement_space>(choices);
  detail::placement_tables const tables(problem);
  detail::host_symmetry const symmetry(problem);
  cost::line_solver solver;
  detail::ranking found(options.alternatives);
  auto const line_of = [&](plan::placement const& where) {
    return cost::make_line(problem.program, where, problem.platform, problem.options);
  };
  decision result;
  auto const climbed = detail::climb(
      tables,
      [&](plan::placement const& where, double enough) {
        return solver.enclose(line_of(where), climb_gap, enough).lower;
      },
      out_of_time);
  if (climbed) {
    found.add(symmetry.simplest(*climbed), solver.throughput(line_of(*climbed)));
    ++result.evaluated;
  }
  auto const outcome = detail::branch_and_bound(tables, space, symmetry, solver, found, out_of_time);
  result.evaluated += outcome.evaluated;
  if (found.empty())
    return infeasible{outcome.complete
                          ? "placement: no placement connects all hosts that must talk; add links between clusters"
                          : "placement: the search ended before it had priced any; give it more time"};
  found.hand_over(result);
  result.optimal = outcome.complete;
  result.bound = outcome.complete ? result.throughput : outcome.bound;
  return result;
}

}  // namespace skel::mapping
