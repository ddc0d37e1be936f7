#include "planner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <variant>

#include <skel/base/contract.hpp>
#include <skel/base/error.hpp>
#include <skel/cost/line.hpp>
#include <skel/cost/line_bounds.hpp>
#include <skel/cost/line_closure.hpp>
#include <skel/cost/line_simulation.hpp>
#include <skel/mapping/placement_search.hpp>

#include "copy_tree.hpp"

namespace skel {

namespace {

/// A source or sink that takes less than this share of the slowest stage's time is left out of the model, where it
/// would multiply the states: the time it adds to a cycle is at most this share, which is below the spread of measured
/// service times.
constexpr double negligible = 0.01;

/// The largest chain that a plan's forecast is solved on. With half as many states a line of single workers takes 5 ms,
/// farms of two and three 20 to 30 ms, a farm of five unlike workers alone a second, which is what planning may take
/// anyway (bench_constants forecast). Longer lines are solved by window closure, in windows of this many stations at
/// least.
constexpr double most_states = 3e4;
constexpr std::size_t least_window = 3;

/// Constant times fall into a cycle after few items; these take 1 to 2 ms to follow (bench_constants forecast).
constexpr std::size_t simulated_items = 5000;

/// Which stations of a line become stages of the model.
struct model_shape {
  patterns::shape shape;
  std::vector<std::size_t> station_of;  // per stage
  double batch = 1;
};

double work_of(runtime::station const& s, runtime::station_cost const& cost, double reference_speed) {
  return std::isnan(s.notes.work) ? cost.seconds * reference_speed : s.notes.work;
}

/// Whether it may have several workers: a farm's share the items, the copies of a broadcast stage the work of each.
/// With equal parts both take work / workers per item.
bool spreads(runtime::station const& s) {
  return s.replicable || s.copies != nullptr;
}

/// Items whose type cannot leave a rank keep the stations at both ends where the source is.
std::vector<bool> tied_to_source(runtime::program const& line) {
  std::vector<bool> tied(line.size(), false);
  for (std::size_t s = 1; s < line.size(); ++s)
    if (line.stations[s].input == nullptr) tied[s] = tied[s - 1] = true;
  return tied;
}

int source_rank(runtime::program const& line, processor_map const& processors) {
  auto const& at = line.stations.front().notes.at;
  if (at.empty()) return 0;
  auto const host = processors.platform.find_host(at.front());
  if (!host) throw error("the source is pinned to host '" + at.front() + "', which is not in the platform");
  return processors.rank_of[*host];
}

std::vector<std::string> hosts_of_rank(processor_map const& processors, int rank) {
  std::vector<std::string> names;
  for (std::size_t p = 0; p < processors.rank_of.size(); ++p)
    if (processors.rank_of[p] == rank) names.push_back(processors.platform.host_name(p));
  return names;
}

model_shape shape_of(runtime::program const& line, std::vector<runtime::station_cost> const& costs, double reference,
                     processor_map const& processors, run_settings const& settings) {
  std::size_t const n = line.size();
  std::vector<double> work(n);
  double slowest = 0, most_bytes = 1;
  for (std::size_t s = 0; s < n; ++s) {
    work[s] = work_of(line.stations[s], costs[s], reference);
    slowest = std::max(slowest, work[s]);
    most_bytes = std::max(most_bytes, costs[s].bytes);
  }
  model_shape out;
  double const by_time = slowest > 0 ? settings.batch_latency * reference / slowest : 1;
  out.batch =
      std::max(1.0, std::floor(std::min(by_time, static_cast<double>(plan::run_plan{}.batch_bytes) / most_bytes)));

  auto const tied = tied_to_source(line);
  auto const home = hosts_of_rank(processors, source_rank(line, processors));
  bool const many_ranks = processors.rank_of.back() != processors.rank_of.front();
  auto pin_of = [&](std::size_t s) {
    auto at = line.stations[s].notes.at;
    if (at.empty() && (s == 0 || s + 1 == n)) at = {home.front()};
    if (at.empty() && tied[s] && many_ranks)
      for (std::size_t w = 0; w < std::max<std::size_t>(1, spreads(line.stations[s]) ? home.size() : 1); ++w)
        at.push_back(home[w % home.size()]);
    return at;
  };
  for (std::size_t s = 0; s < n; ++s) {
    bool const end = s == 0 || s + 1 == n;
    if (end && work[s] <= negligible * slowest) {
      patterns::terminal terminal{pin_of(s).front(), costs[s == 0 ? 0 : n - 2].bytes * out.batch};
      (s == 0 ? out.shape.input : out.shape.output) = terminal;
      continue;
    }
    patterns::stage_shape stage;
    stage.name = line.stations[s].notes.name;
    stage.work = work[s] * out.batch;
    stage.output_bytes = costs[s].bytes * out.batch;
    stage.replicable = spreads(line.stations[s]);
    stage.ordered = line.stations[s].notes.ordered;
    stage.width = stage.replicable ? line.stations[s].notes.width : 1;
    stage.at = pin_of(s);
    out.shape.stages.push_back(std::move(stage));
    out.station_of.push_back(s);
  }
  return out;
}

/// Hosts that nobody shares need no dynamic share, and workers on such hosts that are alike need not be told apart.
bool is_shared(plan::placement const& where) {
  std::vector<plan::host_id> all;
  for (auto const& stage : where.stages) all.insert(all.end(), stage.begin(), stage.end());
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) != all.end();
}

/// How many states the chain of the widest window of a placed line has, without building it: 2k + 3 per worker,
/// multisets of them where equal workers are alike.
double widest_window(cost::line const& line) {
  std::vector<double> states;
  for (auto const& station : line.stations) {
    double here = 1;
    std::map<double, double> alike;
    for (auto const& w : station.workers) {
      double const before = line.sharing == cost::share::dynamic ? 0 : alike[w.rate]++;
      here *= (2 * static_cast<double>(station.buffer) + 3 + before) / (before + 1);
    }
    states.push_back(here);
  }
  double widest = 1;
  for (std::size_t first = 0; first < states.size(); ++first) {
    double window = 1;
    for (std::size_t s = first; s < std::min(first + least_window, states.size()); ++s) window *= states[s];
    widest = std::max(widest, window);
  }
  return widest;
}

/// The room that the search prices with: the run's, where all chains of placements are then small enough to solve many
/// of them; otherwise as much as leaves them so.
std::size_t searchable_room(patterns::shape const& shape, std::size_t processors, std::size_t capacity) {
  double workers = 0;
  for (auto const& stage : shape.stages)
    workers += !stage.replicable ? 1 : static_cast<double>(stage.width > 0 ? stage.width : processors);
  for (std::size_t room = capacity; room > 0; --room)
    if (std::pow(2 * static_cast<double>(room) + 3, workers) <= most_states / 10) return room;
  return 0;
}

/// The steady state of the placed program with the room that the run has, or as much of it as farms leave solvable.
std::pair<cost::line_estimate, std::string> solve(patterns::shape const& shape, plan::placement const& where,
                                                  platform::description const& platform, std::size_t capacity) {
  bool const shared = is_shared(where);
  for (std::size_t room = capacity;; --room) {
    auto const line = cost::make_line(
        shape, where, platform, {shared ? cost::share::dynamic : cost::share::fixed, cost::dispatch::on_demand, room});
    bool const fits = widest_window(line) <= most_states;
    if (!fits && room > 0) continue;
    std::string model =
        std::string("PEPA, ") + (shared ? "dynamic share" : "no host shared") + ", room for " + std::to_string(room);
    if (room < capacity) model += " (the run has " + std::to_string(capacity) + ", whose chain is too large)";
    if (!fits) {  // a farm of very many unlike workers
      cost::line_estimate rough;
      rough.throughput = cost::lower_bound(line);
      rough.stations.resize(line.stations.size());
      return {rough, "lower bound (the chain is too large to solve)"};
    }
    auto const found = cost::estimate_line(line, most_states);
    if (!found.exact) model += ", closure of " + std::to_string(found.window) + " stages";
    return {found, model};
  }
}

forecast forecast_of(model_shape const& model, runtime::program const& line,
                     std::vector<runtime::station_cost> const& costs, double reference, plan::placement const& where,
                     processor_map const& processors, run_settings const& settings) {
  forecast out;
  out.batch = model.batch;
  auto const [solution, name] = solve(model.shape, where, processors.platform, settings.capacity);
  auto const constant = cost::make_line(model.shape, where, processors.platform,
                                        {cost::share::dynamic, cost::dispatch::on_demand, settings.capacity});
  out.exponential = solution.throughput * model.batch;
  cost::simulation_options steady;
  steady.fewest_first = true;
  steady.items = simulated_items;
  out.deterministic =
      std::min(cost::upper_bound(constant), cost::simulate_line(constant, steady).throughput) * model.batch;
  out.model = name;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < model.shape.stages.size(); ++i) {
    station_forecast one;
    std::size_t const s = model.station_of[i];
    one.name = model.shape.stages[i].name;
    one.workers = where.stages[i].size();
    for (auto host : where.stages[i]) one.hosts.push_back(processors.platform.host_name(host));
    one.service_time = model.shape.stages[i].work / model.batch / reference;
    one.utilisation = solution.stations[i].busy;
    for (auto const& w : constant.stations[i].workers) one.capacity += w.rate * model.batch;
    if (one.capacity < least) {
      least = one.capacity;
      // A batch of b independent items has 1/b of the variation of one.
      out.variation = std::isnan(line.stations[s].notes.work) ? costs[s].variation / model.batch : 1 / model.batch;
    }
    out.stations.push_back(std::move(one));
  }
  // Two-moment blend: waiting grows linearly in the squared coefficient of variation (Kingman 1961).
  out.throughput = out.deterministic + out.variation * (out.exponential - out.deterministic);
  return out;
}

}  // namespace

