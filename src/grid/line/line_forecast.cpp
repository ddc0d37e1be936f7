#include "line_model.hpp"
#include "program_history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <skel/detail/base/statistics.hpp>
#include <skel/detail/base/threads.hpp>
#include <skel/detail/cost/line_bounds.hpp>
#include <skel/detail/cost/line_closure.hpp>
#include <skel/detail/cost/line_simulation.hpp>
#include <skel/detail/cost/shared_cores.hpp>
#include <skel/detail/platform/host_load.hpp>

namespace skel::line_model {
namespace {

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

/// The most workers of a farm that waits. Following simulated_items through so many takes 40 ms (bench_constants
/// forecast), a tenth of what planning may take.
constexpr double most_waiting_workers = 256;

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

}  // namespace

std::size_t searchable_room(skeletons::shape const& shape, std::size_t processors, std::size_t capacity) {
  double workers = 0;
  for (auto const& stage : shape.stages)
    workers += !stage.replicable ? 1 : static_cast<double>(stage.width > 0 ? stage.width : processors);
  for (std::size_t room = std::min(capacity, most_room); room > 0; --room)
    if (std::pow(2 * static_cast<double>(room) + 3, workers) <= most_states / 10) return room;
  return 0;
}

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

}  // namespace skel::line_model
