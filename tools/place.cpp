#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <ostream>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/cost/line_bounds.hpp>
#include <skel/detail/cost/line_solver.hpp>
#include <skel/detail/cost/pepa/generate.hpp>
#include <skel/detail/mapping/placement_search.hpp>
#include <skel/detail/platform/files.hpp>

#include "options.hpp"
#include "placement_text.hpp"
#include "verbs.hpp"

namespace skel::tools {
namespace {

using nlohmann::ordered_json;

/// Lines of no more states are solved in milliseconds.
inline constexpr double quick_states = 20'000;

struct place_options {
  std::string platform, pipeline, placement, candidates, share = "static", farms = "on_demand", model = "exponential";
  double time_limit = 0;
  long long buffer = 0, alternatives = 10;
  bool print_pepa = false, explain = false, progress = false, json = false;
};

/// Fails for hosts that the pipeline names and the platform does not have.
void check_hosts(skeletons::shape const& program, platform::description const& machine, std::string const& file) {
  auto const check = [&](std::string const& name, std::string const& where) {
    if (machine.find_host(name)) return;
    throw input_error(file, where,
                      "there is no host '" + name + "' in the platform" + did_you_mean(name, machine.host_names()));
  };
  if (program.input) check(program.input->at, "input.at");
  for (std::size_t i = 0; i < program.stages.size(); ++i)
    for (std::size_t w = 0; w < program.stages[i].at.size(); ++w)
      check(program.stages[i].at[w], fmt::format("stages[{}].at[{}]", i, w));
  if (program.output) check(program.output->at, "output.at");
}

/// Fails for stages and items with times that are too long to compute with.
void check_times(skeletons::shape const& program, platform::description const& machine, std::string const& file,
                 std::string const& pipeline) {
  for (std::size_t c = 0; c < machine.clusters().size(); ++c) {
    auto const& one = machine.clusters()[c];
    for (auto const& stage : program.stages)
      if (!(stage.work / one.speed * cost::slowest_rate <= 1))
        throw input_error(
            file, fmt::format("clusters[{}].speed", c),
            fmt::format("stage '{}' (work {:g} in {}) would take {:g} s on host '{}' of speed {:g}, which "
                        "is too long to compute with; give the host a higher speed or the stage less work",
                        stage.name, stage.work, pipeline, stage.work / one.speed,
                        one.hosts > 1 ? one.name + "-0" : one.name, one.speed));
  }
  double most = 0;
  for (auto const& stage : program.stages) most = std::max(most, stage.output_bytes);
  for (auto const& end : {program.input, program.output})
    if (end) most = std::max(most, end->bytes);
  auto const check = [&](platform::link const& path, std::string const& where) {
    if (!(path.time(most) * cost::slowest_rate <= 1))
      throw input_error(
          file, where,
          fmt::format("an item of {:g} B ({}) would take {:g} s at latency {:g} and bandwidth {:g}, which "
                      "is too long to compute with; give a faster link or the item fewer bytes",
                      most, pipeline, path.time(most), path.latency, path.bandwidth));
  };
  for (std::size_t c = 0; c < machine.clusters().size(); ++c)
    check(machine.clusters()[c].inside, fmt::format("clusters[{}]", c));
  for (std::size_t c = 0; c < machine.clusters().size(); ++c)
    check({machine.clusters()[c].local_latency.value_or(0)}, fmt::format("clusters[{}].local_latency", c));
  check({machine.local_latency()}, "local_latency");
  for (auto const& one : machine.links())
    check(one.path,
          fmt::format("links (from '{}' to '{}')", machine.clusters()[one.from].name, machine.clusters()[one.to].name));
}

mapping::placement_problem read_problem(place_options const& options) {
  if (options.platform == "-" && options.pipeline == "-")
    refuse_option("PIPELINE", "is standard input, as is PLATFORM; only one of them can be");
  // In the order of the arguments, so that the first of several bad files is named.
  platform::description machine = read_platform(options.platform);
  mapping::placement_problem problem{
      .program = platform::parse_pipeline(text_of(options.pipeline), source_of(options.pipeline)),
      .platform = std::move(machine)};
  check_hosts(problem.program, problem.platform, source_of(options.pipeline));
  check_times(problem.program, problem.platform, source_of(options.platform), source_of(options.pipeline));
  problem.options.sharing = options.share == "static" ? cost::share::fixed : cost::share::dynamic;
  problem.options.farms = options.farms == "on_demand" ? cost::dispatch::on_demand : cost::dispatch::round_robin;
  problem.options.buffer = static_cast<std::size_t>(options.buffer);
  if (!options.placement.empty())
    problem.candidates = {parse_placement(options.placement, problem.program, problem.platform, "--placement", "")};
  if (!options.candidates.empty())
    problem.candidates = read_candidates(options.candidates, problem.program, problem.platform);
  return problem;
}

/// The least cycle time of a stage and its two moves: the throughput when all times are constant.
mapping::placement_price constant_time_price(mapping::placement_problem const& problem) {
  return [&problem](plan::placement const& where) {
    return cost::upper_bound(cost::make_line(problem.program, where, problem.platform, problem.options));
  };
}

mapping::placement_answer search(mapping::placement_problem const& problem, place_options const& options,
                                 std::stop_token stop) {
  mapping::search_options how;
  if (options.time_limit > 0) how.time_limit = std::chrono::duration<double>(options.time_limit);
  how.alternatives = static_cast<std::size_t>(options.alternatives);
  how.stop = std::move(stop);
  return options.model == "exponential" ? mapping::place(problem, how)
                                        : mapping::exhaustive(problem, constant_time_price(problem), how);
}

/// Adds the loads of the stages, by the exponential model, and the bottleneck: the stage or move that is busy for the
/// largest part of the time.
void add_loads(cost::line const& line, stop_condition const& stop, ordered_json& explanation) {
  // Work of milliseconds is done although the time is up.
  bool const quick = cost::count_states(line) <= quick_states;
  cost::line_solution const solution = cost::solve_line(line, {.stop = quick ? stop_condition() : stop});
  ordered_json stages = ordered_json::array(), moves = ordered_json::array();
  std::string bottleneck;
  double most = -1;
  auto const consider = [&](double busy, std::string const& name) {
    if (busy > most) most = busy, bottleneck = name;
  };
  for (std::size_t i = 0; i < line.stations.size(); ++i) {
    cost::station_load const& load = solution.stations[i];
    stages.push_back({{"name", line.stations[i].name},
                      {"busy", load.busy},
                      {"starved", load.starved},
                      {"blocked", load.blocked},
                      {"population", load.population}});
    consider(load.busy, "stage '" + line.stations[i].name + "'");
  }
  for (std::size_t i = 0; i < line.moves.size(); ++i) {
    moves.push_back(solution.throughput / line.moves[i]);
    consider(moves.back(), i < line.stations.size() ? "the move to stage '" + line.stations[i].name + "'"
                                                    : "the move after the last stage");
  }
  explanation["bottleneck"] = bottleneck;
  explanation["bottleneck_busy"] = most;
  explanation["stages"] = std::move(stages);
  explanation["moves_busy"] = std::move(moves);
  explanation["latency"] = solution.latency;
  explanation["population"] = solution.population;
}

ordered_json explain(mapping::placement_problem const& problem, mapping::decision const& chosen,
                     stop_condition const& stop) {
  ordered_json explanation = {{"why", chosen.why}, {"model", chosen.model}};
  try {
    add_loads(make_line(problem.program, chosen.placement, problem.platform, problem.options), stop, explanation);
  } catch (error const& too_large) {
    explanation["loads_missing"] = too_large.what();
  }
  return explanation;
}

ordered_json to_json(mapping::decision const& chosen, platform::description const& machine) {
  ordered_json answer = {{"placement", stage_texts(chosen.placement, machine)},
                         {"throughput", chosen.throughput},
                         {"optimal", chosen.optimal},
                         {"bound", std::isfinite(chosen.bound) ? ordered_json(chosen.bound) : ordered_json()},
                         {"evaluated", chosen.evaluated},
                         {"model", chosen.model},
                         {"alternatives", ordered_json::array()}};
  for (mapping::alternative const& other : chosen.alternatives)
    answer["alternatives"].push_back(
        {{"placement", stage_texts(other.placement, machine)}, {"throughput", other.throughput}});
  ordered_json workers = ordered_json::array();
  for (auto const& stage : chosen.placement.stages) {
    workers.push_back(ordered_json::array());
    for (plan::host_id host : stage) workers.back().push_back(machine.host_name(host));
  }
  answer["workers"] = std::move(workers);
  return answer;
}

std::string join(ordered_json const& placement) {
  std::string text;
  for (auto const& stage : placement) text += (text.empty() ? "(" : ", ") + stage.get<std::string>();
  return text + ")";
}

void print_explanation(ordered_json const& why, std::ostream& out) {
  out << fmt::format("\n{}\nmodel: {}\n", why["why"].get<std::string>(), why["model"].get<std::string>());
  if (why.contains("loads_missing")) {
    out << fmt::format("no loads of stages: {}\n", why["loads_missing"].get<std::string>());
    return;
  }
  out << fmt::format("bottleneck: {}, busy {:.1f} % of the time\n\n", why["bottleneck"].get<std::string>(),
                     100 * why["bottleneck_busy"].get<double>());
  out << fmt::format("{:24} {:>8} {:>8} {:>8} {:>10}\n", "stage", "busy", "starved", "blocked", "items");
  for (auto const& stage : why["stages"])
    out << fmt::format("{:24} {:>7.1f}% {:>7.1f}% {:>7.1f}% {:>10.3f}\n", stage["name"].get<std::string>(),
                       100 * stage["busy"].get<double>(), 100 * stage["starved"].get<double>(),
                       100 * stage["blocked"].get<double>(), stage["population"].get<double>());
}

void print(ordered_json const& answer, std::ostream& out) {
  auto const evaluated = answer["evaluated"].get<std::size_t>();
  auto const solved = counted(evaluated, "solved placement");
  out << fmt::format("{}: {}{:.10g} items/s\n", join(answer["placement"]), evaluated > 0 ? "" : "about ",
                     answer["throughput"].get<double>());
  if (answer["optimal"].get<bool>())
    out << fmt::format("proven best, from {}\n", solved);
  else if (evaluated == 0)
    out << fmt::format(
        "an estimate: too many states, or too little time, to solve a placement; none is better than {:.10g} items/s\n",
        answer["bound"].get<double>());
  else if (answer["bound"].is_null())
    out << fmt::format("the best of {}; the search was ended\n", solved);
  else
    out << fmt::format("the best of {}; none is better than {:.10g} items/s\n", solved, answer["bound"].get<double>());
  if (answer.contains("explanation")) print_explanation(answer["explanation"], out);
  if (answer["alternatives"].empty()) return;
  out << "\nrunners-up\n";
  for (auto const& other : answer["alternatives"])
    out << fmt::format("{:14.10g}  {}\n", other["throughput"].get<double>(), join(other["placement"]));
}

int place(place_options const& options, std::ostream& out) {
  if (!std::isfinite(options.time_limit) || options.time_limit < 0)
    refuse_option("--time-limit", "is a time in seconds, 0 or more (0: until the optimum is proven)");
  if (options.buffer < 0) refuse_option("--buffer", "is a number of items, 0 or more");
  if (options.alternatives < 0) refuse_option("--alternatives", "is a number of placements, 0 or more");
  mapping::placement_problem const problem = read_problem(options);
  using clock = stop_condition::clock;
  auto const start = clock::now();
  // A limit of years is none; the clock cannot count it.
  auto deadline = clock::time_point::max();
  if (options.time_limit > 0 && options.time_limit < 1e9)
    deadline = start + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(options.time_limit));
  mapping::placement_answer found;
  ordered_json explanation;
  bool const progress = options.progress || (!options.json && isatty(STDERR_FILENO) != 0);
  run_interruptible("skel: searching", progress, [&](std::stop_token const& stop) {
    found = search(problem, options, stop);
    if (auto const* chosen = std::get_if<mapping::decision>(&found); chosen && options.explain)
      explanation = tools::explain(problem, *chosen, stop_condition(deadline, stop));
  });
  if (auto const* none = std::get_if<mapping::infeasible>(&found)) {
    complain(source_of(options.pipeline) + ": " + none->reason);
    if (options.json) out << line_of(ordered_json{{"placement", nullptr}, {"reason", none->reason}});
    return no_answer;
  }
  auto& chosen = std::get<mapping::decision>(found);
  if (options.model == "deterministic") {
    chosen.model = "constant times: the slowest stage with its two moves";
    if (options.explain) explanation["model"] = chosen.model;
  }
  ordered_json answer = to_json(chosen, problem.platform);
  if (options.explain) answer["explanation"] = std::move(explanation);
  std::string model;
  if (options.print_pepa) {
    model = cost::pepa::to_pepa(make_line(problem.program, chosen.placement, problem.platform, problem.options));
    if (options.json) answer["pepa"] = model;
  }
  if (options.json)
    out << line_of(answer);
  else if (options.print_pepa)
    out << "// " << join(answer["placement"]) << fmt::format(": {:.10g} items/s\n", chosen.throughput) << model;
  else
    print(answer, out);
  return done;
}

constexpr char const* place_footer =
    R"(A placement is the list of the stages' hosts, separated by commas. Plus signs join the workers of a farm:
p1,a-0+a-1,p2. The candidates' file has one placement per line (lines that start with # are skipped), or is a JSON array
of arrays of host names.

--json gives {"placement": ["p1", "a-0+a-1"], "throughput": items/s, "optimal": true|false, "bound": items/s or null,
"evaluated": n, "model": text, "alternatives": [{"placement", "throughput"}], "workers": [["p1"], ["a-0", "a-1"]]}, and
with their flags "pepa": text and "explanation": {...}. No placement (among the candidates, if given) has a higher
throughput than "bound". "optimal" is true if none is better than "throughput".

Examples:
  skel place grid.json pipeline.json
  skel place grid.json pipeline.json --placement p1,p2,p2
  skel place grid.json pipeline.json --candidates paper.txt --explain
  skel place grid.json pipeline.json --time-limit 2 --json
  skel place grid.json pipeline.json --share dynamic --buffer 4
  skel place grid.json pipeline.json --print-pepa > best.pepa && skel pepa best.pepa --throughput process1)";

