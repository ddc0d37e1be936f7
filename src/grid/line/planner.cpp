#include "planner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/base/threads.hpp>
#include <skel/detail/cost/line.hpp>
#include <skel/detail/cost/line_bounds.hpp>
#include <skel/detail/cost/line_closure.hpp>
#include <skel/detail/cost/line_simulation.hpp>
#include <skel/detail/cost/shared_cores.hpp>
#include <skel/detail/mapping/move_decider.hpp>
#include <skel/detail/mapping/placement_search.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/host_load.hpp>
#include <skel/detail/platform/host_probe.hpp>

#include "plan_steps.hpp"
#include "program_history.hpp"

namespace skel {

namespace {

/// A source or sink that takes less than this share of the slowest stage's time is left out of the model, where it
/// would multiply the states. It adds at most this share to a cycle, which is below the spread of measured service
/// times.
constexpr double negligible = 0.01;

/// The largest chain that a plan's forecast is solved on. With half as many states a line of single workers takes 5 ms,
/// and farms of two and three take 20 to 30 ms. A farm of five unlike workers alone takes a second, the limit of
/// planning anyway (bench_constants forecast). Longer lines are solved by window closure, in windows of this many
/// stations at least.
constexpr double most_states = 3e4;
constexpr std::size_t least_window = 3;

/// Two equal stations of exponential times with room k between them run at (k + 2) / (k + 3) of their rate. So more
/// room than this adds a negligible part.
constexpr auto most_room = static_cast<std::size_t>(1 / negligible);

/// Constant times fall into a cycle after few items; these take 1 to 2 ms to follow (bench_constants forecast). More
/// room than for all of them changes nothing.
constexpr std::size_t simulated_items = 5000;

/// Losers of the search that are kept, for the report.
constexpr std::size_t most_told = 5;

/// The stations of a line that become stages of the model.
struct model_shape {
  skeletons::shape shape;
  std::vector<std::size_t> station_of;  // per stage
  std::vector<double> waiting;          // per stage: share of its work in which it needs no core
  std::vector<bool> widens;             // per stage: a farm without a stated number or place of its workers
  double batch = 1;
};

/// The program as placements are searched for. A stage that waits for something else than a core takes as much of a
/// processor as it computes. No placement makes it wait less. A farm that waits wins by workers beyond its cores
/// (widen).
skeletons::shape searched(model_shape const& model) {
  skeletons::shape shape = model.shape;
  for (std::size_t i = 0; i < shape.stages.size(); ++i) shape.stages[i].work *= 1 - model.waiting[i];
  return shape;
}

/// The search moves stages away from processors that leave. Stages that are pinned there stay as fast as they are.
void keep_from_leaving(mapping::placement_problem& problem, std::vector<bool> const& leaving) {
  if (leaving.empty()) return;
  auto const& all = problem.platform;
  auto clusters = all.clusters();
  for (std::size_t p = leaving.size(); p-- > 0;)  // those of a rank, which leave together, are a cluster
    if (leaving[p]) clusters[all.cluster_of(p)].speed = all.speed(p) * mapping::leaving_speed;
  for (auto& stage : problem.program.stages)
    if (!stage.at.empty() &&
        std::ranges::all_of(stage.at, [&](std::string const& name) { return leaving[*all.find_host(name)]; }))
      stage.work *= mapping::leaving_speed;
  problem.platform = platform::description(all.local_latency(), std::move(clusters), all.links(), all.parameters());
}

/// If others use cores, processors are as fast as they are when all cores of their domain are used.
void slow_down_beside_others(mapping::placement_problem& problem, processor_map const& processors) {
  if (processors.others.empty()) return;
  auto const& all = problem.platform;
  auto clusters = all.clusters();
  for (std::size_t p = 0; p < processors.rank_of.size(); ++p) {  // those of a rank, of one domain, are a cluster
    std::size_t const d = processors.domain_of[p];
    auto const n = static_cast<double>(processors.cores[d]);
    if (d < processors.others.size())
      clusters[all.cluster_of(p)].speed = all.speed(p) / cost::crowding(n + processors.others[d].others, n);
  }
  problem.platform = platform::description(all.local_latency(), std::move(clusters), all.links(), all.parameters());
}

/// Per item of the source.
double work_of(runtime::station const& s, runtime::station_cost const& cost, double reference_speed) {
  if (std::isnan(s.notes.work)) return cost.seconds * reference_speed;
  return s.renumbered ? s.notes.work * cost.takes : s.notes.work;
}

/// The types of items that cannot leave a rank, and the stages that take such items.
std::map<std::string, std::vector<std::string>> types_that_stay(runtime::program const& line) {
  std::map<std::string, std::vector<std::string>> stages_of;
  for (std::size_t s = 1; s < line.size(); ++s)
    if (auto const& station = line.stations[s]; station.input == nullptr)
      stages_of[printable(type_name(*station.item), longest_name)].push_back(station.notes.name);
  return stages_of;
}

/// "'a'", "'a' and 'b'", "'a', 'b' and 'c'".
std::string in_words(std::vector<std::string> const& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "'" : i + 1 < names.size() ? ", '" : " and '") + names[i] + "'";
  return text;
}

int source_rank(runtime::program const& line, processor_map const& processors) {
  auto const& at = line.stations.front().notes.at;
  if (at.empty()) return 0;
  auto const rank = processors.find_rank(at.front());
  if (!rank) throw error("the source is pinned to host '" + at.front() + "', which is not in the platform");
  return *rank;
}

bool has(std::vector<int> const& ranks, int rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

std::vector<std::string> hosts_of_ranks(processor_map const& processors, std::vector<int> const& ranks) {
  std::vector<std::string> names;
  for (std::size_t p = 0; p < processors.rank_of.size(); ++p)
    if (has(ranks, processors.rank_of[p])) names.push_back(processors.platform.host_name(p));
  return names;
}

/// Pins of a farm's workers: the name of a host means the processors of its ranks, in turn, of `stays` alone where that
/// is one of them.
std::vector<std::string> processors_named(std::vector<std::string> names, processor_map const& processors,
                                          std::optional<int> stays) {
  std::map<std::string, std::size_t> met;
  for (auto& name : names) {
    if (processors.platform.find_host(name)) continue;
    auto const ranks = processors.find_ranks(name);
    auto const own = hosts_of_ranks(processors, stays && has(ranks, *stays) ? std::vector{*stays} : ranks);
    if (own.empty()) continue;  // none that is known
    auto const turn = met[name]++;
    name = own[turn % own.size()];
  }
  return names;
}

/// Serial stations that have to be on some ranks: the greatest work first, each goes to the processor of those ranks
/// that has least so far. Source: Graham 1969, SIAM J. Appl. Math. 17(2):416-429 (longest processing time first).
std::vector<std::string> spread_over_ranks(std::vector<double> const& work, std::vector<std::vector<int>> const& ranks,
                                           processor_map const& processors) {
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < work.size(); ++s)
    if (!ranks[s].empty()) order.push_back(s);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return work[a] > work[b]; });
  std::vector<double> load(processors.rank_of.size(), 0);
  std::vector<std::string> names(work.size());
  for (std::size_t s : order) {
    std::size_t best = load.size();
    for (std::size_t p = 0; p < load.size(); ++p)
      if (has(ranks[s], processors.rank_of[p]) && (best == load.size() || load[p] < load[best])) best = p;
    SKEL_EXPECTS(best < load.size());
    load[best] += work[s];
    names[s] = processors.platform.host_name(best);
  }
  return names;
}