processor_map processors_of(platform::description const& ranks, std::size_t rank_count, double unit) {
  if (ranks.host_count() != rank_count)
    throw error("the platform has " + std::to_string(ranks.host_count()) + " hosts but the program runs on " +
                std::to_string(rank_count) +
                " ranks: host i is rank i, so start as many ranks as there are hosts, or leave the "
                "platform out to have it probed");
  processor_map out;
  std::vector<platform::cluster> clusters;
  std::vector<platform::cluster_link> links;
  for (std::size_t h = 0; h < rank_count; ++h) {
    platform::cluster c;
    c.name = ranks.host_name(h);
    c.hosts = std::max<std::size_t>(1, ranks.cores(h));
    c.speed = ranks.speed(h) / unit;
    c.inside = ranks.path(h, h);
    c.local_latency = ranks.path(h, h).latency;
    clusters.push_back(c);
    out.rank_of.insert(out.rank_of.end(), c.hosts, static_cast<int>(h));
    for (std::size_t other = 0; other < rank_count; ++other)
      if (other != h && ranks.connected(h, other)) {
        platform::cluster_link l;
        l.from = h;
        l.to = other;
        l.path = ranks.path(h, other);
        links.push_back(l);
      }
  }
  out.platform = platform::description(ranks.local_latency(), std::move(clusters), std::move(links));
  return out;
}