action add_place(CLI::App& app) {
  auto const options = std::make_shared<place_options>();
  app.add_option("PLATFORM", options->platform, "platform description (JSON, docs/formats.md); - reads standard input")
      ->required();
  app.add_option("PIPELINE", options->pipeline, "pipeline description (JSON, docs/formats.md); - reads standard input")
      ->required();
  // An empty shell variable must not become a free search.
  auto const not_empty = [](std::string const& value) { return std::string(value.empty() ? "names nothing" : ""); };
  auto* const one = app.add_option("--placement", options->placement, "Prices only this placement.")
                        ->type_name("HOSTS")
                        ->check(not_empty);
  app.add_option("--candidates", options->candidates, "Chooses among the placements in FILE.")
      ->type_name("FILE")
      ->check(not_empty)
      ->excludes(one);
  app.add_option(
         "--time-limit", options->time_limit,
         "Ends the search after this many seconds with the best so far;\n0: ends it when the optimum is proven.")
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option(
         "--share", options->share,
         "Divides a host among its stages: static (each has its part, busy or not)\nor dynamic (among the busy).")
      ->check(CLI::IsMember({"static", "dynamic"}))
      ->capture_default_str();
  app.add_option("--farms", options->farms, "Gives items to workers: on_demand or round_robin.")
      ->check(CLI::IsMember({"on_demand", "round_robin"}))
      ->capture_default_str();
  app.add_option("--buffer", options->buffer, "Lets this many items wait before each worker.")
      ->type_name("ITEMS")
      ->capture_default_str();
  app.add_option("--alternatives", options->alternatives, "Shows this many runners-up.")
      ->type_name("N")
      ->capture_default_str();
  app.add_option(
         "--model", options->model,
         "Takes times as exponential (the PEPA model) or deterministic: constant, so that the\nslowest stage with "
         "its two moves sets the pace (an upper bound if there are farms or buffers).")
      ->check(CLI::IsMember({"exponential", "deterministic"}))
      ->capture_default_str();
  app.add_flag("--print-pepa", options->print_pepa, "Prints the PEPA model of the placement instead of the table.");
  app.add_flag("--explain", options->explain, "Explains the answer: the bottleneck and the time of each stage.");
  app.add_flag("--progress", options->progress, "Prints the search time so far on standard error.");
  app.add_flag("--json", options->json, "Prints one JSON object on standard output.");
  app.footer(place_footer);
  return [options](std::ostream& out) { return place(*options, out); };
}
a_verb const added_place({"place", "Finds the best placement of a pipeline on a platform.", add_place});

}  // namespace
}  // namespace skel::tools
