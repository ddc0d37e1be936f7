#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/stop_condition.hpp>
#include <skel/detail/cost/line_bounds.hpp>
#include <skel/detail/cost/line_closure.hpp>
#include <skel/detail/cost/line_simulation.hpp>
#include <skel/detail/cost/line_solver.hpp>
#include <skel/detail/mapping/placement_search.hpp>

#include "branch_and_bound.hpp"
#include "enough_hosts.hpp"
#include "local_search.hpp"
#include "row_planes.hpp"

namespace skel::mapping {
namespace {

/// Relative width to which the climb wants to know throughputs.
inline constexpr double climb_gap = 1e-3;
/// The search looks for runners-up among the winner's neighbours if its line has no more states: a millisecond each.
inline constexpr double neighbour_states = 20'000;
/// Longer pipelines are spread out and not climbed: a round of the climb prices stages * (stages + hosts) lines.
inline constexpr std::size_t longest_climb = 64;

/// A climb that cannot end in a proof ends after this long if there is no time limit [s].
inline constexpr std::chrono::duration<double> longest_unproven{10};

/// Rows of stations that bound lines of too many states: all narrow ones (81 states), then the slowest of wider ones
/// (59,049 states), and steps for their weights.
inline constexpr std::size_t narrow_row = 4, widest_row = 10, wide_rows = 4, row_steps = 200;
/// Bounds of the widest rows end when a round raises them less.
inline constexpr double least_rise = 1e-3;

/// Lines of more states, and windows of two, take too long to solve for every step of a climb: 10 ms.
inline constexpr double climbed_states = 60'000;

/// The exact throughput, or the closure's of a line that has too many states.
/// Throws skel::stopped when the condition is met, or when no window of the line can be closed.
double price_of(cost::line const& line, cost::line_solver& solver, stop_condition const& stop) {
  if (cost::count_states(line) <= exact_states) return solver.throughput(line);
  if (cost::states_of_pairs(line) > cost::closed_states)
    throw stopped("placement: no window of the line is small enough to be closed; give its farms fewer workers");
  return cost::estimate_line(line, exact_states, {.stop = stop}).throughput;
}

/// Price of a placement that was not priced in time.
struct cheap_price {
  double throughput = 0;
  std::string model{};  ///< empty: the exact one
};

/// Steps of a price when there is no time for it: a tenth of a second. A simulation looks at each worker and each move
/// at each event, in 5 ns.
inline constexpr double cheap_steps = 2.1e7;

/// The exact price if it costs milliseconds, otherwise a short simulation. With 20 items for each worker its standard
/// error is some percent; with fewer, if time is short, it is more. Lines of a thousand stations and more are closed in
/// a few rounds instead. If that takes too long, they are bounded from below. So are lines that fill buffers before any
/// item comes out.
cheap_price price_cheaply(cost::line const& line) {
  constexpr char const* why = " (the search was ended before this placement could be priced)";
  if (cost::count_states(line) <= neighbour_states) return {cost::line_solver().throughput(line)};
  std::size_t workers = 0;
  for (auto const& one : line.stations) workers += one.workers.size();
  std::size_t const events = 2 * line.stations.size() + 1;  // of an item: services and moves
  auto const affordable =
      static_cast<std::size_t>(cheap_steps / static_cast<double>(events * (workers + line.stations.size())));
  auto const items = std::min(std::max<std::size_t>(2000, 20 * workers), affordable);
  if (items >= std::max<std::size_t>(200, 2 * workers)) {
    // The first tenth of the items is not measured. Buffers that hold more would fill during most of the time. Smaller
    // ones give no more throughput.
    cost::line filled = line;
    for (auto& one : filled.stations) one.buffer = std::min(one.buffer, items / (10 * workers));
    auto const found = cost::simulate_line(filled, {.services = cost::times::exponential,
                                                    .moves = cost::times::exponential,
                                                    .items = items,
                                                    .most_events = (items + workers) * events});
    if (found.throughput > 0)
      return {found.throughput, print("simulation of up to %zu items, exponential times, standard error %.1f %%%s",
                                      items, 100 * found.standard_error / found.throughput, why)};
  }
  // A round is eight sweeps over each window, with some five transitions into each state. Before the first one, each
  // state of a window is written down worker by worker.
  std::size_t widest = 0;
  for (auto const& one : line.stations) widest = std::max(widest, one.workers.size());
  double const states = cost::states_of_pairs(line) * static_cast<double>(line.stations.size());
  double const rounds = (cheap_steps - states * static_cast<double>(widest)) / (40 * states);
  if (rounds >= 1) {
    cost::closure_options few;
    few.window = 2;
    few.bounds = false;
    few.max_rounds = static_cast<std::size_t>(rounds);
    return {cost::close_line(line, few).throughput,
            print("window closure, ended after %zu rounds%s", few.max_rounds, why)};
  }
  return {cost::lower_bound(line), std::string("lower bound: one item in the line at a time") + why};
}

stop_condition condition_of(search_options const& options) {
  using clock = stop_condition::clock;
  if (!options.time_limit) return options.stop;
  // A limit that the clock cannot count is none.
  auto const longest = std::chrono::duration<double>(clock::time_point::max() - clock::now()) / 2;
  if (*options.time_limit >= longest) return options.stop;
  return stop_condition(clock::now() + std::chrono::duration_cast<clock::duration>(*options.time_limit), options.stop);
}

class placer {
 public:
  placer(placement_problem const& problem, search_options const& options, stop_condition const& stop)
      : problem_(problem), stop_(stop), tables_(problem), symmetry_(problem), found_(options.alternatives) {}