model_shape shape_of(runtime::program const& line, std::vector<runtime::station_cost> const& costs, double reference,
                     processor_map const& processors, std::vector<std::optional<int>> const& state_on,
                     run_settings const& settings) {
  std::size_t const n = line.size();
  std::vector<double> work(n);
  double slowest = 0, most_bytes = 1;
  for (std::size_t s = 0; s < n; ++s) {
    work[s] = work_of(line.stations[s], costs[s], reference);
    if (s > 0 && line.stations[s - 1].folds_in_farm()) continue;  // takes no items, but the results of a farm
    if (line.stations[s].folds_in_farm() && !std::isnan(line.stations[s].notes.work))
      work[s] += work_of(line.stations[s + 1], costs[s + 1], reference);  // the measured time includes it
    slowest = std::max(slowest, work[s]);
    if (!line.stations[s].folds_in_farm()) most_bytes = std::max(most_bytes, costs[s].bytes);
  }
  model_shape out;
  double const by_time = slowest > 0 ? settings.batch_latency * reference / slowest : 1;
  out.batch =
      std::max(1.0, std::floor(std::min(by_time, static_cast<double>(plan::run_plan{}.batch_bytes) / most_bytes)));

  // Folds of a farm's workers give one item for a batch, or some, or none before the stream ends.
  auto const given = [&](std::size_t s) {
    auto const& station = line.stations[s];
    return !station.folds_in_farm() ? out.batch
           : station.gives_at_end   ? 0.0
           : station.gives_blocks   ? runtime::mean_blocks(out.batch)
                                    : 1.0;
  };

  auto const tied = tied_to_source(line);
  int const source = source_rank(line, processors);
  auto const home = hosts_of_ranks(processors, {source});
  std::vector<std::vector<int>> ranks_of(n);  // of which a serial station has to be on one
  for (std::size_t s = 0; s < n; ++s) {
    auto const& station = line.stations[s];
    if (spreads(station)) continue;
    bool const end = s == 0 || s + 1 == n;
    auto const stays = end || tied[s] ? source : state_on[s];
    if (station.notes.at.size() == 1 && !processors.platform.find_host(station.notes.at.front())) {
      auto& pinned = ranks_of[s] = processors.find_ranks(station.notes.at.front());
      if (stays && has(pinned, *stays)) pinned = {*stays};
      if (end && pinned.size() > 1)
        pinned.erase(pinned.begin() + 1, pinned.end());  // the same one in every run, as long as ranks are the same
    }
    if (!station.notes.at.empty() || processors.one_rank()) continue;
    if (stays) ranks_of[s] = {*stays};
  }
  auto const spread = spread_over_ranks(work, ranks_of, processors);
  auto pin_of = [&](std::size_t s) -> std::vector<std::string> {
    if (!ranks_of[s].empty()) return {spread[s]};
    if (!line.stations[s].notes.at.empty())
      return processors_named(line.stations[s].notes.at, processors, tied[s] ? std::optional(source) : std::nullopt);
    if (tied[s] && spreads(line.stations[s]) && !processors.one_rank()) return home;
    return {};
  };
  auto const end_of = [&](std::size_t s) {
    if (!ranks_of[s].empty()) return spread[s];
    auto const& at = line.stations[s].notes.at;
    return at.empty() ? home.front() : at.front();
  };
  for (std::size_t s = 0; s < n; ++s) {
    bool const end = s == 0 || s + 1 == n;
    if (end && work[s] <= negligible * slowest) {
      skeletons::terminal terminal{end_of(s), costs[s == 0 ? 0 : n - 2].bytes * out.batch};
      (s == 0 ? out.shape.input : out.shape.output) = terminal;
      continue;
    }
    skeletons::stage_shape stage;
    stage.name = line.stations[s].notes.name;
    stage.work = work[s] * (s == 0 ? out.batch : given(s - 1));
    stage.output_bytes = costs[s].bytes * given(s);
    stage.replicable = spreads(line.stations[s]);
    stage.ordered = line.stations[s].notes.ordered;
    stage.width = stage.replicable ? line.stations[s].notes.width : 1;
    stage.at = pin_of(s);
    out.station_of.push_back(s);
    // Copies of a broadcast stage share the work of each item, so that one waits no less where there are more.
    bool const copies = line.stations[s].copies != nullptr;
    out.waiting.push_back(std::isnan(line.stations[s].notes.work) && !copies ? costs[s].waiting : 0);
    out.widens.push_back(stage.replicable && !copies && stage.width == 0 && stage.at.empty());
    out.shape.stages.push_back(std::move(stage));
  }
  return out;
}

