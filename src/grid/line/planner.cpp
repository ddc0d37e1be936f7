#include "planner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/cost/line.hpp>
#include <skel/detail/cost/shared_cores.hpp>
#include <skel/detail/mapping/move_decider.hpp>
#include <skel/detail/mapping/placement_search.hpp>
#include <skel/detail/plan/placement.hpp>

#include "line_model.hpp"
#include "plan_steps.hpp"
#include "program_history.hpp"

namespace skel {

namespace {

/// Losers of the search that are kept, for the report.
constexpr std::size_t most_told = 5;

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
station_ranks ranks_of_stations(line_model::model_shape const& model, int home, std::size_t stations,
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
plan::placement on_cores(station_ranks const& ranks, line_model::model_shape const& model, runtime::program const& line,
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

placed_line as_running(line_model::model_shape const& model, runtime::program const& line,
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
    if (is_comparable(line, s)) out.work[s] = line_model::work_of(line.stations[s], costs[s], reference);
    auto& stage = of.problem.program.stages[i];
    std::set<plan::host_id> const used(where.stages[i].begin(), where.stages[i].end());
    if (used.size() < where.stages[i].size()) stage.width = where.stages[i].size();  // it keeps those that wait
    if (!stays_put(line, s)) continue;
    stage.at.clear();
    for (auto const host : where.stages[i]) stage.at.push_back(processors.platform.host_name(host));
  }
  return out;
}

std::string stages_of(line_model::model_shape const& model, double reference) {
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
  int const home = line_model::source_rank(line, processors);
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
  line_model::model_shape model = line_model::shape_of(line, costs, reference, processors, state_on, settings);

  mapping::placement_problem problem;
  problem.program = searched(model);
  problem.platform = processors.platform;
  slow_down_beside_others(problem, processors);
  keep_from_leaving(problem, processors.leaving);
  problem.options = {cost::share::dynamic, cost::dispatch::on_demand,
                     line_model::searchable_room(model.shape, processors.rank_of.size(), settings.capacity)};
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
    if (!forced && model.widens[i] && workers.size() > on.size())
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