  placement_answer run(placement_space const& space) {
    auto const start = detail::spread_out(tables_);
    bool const exact = space.complete && states_of(start) <= exact_states;
    if (exact && detail::supporting_planes::apply_to(problem_)) planes_.emplace(tables_);
    if (!exact && !stop_.has_deadline())
      stop_ = stop_condition(started_ + std::chrono::duration_cast<clock::duration>(longest_unproven), stop_.token());
    solver_ = cost::line_solver({.stop = stop_});
    std::optional<row_search> rows;
    std::optional<plan::placement> climbed;
    if (exact || !detail::are_event_graphs(problem_)) {
      price_early(start);
      if (exact || tables_.stages() <= longest_climb) climbed = climb();
    }
    if (!climbed) climbed = connected(problem_, start) ? start : detail::connect(tables_);
    if (climbed && !exact && detail::are_event_graphs(problem_)) {
      rows.emplace(row_search{detail::row_planes(tables_), hosts_of(*climbed)});
      search(*rows, half_of(stop_));  // the other half of the time is for prices
      climbed = plan::place_each(rows->where);
    }
    if (!climbed)
      return infeasible{"placement: no placement connects all hosts that must talk; add links between clusters"};
    add(*climbed);
    if (rows && connected(problem_, start)) add(start);
    cheap_price cheap;
    if (found_.empty()) {
      auto chosen = *climbed;
      cheap = price_cheaply(line_of(chosen));
      if (!cheap.model.empty() && chosen != start && connected(problem_, start))
        if (auto other = price_cheaply(line_of(start)); other.throughput > cheap.throughput)
          cheap = other, chosen = start;
      found_.add(symmetry_.simplest(chosen), cheap.throughput);
      ++evaluated_;
    }
    bool const estimated = !cheap.model.empty();
    detail::search_outcome outcome;
    if (exact && !estimated)
      outcome = detail::branch_and_bound(tables_, space, symmetry_, solver_, planes_ ? &*planes_ : nullptr, found_,
                                         [this] { return stop_.met(); });
    else
      outcome.bound = std::max(bound_of(rows), found_.best());
    if (!estimated) add_neighbours();
    decision result;
    found_.hand_over(result);
    result.evaluated = estimated ? 0 : evaluated_ + outcome.evaluated;
    result.optimal = outcome.complete;
    // The winner is the simplest of those that tie; rounding may give a runner-up more.
    result.bound = outcome.complete ? found_.best() : std::max(outcome.bound, found_.best());
    result.model = estimated ? cheap.model : model_name(problem_, exact);
    result.why = reason(result);
    return result;
  }