planned_program make_plan(runtime::program const& line, std::vector<runtime::station_cost> const& costs,
                          double reference, processor_map const& processors, run_settings const& settings) {
  SKEL_EXPECTS(costs.size() == line.size());
  planned_program out;
  for (std::size_t p = 0; p < processors.rank_of.size(); ++p)
    out.processors.push_back(processors.platform.host_name(p));
  int const home = source_rank(line, processors);
  out.run.batch_latency = settings.batch_latency;
  out.run.stations.assign(line.size(), plan::station_plan{{home}, settings.capacity});
  if (line.size() == 2) {
    out.note = "a source and a sink without stages between them stay together";
    return out;
  }
  model_shape const model = shape_of(line, costs, reference, processors, settings);

  mapping::placement_problem problem;
  problem.program = model.shape;
  problem.platform = processors.platform;
  problem.options = {cost::share::dynamic, cost::dispatch::on_demand,
                     searchable_room(model.shape, processors.rank_of.size(), settings.capacity)};
  mapping::search_options search;
  search.time_limit = std::chrono::duration<double>(settings.planning_time);
  search.alternatives = 5;
  auto const answer = mapping::place(problem, search);
  if (auto const* none = std::get_if<mapping::infeasible>(&answer)) throw error("no placement: " + none->reason);
  out.decision = std::get<mapping::decision>(answer);
  for (std::size_t i = 0; i < model.station_of.size(); ++i) {
    auto& ranks = out.run.stations[model.station_of[i]].ranks;
    ranks.clear();
    for (auto host : out.decision.placement.stages[i]) ranks.push_back(processors.rank_of[host]);
    out.placed.push_back(model.shape.stages[i].name);
    std::size_t const s = model.station_of[i];
    if (line.stations[s].copies)
      choose_tree(out.run.stations[s], (costs[s - 1].bytes + costs[s].bytes) * model.batch, processors);
  }
  auto place_end = [&](std::size_t s, std::optional<patterns::terminal> const& terminal) {
    if (terminal) out.run.stations[s].ranks = {processors.rank_of[*processors.platform.find_host(terminal->at)]};
  };
  place_end(0, model.shape.input);
  place_end(line.size() - 1, model.shape.output);
  for (std::size_t s = 1; s < line.size(); ++s)
    if (line.stations[s].input == nullptr && processors.rank_of.back() != processors.rank_of.front())
      out.note = "items before '" + line.stations[s].notes.name +
                 "' cannot be sent to another rank (no serializer), so the stages on both sides stay with the source";
  out.expected = forecast_of(model, line, costs, reference, out.decision.placement, processors, settings);
  return out;
}

}  // namespace skel
