#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <skel/base/error.hpp>
#include <skel/cost/line_bounds.hpp>
#include <skel/cost/line_closure.hpp>
#include <skel/cost/line_solver.hpp>
#include <skel/mapping/placement_search.hpp>

#include "branch_and_bound.hpp"
#include "enough_hosts.hpp"
#include "local_search.hpp"

namespace skel::mapping {
namespace {

/// Relative width to which the climb wants to know throughputs.
inline constexpr double climb_gap = 1e-3;
/// Runners-up are looked for among the winner's neighbours when its line has no more states: a millisecond each.
inline constexpr double neighbour_states = 20'000;
/// Longer pipelines are spread out and not climbed: a round of the climb prices stages * (stages + hosts) lines.
inline constexpr std::size_t longest_climb = 64;

/// A climb that cannot end in a proof ends after this long where no time limit is given [s].
inline constexpr std::chrono::duration<double> longest_unproven{10};

class placer {
 public:
  placer(placement_problem const& problem, search_options const& options)
      : problem_(problem), options_(options), tables_(problem), symmetry_(problem), found_(options.alternatives) {}

  placement_answer run(placement_space const& space) {
    decision result;
    auto const start = detail::spread_out(tables_);
    bool const exact = space.complete && states_of(start) <= exact_states;
    if (exact && detail::supporting_planes::apply_to(problem_)) planes_.emplace(tables_);
    if (!exact && !limit_) limit_ = longest_unproven;
    if (auto const climbed = exact || tables_.stages() <= longest_climb ? climb() : start; climbed) {
      if (connected(problem_, *climbed)) add(*climbed);
    }
    detail::search_outcome outcome;
    if (exact) {
      outcome = detail::branch_and_bound(tables_, space, symmetry_, solver_, planes_ ? &*planes_ : nullptr, found_,
                                         [this] { return out_of_time(); });
    } else {
      outcome.bound = std::max(tables_.root_bound(), found_.best());
    }
    if (found_.empty())
      return infeasible{outcome.complete
                            ? "placement: no placement connects all hosts that must talk; add links between clusters"
                            : "placement: the search ended before it had priced any; give it more time"};
    add_neighbours();
    found_.hand_over(result);
    result.evaluated = evaluated_ + outcome.evaluated;
    result.optimal = outcome.complete;
    result.bound = outcome.complete ? result.throughput : std::max(outcome.bound, result.throughput);
    result.model = model_name(problem_, exact);
    result.why = reason(result);
    return result;
  }

 private:
  bool out_of_time() const {
    return options_.stop.stop_requested() || (limit_ && std::chrono::steady_clock::now() - start_ >= *limit_);
  }

  cost::line line_of(plan::placement const& where) const {
    return cost::make_line(problem_.program, where, problem_.platform, problem_.options);
  }

  /// Also of a placement that is not connected.
  double states_of(plan::placement const& where) const {
    cost::line line{
        {}, std::vector<double>(tables_.stages() + 1, 1.0), problem_.options.sharing, problem_.options.farms};
    for (std::size_t i = 0; i < tables_.stages(); ++i) {
      cost::station one{{}, {}, problem_.options.buffer};
      for (auto h : where.stages[i]) one.workers.push_back({1 / tables_.service(i, h), h});
      line.stations.push_back(std::move(one));
    }
    return cost::count_states(line);
  }

  double price(plan::placement const& where) {
    auto const line = line_of(where);
    return cost::count_states(line) <= exact_states ? solver_.throughput(line)
                                                    : cost::estimate_line(line, exact_states).throughput;
  }

  void add(plan::placement const& where) {
    found_.add(symmetry_.simplest(where), price(where));
    ++evaluated_;
  }