 private:
  using clock = stop_condition::clock;

  /// For a line of too many states: placements that are good by rows of its stations, and the bounds of these rows on
  /// all placements.
  struct row_search {
    detail::row_planes planes;
    std::vector<plan::host_id> where;
    std::size_t width = narrow_row;
    bool ended = false;
  };

  cost::line line_of(plan::placement const& where) const {
    return cost::make_line(problem_.program, where, problem_.platform, problem_.options);
  }

  static std::vector<plan::host_id> hosts_of(plan::placement const& where) {
    std::vector<plan::host_id> hosts;
    for (auto const& stage : where.stages) hosts.push_back(stage.front());
    return hosts;
  }

  stop_condition half_of(stop_condition const& whole) const {
    return stop_condition(started_ + (whole.deadline() - started_) / 2, whole.token());
  }

  /// The bound that is proven without solutions, in the time that is left.
  double bound_of(std::optional<row_search>& rows) {
    if (!rows) return tables_.root_bound();
    search(*rows, stop_);
    return std::min(tables_.root_bound(), 1 / rows->planes.least_time());
  }

  /// Also for a placement that is not connected.
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

  /// False when it could not be priced in time.
  bool add(plan::placement const& where) {
    try {
      found_.add(symmetry_.simplest(where), price_of(line_of(where), solver_, stop_));
    } catch (stopped const&) {
      return false;
    }
    ++evaluated_;
    return true;
  }

  /// Prices the start of a climb whose winner may leave no time for its price. Half of the time goes to that; the time
  /// that it took is then kept for the winner.
  void price_early(plan::placement const& start) {
    climb_stop_ = stop_;
    if (!connected(problem_, start) || states_of(start) <= neighbour_states) return;
    if (!stop_.has_deadline()) {
      add(start);
      return;
    }
    auto const whole = stop_;
    stop_ = half_of(whole);
    solver_ = cost::line_solver({.stop = stop_});
    bool const priced = add(start);
    stop_ = whole;
    solver_ = cost::line_solver({.stop = stop_});
    if (priced) climb_stop_ = stop_condition(whole.deadline() - (clock::now() - started_), whole.token());
  }

  /// Looks for better placements and bounds until gains are slow.
  void search(row_search& rows, stop_condition const& stop) {
    cost::line_solver solver({.stop = stop});
    auto& planes = rows.planes;
    auto const climb_from = [&](std::vector<plan::host_id> const& other) {
      if (auto next = planes.climb(other, stop); planes.time(next) < planes.time(rows.where))
        rows.where = std::move(next);
    };
    while (!rows.ended && !stop.met()) {
      std::size_t const most = rows.width == narrow_row ? tables_.stages() : wide_rows;
      double const before = planes.least_time();
      if (!planes.touch(cost::relax(line_of(plan::place_each(rows.where))), rows.width, most, solver)) return;
      climb_from(rows.where);
      auto const mixture = planes.improve(row_steps, planes.time(rows.where), stop);
      if (!planes.met().empty()) climb_from(planes.met());
      if (mixture.stations.empty() || !planes.touch(mixture, rows.width, most, solver)) return;
      rows.ended = rows.width >= widest_row && planes.least_time() < before * (1 + least_rise);
      rows.width = std::min(rows.width + 2, widest_row);
    }
  }

  std::optional<plan::placement> climb() {
    return detail::climb(
        tables_,
        [this](plan::placement const& where, double enough) {
          try {
            return rough_price(where, enough);
          } catch (stopped const&) {
            return 0.0;
          }
        },
        [this] { return climb_stop_.met(); });
  }

  double rough_price(plan::placement const& where, double enough) {
    if (excluded(where, enough)) return 0;
    auto const line = line_of(where);
    if (planes_) {
      if (enough == 0) planes_->touch(cost::relax(line), solver_);  // where a climb starts
      return solver_.enclose(line, climb_gap, enough).lower;
    }
    if (cost::count_states(line) <= climbed_states) return solver_.enclose(line, climb_gap, enough).lower;
    if (cost::states_of_pairs(line) > climbed_states) return cost::upper_bound(line);
    cost::closure_options rough;
    rough.window = 2;
    rough.tolerance = climb_gap;
    rough.solver.stop = climb_stop_;
    rough.bounds = false;
    return cost::close_line(line, rough).throughput;
  }