/// Hosts of single workers need no dynamic share, and workers on such hosts that are alike need not be told apart.
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

/// The room that the search prices with. It is the run's, if all chains of placements are then small enough to solve
/// many of them; otherwise the largest room that keeps them so.
std::size_t searchable_room(skeletons::shape const& shape, std::size_t processors, std::size_t capacity) {
  double workers = 0;
  for (auto const& stage : shape.stages)
    workers += !stage.replicable ? 1 : static_cast<double>(stage.width > 0 ? stage.width : processors);
  for (std::size_t room = std::min(capacity, most_room); room > 0; --room)
    if (std::pow(2 * static_cast<double>(room) + 3, workers) <= most_states / 10) return room;
  return 0;
}

/// The steady state of the placed program with the room that the run has, or as much of it as farms leave solvable.
std::pair<cost::line_estimate, std::string> solve(skeletons::shape const& shape, plan::placement const& where,
                                                  platform::description const& platform, std::size_t capacity) {
  bool const shared = is_shared(where);
  for (std::size_t room = std::min(capacity, most_room);; --room) {
    auto const line = cost::make_line(
        shape, where, platform, {shared ? cost::share::dynamic : cost::share::fixed, cost::dispatch::on_demand, room});
    bool const fits = widest_window(line) <= most_states;
    if (!fits && room > 0) continue;
    std::string model =
        std::string("PEPA, ") + (shared ? "dynamic share" : "no host shared") + ", room for " + std::to_string(room);
    if (room < capacity)
      model += " (the run has " + std::to_string(capacity) +
               (room < most_room ? ", whose chain is too large)" : ", which is hardly more)");
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

/// The most workers of a farm that waits. Following simulated_items through so many takes 40 ms (bench_constants
/// forecast), a tenth of what planning may take.
constexpr double most_waiting_workers = 256;

/// How many workers a farm that waits may have: most_waiting_workers at most. The ranks of a host together take at most
/// half of the threads that limits leave. Workers hold at most a tenth of the memory that can be had, or that the run
/// may take. Each holds the batches that wait before it, one in work and its result.
double most_workers_beside(model_shape const& model, processor_map const& processors, run_settings const& settings) {
  bool waits = false;
  double largest = model.shape.input ? model.shape.input->bytes : 0;
  for (std::size_t i = 0; i < model.widens.size(); ++i) {
    waits = waits || (model.widens[i] && model.waiting[i] > negligible);
    largest = std::max(largest, model.shape.stages[i].output_bytes);
  }
  if (!waits) return 1;
  double most = most_waiting_workers;
  if (auto const left = threads_left()) {
    std::map<std::size_t, std::set<int>> ranks;  // per domain of cores
    std::size_t together = 1;
    for (std::size_t p = 0; p < processors.rank_of.size(); ++p) {
      auto& here = ranks[processors.domain_of[p]];
      here.insert(processors.rank_of[p]);
      together = std::max(together, here.size());
    }
    most = std::min(most, static_cast<double>(*left) / 2 / static_cast<double>(together));
  }
  auto const memory =
      settings.memory > 0 ? std::optional(static_cast<double>(settings.memory)) : platform::host_load().read(0).memory;
  if (memory && largest > 0)
    most = std::min(most, *memory / 10 / (static_cast<double>(settings.capacity + 2) * largest));
  return std::max(1.0, std::floor(most));
}

/// True if the workers of a placement run as in the exact chain, where each processor is a host of its own. No worker
/// has to wait for a core of its domain while it could run. None leaves a core to the others by waiting for something
/// else.
bool is_exact(model_shape const& model, plan::placement const& where, processor_map const& processors) {
  std::vector<std::size_t> workers(processors.cores.size(), 0);
  bool waits = false;
  for (std::size_t i = 0; i < where.stages.size(); ++i) {
    waits = waits || model.waiting[i] > negligible;
    // Of a rank with more workers than cores, some may find cores that other ranks leave.
    if (std::set(where.stages[i].begin(), where.stages[i].end()).size() < where.stages[i].size()) return false;
    for (auto processor : where.stages[i]) ++workers[processors.domain_of[processor]];
  }
  for (std::size_t d = 0; d < workers.size(); ++d) {
    if (workers[d] == 0) continue;
    bool const others = d < processors.others.size() && processors.others[d].others > 0;
    if (processors.is_crowded(d, workers[d]) && (waits || others || processors.cores[d] > 1)) return false;
  }
  return true;
}

/// The placed line with the cores that its threads really run on: those of a domain, whichever is free.
struct floating_line {
  cost::line line;
  cost::simulation_options options;
};
floating_line float_threads(model_shape const& model, plan::placement const& where, processor_map const& processors,
                            std::size_t capacity) {
  floating_line out;
  out.line = cost::make_line(model.shape, where, processors.platform,
                             {cost::share::dynamic, cost::dispatch::on_demand, capacity});
  for (auto& station : out.line.stations)
    for (auto& worker : station.workers) worker.host = processors.domain_of[worker.host];
  out.options.fewest_first = true;
  // Of many workers some items for each tell as much, and take no longer to follow.
  std::size_t workers = 1;
  for (auto const& stage : where.stages) workers += stage.size();
  out.options.items = std::max(8 * workers, std::min(simulated_items, 64 * simulated_items / workers));
  out.options.cores = processors.cores;
  out.options.waiting = model.waiting;
  for (auto const& one : processors.others) out.options.others.push_back(one.others);
  return out;
}

/// Gives farms that wait for something else than a core more workers, on the processors that they have. They get as
/// many as keep up with the limit of the rest of the line, and `most` at most. With x items per second and t the time
/// of one they are x t at once (Little 1961, Operations Research 9(3):383-387). The rate x is what cores, moves and
/// other stages allow. Stages that wait too, with one worker or as many as the user says, allow no more than their own
/// rate. If items then wait for cores that wait for items, there are twice as many workers, as long as that wins.
void widen(model_shape const& model, plan::placement& where, processor_map const& processors, double most) {
  cost::line_options const options{cost::share::dynamic, cost::dispatch::on_demand, 0};
  auto const whole = cost::make_line(model.shape, where, processors.platform, options);
  auto computes = cost::make_line(searched(model), where, processors.platform, options);
  for (auto& station : computes.stations)
    for (auto& worker : station.workers) worker.host = processors.domain_of[worker.host];
  double rate = cost::fluid_bound(computes, processors.cores);
  auto const can_do = [&](std::size_t i) {
    double sum = 0;
    for (auto const& worker : whole.stations[i].workers) sum += worker.rate;
    return sum;
  };
  for (std::size_t i = 0; i < whole.stations.size(); ++i)
    if (!model.widens[i]) rate = std::min(rate, can_do(i));
  std::vector<double> wider(where.stages.size(), 0);  // workers of each stage that gets more; 0: it does not
  for (std::size_t i = 0; i < whole.stations.size(); ++i) {
    if (!model.widens[i] || model.waiting[i] <= negligible) continue;
    auto const now = static_cast<double>(where.stages[i].size());
    double const wanted = std::min(std::round(rate * now / can_do(i)), most);
    if (wanted > now) wider[i] = wanted;
  }
  if (std::ranges::all_of(wider, [](double workers) { return workers == 0; })) return;
  auto const with = [&](double times) {
    auto wide = where;
    for (std::size_t i = 0; i < wider.size(); ++i)
      for (std::size_t w = where.stages[i].size(); static_cast<double>(w) < std::min(times * wider[i], most); ++w)
        wide.stages[i].push_back(where.stages[i][w % where.stages[i].size()]);
    return wide;
  };
  auto const count = [](plan::placement const& wide) {
    std::size_t workers = 0;
    for (auto const& stage : wide.stages) workers += stage.size();
    return workers;
  };
  auto const items_for = [&](plan::placement const& wide) {
    return std::min(simulated_items, 1000 + 20 * count(wide));
  };
  auto const price = [&](plan::placement const& wide) {
    auto [line, how] = float_threads(model, wide, processors, 1);
    how.items = items_for(wide);
    how.services = cost::times::exponential;  // constant ones go together for long
    return cost::simulate_line(line, how).throughput;
  };
  auto wide = with(1);
  bool const reaches = std::ranges::any_of(wider, [&](double workers) { return workers >= most; });
  double now = reaches ? 0 : price(wide);
  for (double times = 2; !reaches; times *= 2) {
    auto more = with(times);
    double const then = more == wide ? 0 : price(more);
    // Of so many items the mean of exponential times is as unsure as this.
    double const unsure = 1 / std::sqrt(static_cast<double>(items_for(more)));
    if (then <= now * (1 + negligible + unsure)) break;
    wide = std::move(more);
    now = then;
  }
  where = std::move(wide);
}

/// Standard deviation of ln(throughput) by the unknown load of other programs on the cores. One part is the error of
/// their number. The other one is the usual difference of runs beside others. It follows how much others slow down
/// threads that use all cores of a domain, as threads that wait come late to a core too. `options` give the throughput
/// `found`.
double doubt_by_others(cost::line const& line, cost::simulation_options options, double found,
                       processor_map const& processors) {
  auto const& others = processors.others;
  if (std::ranges::any_of(others, [](auto const& one) { return !one.known; }))
    return std::log(2.0) /
           statistics::normal_reach(record::forecast_confidence);  // down to the half, as describe() says
  double slower = 0, lost = 0;
  if (std::ranges::any_of(others, [](auto const& one) { return one.doubt > 0; })) {
    for (std::size_t d = 0; d < others.size(); ++d) options.others[d] = others[d].others + others[d].doubt;
    slower = std::log(found / cost::simulate_line(line, options).throughput);
  }
  for (std::size_t d = 0; d < others.size(); ++d) {
    auto const cores = static_cast<double>(processors.cores[d]);
    lost = std::max(lost, std::log(cost::crowding(cores + others[d].others, cores)));
  }
  return std::hypot(slower, usual_forecast_doubt().beside_others * lost);
}

/// A forecast, and how uncertain the time of its slowest station is; nothing where the user has said it.
struct modelled {
  forecast expected;
  std::optional<double> doubt{};
  double by_others = 0;  ///< standard deviation of ln(throughput) by other programs
};

modelled forecast_of(model_shape const& model, runtime::program const& line,
                     std::vector<runtime::station_cost> const& costs, double reference, plan::placement const& where,
                     processor_map const& processors, run_settings const& settings) {
  modelled result;
  forecast& out = result.expected;
  out.batch = model.batch;
  auto const [constant, steady] = float_threads(model, where, processors, std::min(settings.capacity, simulated_items));
  double const steadily = cost::simulate_line(constant, steady).throughput;
  out.deterministic = steadily * model.batch;
  result.by_others = doubt_by_others(constant, steady, steadily, processors);
  if (is_exact(model, where, processors)) {
    auto const [solution, name] = solve(model.shape, where, processors.platform, settings.capacity);
    out.exponential = solution.throughput * model.batch;
    out.model = name;
  } else {
    auto irregular = steady;
    irregular.services = irregular.moves = cost::times::exponential;
    out.exponential = cost::simulate_line(constant, irregular).throughput * model.batch;
    // Workers that wait and compute in step, as they begin, fall out of it only after many items of constant times.
    if (std::ranges::any_of(model.waiting, [](double part) { return part > negligible; }))
      out.deterministic = std::max(out.deterministic, out.exponential);
    out.exponential = std::min(out.deterministic, out.exponential);
    out.model = "simulation of threads that share the cores of a host";
  }
  double least = std::numeric_limits<double>::infinity();
  std::size_t slowest = 0;
  for (std::size_t i = 0; i < model.shape.stages.size(); ++i) {
    station_forecast one;
    std::size_t const s = model.station_of[i];
    one.name = model.shape.stages[i].name;
    one.workers = where.stages[i].size();
    for (auto host : where.stages[i]) one.hosts.push_back(processors.platform.host_name(host));
    one.service_time = model.shape.stages[i].work / model.batch / reference;
    for (auto const& w : constant.stations[i].workers) one.capacity += w.rate * model.batch;
    if (one.capacity < least) {
      least = one.capacity;
      slowest = i;
      // A batch of b independent items has 1/b of the variation of one.
      bool const measured = std::isnan(line.stations[s].notes.work);
      out.variation = measured ? costs[s].variation / model.batch : 1 / model.batch;
      result.doubt = measured ? std::optional(costs[s].doubt) : std::nullopt;
    }
    out.stations.push_back(std::move(one));
  }
  auto others = constant;
  for (auto& worker : others.stations[slowest].workers) worker.rate = cost::fastest_rate;
  out.most = cost::fluid_bound(others, processors.cores) * model.batch;
  // Two-moment blend: waiting grows linearly in the squared coefficient of variation (Kingman 1961).
  out.throughput = out.deterministic + out.variation * (out.exponential - out.deterministic);
  return result;
}

/// Corrects a forecast by earlier runs: `time` per item.
void correct(modelled& of, mapping::corrected_time const& time) {
  forecast& out = of.expected;
  out.correction = std::exp(-time.bias);
  out.throughput = 1 / time.seconds;
  for (auto& one : out.stations) one.utilisation = std::min(1.0, out.throughput / one.capacity);
  if (!of.doubt && time.bias == 0) return;  // the error of a stated work is not known
  double const reach = statistics::normal_reach(record::forecast_confidence) *
                       std::hypot(time.scatter, of.doubt.value_or(0), of.by_others);
  out.low = out.throughput * std::exp(-reach);
  // However fast the slowest stage may be in truth, the others let no more pass, as far as their times are known.
  out.most *= std::exp(statistics::normal_reach(record::forecast_confidence) * time.scatter);
  out.high = std::min(out.throughput * std::exp(reach), std::max(out.throughput, out.most));
}

/// As users write it: stations with a line between them. Cores of one rank are the same to a run.
std::string name_of(station_ranks const& where, processor_map const& processors) {
  plan::placement_text text;
  for (auto const& station : where) {
    auto& workers = text.emplace_back();
    for (int const rank : station) workers.push_back({processors.rank_names.at(static_cast<std::size_t>(rank))});
  }
  return to_string(text);
}

/// The ranks of all `stations` of a line by a placement of the model's.
station_ranks ranks_of_stations(model_shape const& model, int home, std::size_t stations,
                                processor_map const& processors, plan::placement const& where) {
  station_ranks ranks(stations, {home});
  for (std::size_t i = 0; i < model.station_of.size(); ++i) {
    auto& of = ranks[model.station_of[i]];
    of.clear();
    for (auto const host : where.stages[i]) of.push_back(processors.rank_of[host]);
  }
  auto const place_end = [&](std::size_t s, std::optional<skeletons::terminal> const& terminal) {
    if (terminal) ranks[s] = {processors.rank_of[*processors.platform.find_host(terminal->at)]};
  };
  place_end(0, model.shape.input);
  place_end(stations - 1, model.shape.output);
  return ranks;
}

/// Workers on the cores of these ranks in turn, but where stages are pinned. Where they are more than cores, cores have
/// several.
plan::placement on_cores(station_ranks const& ranks, model_shape const& model, runtime::program const& line,
                         processor_map const& processors) {
  plan::placement where;
  for (std::size_t i = 0; i < model.station_of.size(); ++i) {
    std::size_t const s = model.station_of[i];
    auto& hosts = where.stages.emplace_back();
    // A farm that has to stay with the source is pinned to all cores there, and may have fewer.
    bool const pinned = !spreads(line.stations[s]) || !line.stations[s].notes.at.empty();
    if (pinned && !model.shape.stages[i].at.empty()) {
      for (auto const& at : model.shape.stages[i].at)
        if (auto const host = processors.platform.find_host(at)) hosts.push_back(*host);
      continue;
    }
    std::map<int, std::size_t> used;
    for (int const rank : ranks[s]) {
      std::vector<plan::host_id> own;
      for (std::size_t p = 0; p < processors.rank_of.size(); ++p)
        if (processors.rank_of[p] == rank) own.push_back(p);
      hosts.push_back(own[used[rank]++ % own.size()]);
    }
  }
  return where;
}

/// The placements that the search has found, as far as runs can tell them apart: 0 is the best, k alternative k - 1.
/// The others are expected to be as far from their price as the best one, whose `throughput` is given.
std::vector<mapping::found_placement> told_apart(mapping::decision const& found, double throughput,
                                                 std::function<std::string(plan::placement const&)> const& name) {
  std::vector<mapping::found_placement> out{{name(found.placement), 0, throughput}};
  std::set<std::string> known{out.front().name};
  for (std::size_t k = 0; k < found.alternatives.size(); ++k) {
    auto const& [where, price] = found.alternatives[k];
    if (std::string its = name(where); price > 0 && found.throughput > 0 && known.insert(its).second)
      out.push_back({std::move(its), k + 1, throughput * price / found.throughput});
  }
  return out;
}

/// The models behind the prices of told_apart(): a forecast, and the search if it has another placement than its best.
std::string priced_by(forecast const& of, std::string const& search, std::size_t found) {
  std::string text(mapping::of_lines.model);
  if (of.variation > 0) text += ", exponential times by " + of.model;
  return found == 1 ? text : text + "; candidates compared by " + search;
}

/// A decision in batches of so many items, in items.
void count_items(mapping::decision& of, double batch) {
  of.throughput *= batch;
  of.bound *= batch;
  for (auto& other : of.alternatives) other.throughput *= batch;
}

/// Takes alternative k.
void take_instead(mapping::decision& of, std::size_t k, std::string const& why) {
  std::swap(of.placement, of.alternatives[k].placement);
  std::swap(of.throughput, of.alternatives[k].throughput);
  std::rotate(of.alternatives.begin(), of.alternatives.begin() + static_cast<std::ptrdiff_t>(k),
              of.alternatives.begin() + static_cast<std::ptrdiff_t>(k) + 1);
  of.optimal = false;
  of.why = why;
}

/// True if a station has to stay where it is while the line runs (runtime::check_next_plan).
bool stays_put(runtime::program const& line, std::size_t s) {
  auto const& station = line.stations[s];
  return s == 0 || s + 1 == line.size() || station.copies || station.stays() ||
         (station.folds && !station.replicable && station.input == nullptr);
}

/// True if the measured time per item of the source, while a line runs, is the same time as in its model.
bool is_comparable(runtime::program const& line, std::size_t s) {
  return !line.stations[s].copies && !line.stations[s].renumbered && !line.stations[s].folds &&
         (s == 0 || !line.stations[s - 1].folds_in_farm());
}

placed_line as_running(model_shape const& model, runtime::program const& line,
                       std::vector<runtime::station_cost> const& costs, double reference, plan::placement const& where,
                       processor_map const& processors, std::size_t room) {
  placed_line out;
  auto& of = out.line;
  of.problem.program = searched(model);
  of.problem.platform = processors.platform;
  of.problem.options = {cost::share::dynamic, cost::dispatch::on_demand, room};
  for (int const rank : processors.rank_of) of.group_of.push_back(static_cast<std::size_t>(rank));
  of.domain_of = processors.domain_of;
  of.cores = processors.cores;
  out.where = where;
  out.station_of = model.station_of;
  out.batch = model.batch;
  out.work.assign(line.size(), 0);
  for (std::size_t i = 0; i < model.station_of.size(); ++i) {
    std::size_t const s = model.station_of[i];
    if (is_comparable(line, s)) out.work[s] = work_of(line.stations[s], costs[s], reference);
    auto& stage = of.problem.program.stages[i];
    std::set<plan::host_id> const used(where.stages[i].begin(), where.stages[i].end());
    if (used.size() < where.stages[i].size()) stage.width = where.stages[i].size();  // it keeps those that wait
    if (!stays_put(line, s)) continue;
    stage.at.clear();
    for (auto const host : where.stages[i]) stage.at.push_back(processors.platform.host_name(host));
  }
  return out;
}

std::string stages_of(model_shape const& model, double reference) {
  std::string text;
  for (auto const& stage : model.shape.stages)
    text += (text.empty() ? "" : " | ") + stage.name + " " + shown(stage.work / model.batch / reference, 4) + " s";
  return text;
}

}  // namespace

void add_note(planned_program& plan, std::string const& note) {
  plan.note += (plan.note.empty() ? "" : "; ") + note;
}

std::vector<bool> tied_to_source(runtime::program const& line) {
  std::vector<bool> tied(line.size(), false);
  for (std::size_t s = 1; s < line.size(); ++s)
    if (line.stations[s].input == nullptr) tied[s] = tied[s - 1] = true;
  return tied;
}

planned_program make_plan(runtime::program const& line, double reference, processor_map const& processors,
                          std::vector<std::optional<int>> const& state_on, run_settings const& settings,
                          program_history& history, placed_run& placed) {
  auto const costs = placed.believed.empty() ? std::vector<runtime::station_cost>(line.size()) : placed.believed;
  SKEL_EXPECTS(costs.size() == line.size() && state_on.size() == line.size());
  planned_program out;
  for (std::size_t p = 0; p < processors.rank_of.size(); ++p)
    out.processors.push_back(processors.platform.host_name(p));
  int const home = source_rank(line, processors);
  out.run.batch_latency = settings.batch_latency;
  out.run.most_bytes = settings.memory;
  out.run.stations.assign(line.size(), plan::station_plan{{home}, settings.capacity});
  std::optional<forced_placement> forced;
  if (auto const text = history.forced()) forced.emplace(*text, line, processors);
  if (line.size() == 2) {
    if (forced) forced->require({{home}, {home}}, home, state_on);
    out.note = "a source and a sink without stages between them stay together";
    return out;
  }
  model_shape model = shape_of(line, costs, reference, processors, state_on, settings);

  mapping::placement_problem problem;
  problem.program = searched(model);
  problem.platform = processors.platform;
  slow_down_beside_others(problem, processors);
  keep_from_leaving(problem, processors.leaving);
  problem.options = {cost::share::dynamic, cost::dispatch::on_demand,
                     searchable_room(model.shape, processors.rank_of.size(), settings.capacity)};
  auto const ranks_of = [&](plan::placement const& where) {
    return ranks_of_stations(model, home, line.size(), processors, where);
  };
  if (forced) {
    auto where = on_cores(forced->ranks(), model, line, processors);
    forced->require(ranks_of(where), home, state_on);
    problem.candidates = {{std::move(where)}};
  }
  auto const answer = search_while_it_pays(
      [&](double limit) {
        return mapping::place(problem, {.time_limit = std::chrono::duration<double>(limit), .alternatives = most_told});
      },
      settings.planning_time, settings.horizon);
  if (auto const* none = std::get_if<mapping::infeasible>(&answer)) throw error("no placement: " + none->reason);
  out.decision = std::get<mapping::decision>(answer);
  if (!forced) {
    double const most = most_workers_beside(model, processors, settings);
    widen(model, out.decision.placement, processors, most);
    for (auto& other : out.decision.alternatives) widen(model, other.placement, processors, most);
  }
  count_items(out.decision, model.batch);
  auto const modelled_at = [&](plan::placement const& where) {
    return forecast_of(model, line, costs, reference, where, processors, settings);
  };
  auto expected = modelled_at(out.decision.placement);
  mapping::placement_request asked{
      .program = program_history::id_of(line),
      .stages = stages_of(model, reference),
      .found = told_apart(out.decision, expected.expected.throughput,
                          [&](plan::placement const& where) { return name_of(ranks_of(where), processors); })};
  asked.model = priced_by(expected.expected, out.decision.model, asked.found.size());
  auto const& chosen = history.choose(asked);
  if (forced) out.decision.why = "it is forced.", out.decision.optimal = false;
  if (std::size_t const index = chosen.chosen().plan.index; index > 0) {
    take_instead(out.decision, index - 1, "runs before have shown that the best by prediction takes more time.");
    expected = modelled_at(out.decision.placement);
  }
  placed.asked = std::move(asked);
  placed.throughput = expected.expected.throughput;
  for (auto const& one : expected.expected.stations) placed.filling += one.service_time * model.batch;
  placed.repriced = [=, where = out.decision.placement, &line](std::vector<double> const& factors) mutable {
    for (std::size_t i = 0; i < model.station_of.size(); ++i)
      model.shape.stages[i].work *= factors[model.station_of[i]];
    return forecast_of(model, line, costs, reference, where, processors, settings).expected.throughput;
  };
  placed.running = as_running(model, line, costs, reference, out.decision.placement, processors, settings.capacity);
  placed.running->ranks_of = [model, home, n = line.size(), processors](plan::placement const& where) {
    return ranks_of_stations(model, home, n, processors, where);
  };
  placed.running->at_ranks = [model, &line, processors](station_ranks const& ranks) {
    return on_cores(ranks, model, line, processors);
  };
  placed.running->name_of = [ranks_of = placed.running->ranks_of, processors](plan::placement const& where) {
    return name_of(ranks_of(where), processors);
  };
  correct(expected, chosen.ranked.front().time);
  out.expected = std::move(expected.expected);
  out.expected.runs = placed.earlier_runs;
  auto const ranks = ranks_of(out.decision.placement);
  for (std::size_t s = 0; s < line.size(); ++s) out.run.stations[s].ranks = ranks[s];
  for (std::size_t i = 0; i < model.station_of.size(); ++i) {
    out.placed.push_back(model.shape.stages[i].name);
    std::size_t const s = model.station_of[i];
    if (!line.stations[s].copies) continue;
    auto& station = out.run.stations[s];
    auto tree = ranks_of_copies(station, processors);
    if (tree.ranks.size() < 3) continue;  // there is one tree only
    tree.program = placed.asked->program;
    tree.stage = model.shape.stages[i].name;
    tree.batch = {costs[s - 1].bytes * model.batch, costs[s].bytes * model.batch,
                  model.shape.stages[i].work / reference / static_cast<double>(station.ranks.size())};
    tree.others = model.batch / placed.throughput;
    auto const& taken = history.choose_tree(tree).chosen().plan;
    take_tree(station, taken);
    placed.trees.push_back({std::move(tree), taken.price.period, model.batch});
  }
  for (std::size_t i = 0; i < model.station_of.size(); ++i) {
    auto const& workers = out.decision.placement.stages[i];
    std::set<plan::host_id> const on(workers.begin(), workers.end());
    if (model.widens[i] && workers.size() > on.size())
      add_note(out, "'" + model.shape.stages[i].name + "' waits for something else than a core for " +
                        std::to_string(std::lround(100 * model.waiting[i])) + " % of its time, so it has " +
                        counted(workers.size(), "worker") + " on " + counted(on.size(), "core") +
                        "; skel::width says another number");
  }
  if (!processors.one_rank())
    for (auto const& [type, stages] : types_that_stay(line))
      add_note(out, "items of type '" + type + "', which " + in_words(stages) +
                        (stages.size() == 1 ? " takes" : " take") +
                        ", cannot be sent to another rank, so the stages that give and take them stay with the source; "
                        "to let them go, write a skel::serializer for it, or for the type inside it that cannot be "
                        "sent (docs/types.md)");
  for (std::size_t s = 1; s + 1 < line.size(); ++s)
    if (state_on[s] && line.stations[s].notes.at.empty() && !processors.one_rank())
      add_note(out, "'" + line.stations[s].notes.name + "' may keep state and has seen items on rank " +
                        std::to_string(*state_on[s]) +
                        ", so it stays there: say skel::stateless if it keeps none, or give its type a "
                        "skel::serializer so that its state can travel");
  return out;
}

}  // namespace skel