  std::optional<plan::placement> climb() {
    return detail::climb(
        tables_,
        [this](plan::placement const& where, double enough) {
          if (excluded(where, enough)) return 0.0;
          auto const line = line_of(where);
          if (planes_ && enough == 0) planes_->touch(cost::relax(line), solver_);  // where a climb starts
          if (cost::count_states(line) <= exact_states) return solver_.enclose(line, climb_gap, enough).lower;
          cost::closure_options rough;
          rough.window = 2;
          rough.tolerance = climb_gap;
          return cost::close_line(line, rough).throughput;
        },
        [this] { return out_of_time(); });
  }

  /// Do the planes bound the throughput of a placement below `enough`?
  bool excluded(plan::placement const& where, double enough) {
    if (!planes_) return false;
    std::vector<plan::host_id> hosts;
    for (auto const& stage : where.stages) hosts.push_back(stage.front());
    return planes_->bound(hosts, enough) < enough;
  }

  void add_neighbours() {
    auto const winner = found_.winner().placement;
    if (cost::count_states(line_of(winner)) > neighbour_states) return;
    detail::for_each_neighbour(problem_, winner, [&](plan::placement const& where) {
      if (connected(problem_, where) && !excluded(where, found_.least_kept()) &&
          cost::count_states(line_of(where)) <= neighbour_states)
        add(where);
      return !out_of_time();
    });
  }

  std::string reason(decision const& chosen) const {
    std::string text = to_string(chosen.placement, problem_.platform);
    if (chosen.optimal)
      text.append(" has the highest throughput of all placements, which was proven by solving ");
    else
      text.append(" has the highest throughput of the placements that were found by solving ");
    text.append(std::to_string(chosen.evaluated)).append(chosen.evaluated == 1 ? " of them" : " of them exactly");
    if (!chosen.optimal)
      text.append("; no placement can have more than ").append(std::to_string(chosen.bound)).append(" items/s");
    return text.append(".");
  }

  placement_problem const& problem_;
  search_options const& options_;
  std::optional<std::chrono::duration<double>> limit_ = options_.time_limit;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  detail::placement_tables tables_;
  detail::host_symmetry symmetry_;
  cost::line_solver solver_{};
  std::optional<detail::supporting_planes> planes_;
  detail::ranking found_;
  std::size_t evaluated_ = 0;
};

}  // namespace

placement_price line_price(placement_problem const& problem) {
  auto solver = std::make_shared<cost::line_solver>();
  return [solver, program = problem.program, platform = problem.platform,
          options = problem.options](plan::placement const& where) {
    auto const line = cost::make_line(program, where, platform, options);
    return cost::count_states(line) <= exact_states ? solver->throughput(line)
                                                    : cost::estimate_line(line, exact_states).throughput;
  };
}

std::string model_name(placement_problem const& problem, bool exact) {
  auto const& options = problem.options;
  std::string text = exact ? "exact steady state" : "window closure";
  text.append(" of the exponential line, ");
  text.append(options.sharing == cost::share::fixed ? "fixed" : "dynamic").append(" share, farms ");
  text.append(options.farms == cost::dispatch::on_demand ? "on demand" : "in turn");
  return text.append(", buffer ").append(std::to_string(options.buffer));
}

placement_answer place(placement_problem const& problem, search_options const& options) {
  if (problem.candidates) return exhaustive(problem, line_price(problem), options);
  if (auto const reason = detail::too_wide(problem.program)) return infeasible{*reason};
  if (auto const smaller = detail::keep_enough_hosts(problem)) {
    placement_answer answer = place(smaller->problem, options);
    if (auto* chosen = std::get_if<decision>(&answer)) {
      chosen->placement = smaller->restore(chosen->placement);
      for (auto& other : chosen->alternatives) other.placement = smaller->restore(other.placement);
    }
    return answer;
  }
  if (auto const reason = detail::too_many_hosts(problem)) return infeasible{*reason};
  auto const choices = enumerate_choices(problem);
  if (auto const* none = std::get_if<infeasible>(&choices)) return *none;
  return placer(problem, options).run(std::get<placement_space>(choices));
}

}  // namespace skel::mapping