  /// True if the planes bound the throughput of a placement below `enough`.
  bool excluded(plan::placement const& where, double enough) {
    if (!planes_) return false;
    return planes_->bound(hosts_of(where), enough) < enough;
  }

  void add_neighbours() {
    auto const winner = found_.winner().placement;
    if (cost::count_states(line_of(winner)) > neighbour_states) return;
    detail::for_each_neighbour(problem_, winner, [&](plan::placement const& where) {
      if (stop_.met()) return false;
      if (connected(problem_, where) && !excluded(where, found_.least_kept()) &&
          cost::count_states(line_of(where)) <= neighbour_states)
        add(where);
      return true;
    });
  }

  std::string reason(decision const& chosen) const {
    std::string text = to_string(chosen.placement, problem_.platform);
    if (chosen.evaluated == 0) {
      text.append(" was estimated; the search was ended before it had priced any placement");
    } else {
      text.append(chosen.optimal ? " has the highest throughput of all placements, which was proven by solving "
                                 : " has the highest throughput of the placements that were found by solving ");
      text.append(std::to_string(chosen.evaluated)).append(chosen.evaluated == 1 ? " of them" : " of them exactly");
    }
    return text.append(".");
  }

  placement_problem const& problem_;
  clock::time_point started_ = clock::now();
  stop_condition stop_, climb_stop_{};
  detail::placement_tables tables_;
  detail::host_symmetry symmetry_;
  cost::line_solver solver_{};
  std::optional<detail::supporting_planes> planes_;
  detail::ranking found_;
  std::size_t evaluated_ = 0;
};

/// The best of the candidates. If the search ends early, closed forms bound those that are left. If none was priced,
/// the one with the highest bound is the answer.
placement_answer choose(placement_problem const& problem, search_options const& options) {
  auto answer = exhaustive(problem, line_price(problem, condition_of(options)), options);
  auto* chosen = std::get_if<decision>(&answer);
  if (chosen && chosen->optimal) return answer;
  double highest = 0;
  decision cheap;
  for (auto const& where : *problem.candidates) {
    if (!connected(problem, where)) continue;
    double const bound = cost::upper_bound(cost::make_line(problem.program, where, problem.platform, problem.options));
    if (bound > highest) highest = bound, cheap.placement = where;
  }
  if (chosen) {
    chosen->bound = std::max(highest, chosen->throughput);
    return answer;
  }
  if (highest == 0) return answer;
  auto const price =
      price_cheaply(cost::make_line(problem.program, cheap.placement, problem.platform, problem.options));
  bool const estimated = !price.model.empty();
  cheap.throughput = price.throughput;
  cheap.evaluated = estimated ? 0 : 1;
  cheap.optimal = !estimated && problem.candidates->size() == 1;
  cheap.bound = cheap.optimal ? cheap.throughput : std::max(highest, cheap.throughput);
  cheap.model = estimated ? price.model : model_name(problem);
  cheap.why = to_string(cheap.placement, problem.platform) +
              (estimated ? " was estimated; the search was ended before it had priced any candidate."
                         : " was the only placement that was priced when the search was ended.");
  return cheap;
}

}  // namespace

placement_price line_price(placement_problem const& problem, stop_condition const& stop) {
  auto solver = std::make_shared<cost::line_solver>(cost::line_solver_options{.stop = stop});
  return [solver, stop, program = problem.program, platform = problem.platform,
          options = problem.options](plan::placement const& where) {
    return price_of(cost::make_line(program, where, platform, options), *solver, stop);
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
  if (problem.candidates) return choose(problem, options);
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
  return placer(problem, options, condition_of(options)).run(std::get<placement_space>(choices));
}

}  // namespace skel::mapping
