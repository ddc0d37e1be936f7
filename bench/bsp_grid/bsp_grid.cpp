// MigBSP's testbed in SimGrid's SMPI: its programs by skel's engine of BSP programs, under every policy of migration,
// beside what skel's own simulator says and what was published.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/statistics.hpp>

#include "bsp_grid/job.hpp"
#include "bsp_grid/prediction.hpp"
#include "grid/simulated_machine.hpp"
#include "migbsp/testbed.hpp"
#include "plot.hpp"

namespace {

using namespace bench;
using nlohmann::ordered_json;
using skel::skeletons::migration_settings;

struct options {
  std::string testbed = SKEL_MIGBSP_TESTBED, plot;
  std::vector<std::size_t> orders{10, 25, 50, 100, 200}, alphas{published_alphas.begin(), published_alphas.end()};
  std::vector<std::string> policies{"migbsp", "greedy_refine", "diffusion", "skel"};
  double time_limit = 600;
  bool json = false, each_to_each = false;
};

/// A row of the table: a policy, or a scenario of the paper.
struct row {
  std::string name;
  migration_settings settings;
  bool told = false;  ///< how many supersteps there are
};

std::vector<row> rows_of(options const& with) {
  std::vector<row> all{{"i: never", {.name = "never"}, false}};
  for (auto const& policy : with.policies) {
    if (policy == "skel") {
      all.push_back({"skel", {.name = "skel"}, false});
      all.push_back({"skel, told its end", {.name = "skel"}, true});
      continue;
    }
    // Scenario ii decides and moves nothing; regular processes are those within 1 %, as bench_migbsp has it.
    if (policy == "migbsp")
      for (auto const alpha : with.alphas)
        all.push_back({fmt::format("ii: migbsp, alpha {}", alpha),
                       {.name = policy, .alpha = alpha, .apply = false, .delta = 0.01},
                       false});
    for (auto const alpha : with.alphas)
      all.push_back({fmt::format("{}{}, alpha {}", policy == "migbsp" ? "iii: " : "", policy, alpha),
                     {.name = policy, .alpha = alpha},
                     false});
  }
  return all;
}

/// The hosts with what lies between clusters: the description has what one message gets there, which a port limits.
skel::platform::description with_routers(migbsp_testbed const& on) {
  auto const& hosts = on.machine.hosts;
  auto links = hosts.links();
  for (auto& one : links) one.path.bandwidth = on.between_clusters;
  return {hosts.local_latency(), hosts.clusters(), std::move(links)};
}

/// One program under one policy, both ways.
struct outcome {
  bsp_outcome grid;      // SMPI
  double simulated = 0;  // skel's simulator [s]
  std::size_t simulated_moves = 0;
};

bsp_outcome run_on(simulated_machine const& machine, bsp_job const& job, double time_limit) {
  machine.write("job.json", to_json(job));
  std::string result, problem;
  constexpr std::string_view mark = "outcome ";
  auto const end = machine.run(SKEL_BSP_SIMULATED, "job.json", {"contexts/stack-size:1024"},  // KiB for each rank
                               std::chrono::duration<double>(time_limit), [&](std::string const& line) {
                                 if (line.starts_with(mark))
                                   result = line.substr(mark.size());
                                 else
                                   problem += line + '\n';
                               });
  if (!end.in_time)
    throw skel::error(fmt::format("order {}, policy {}: the simulation did not end in {:g} s; give it --time-limit",
                                  job.order, job.policy.name, time_limit));
  if (!end.succeeded || result.empty())
    throw skel::error(
        fmt::format("order {}, policy {}: the simulation failed: {}{}", job.order, job.policy.name, problem, end.said));
  return parse_outcome(result);
}

outcome run_both(migbsp_testbed const& on, simulated_machine const& machine, migbsp_case const& program, row const& by,
                 options const& with) {
  auto settings = by.settings;
  if (by.told) settings.supersteps = skel::record::supersteps_of(program.program);
  outcome out{.grid = run_on(machine, {with.testbed, program.order, settings, with.each_to_each}, with.time_limit)};
  std::uint64_t messages = 0;
  for (std::size_t s = 1; s <= skel::record::supersteps_of(program.program); ++s)
    messages += skel::record::load_of(program.program, s).messages.size();
  if (out.grid.messages != messages)
    throw skel::error(fmt::format("order {}, policy {}: {} messages were sent, and not {}", program.order,
                                  settings.name, out.grid.messages, messages));
  auto const policy = skel::mapping::migration::make_policy(settings, on.machine);
  auto const simulated = skel::mapping::migration::simulate(program.program, on.machine, program.begin, *policy);
  out.simulated = simulated.seconds;
  for (auto const& call : simulated.calls)
    out.simulated_moves += static_cast<std::size_t>(
        std::ranges::count(call.candidates, true, &skel::record::migration_candidate::accepted));
  return out;
}

/// Median and the one that is farthest from 0.
struct error_summary {
  double median = 0, worst = 0;
  std::size_t many = 0;
};

error_summary summary(std::vector<double> const& errors) {
  if (errors.empty()) return {};
  return {skel::statistics::median(errors), *std::ranges::max_element(errors, {}, [](double e) { return std::abs(e); }),
          errors.size()};
}

ordered_json json_of(std::vector<double> const& errors) {
  auto const all = summary(errors);
  return {{"count", all.many}, {"median", all.median}, {"worst", all.worst}};
}

void print_errors(char const* what, std::vector<double> const& errors) {
  auto const all = summary(errors);
  if (all.many > 0)
    fmt::print("{:<12} {:>7} {:>9.2f} % {:>9.2f} %\n", what, all.many, 100 * all.median, 100 * all.worst);
}

std::string published(migbsp_case const& of, row const& by) {
  if (by.name.starts_with("i:")) return fmt::format("{:.2f}", of.scenario_i);
  auto const alpha = std::ranges::find(published_alphas, by.settings.alpha);
  if (by.settings.name != "migbsp" || alpha == published_alphas.end()) return "-";
  auto const at = static_cast<std::size_t>(alpha - published_alphas.begin());
  return fmt::format("{:.2f}", by.settings.apply ? of.scenario_iii[at] : of.scenario_ii[at]);
}

int run(options const& with) {
  auto const on = read_migbsp_testbed(with.testbed);
  simulated_machine const machine(with_routers(on));
  auto const rows = rows_of(with);
  std::map<std::string, series> lines;
  auto all = ordered_json::array();
  prediction_errors errors;
  for (auto const order : with.orders) {
    auto const& program = on.of_order(order);
    if (!with.json)
      fmt::print("{} x {}, {} processes on {} hosts; times in s\n{:<26} {:>9} {:>9} {:>7} {:>6} {:>9} {:>7} {:>6}\n",
                 order, order, order, on.machine.hosts.host_count(), "", "paper", "SMPI", "of i", "moves", "simulator",
                 "of i", "moves");
    double base = 0, simulated_base = 0;
    for (auto const& by : rows) {
      auto const out = run_both(on, machine, program, by, with);
      if (base == 0) base = out.grid.seconds, simulated_base = out.simulated;
      auto const here = errors_of(on, program, out.grid);
      errors.add(here);
      double const ratio = out.grid.seconds / base;
      auto& line = lines[by.name];
      line.name = by.name;
      line.points.emplace_back(static_cast<double>(order), ratio);
      all.push_back({{"order", order},
                     {"policy", by.name},
                     {"published", published(program, by)},
                     {"seconds", out.grid.seconds},
                     {"of_scenario_i", ratio},
                     {"calls", out.grid.calls},
                     {"migrations", out.grid.moves.size()},
                     {"simulated_seconds", out.simulated},
                     {"simulated_of_scenario_i", out.simulated / simulated_base},
                     {"simulated_migrations", out.simulated_moves},
                     {"error_of_supersteps", json_of(here.supersteps)},
                     {"error_of_migrations", json_of(here.migrations)}});
      if (with.json) continue;
      fmt::print("{:<26} {:>9} {:>9.2f} {:>7.4f} {:>6} {:>9.2f} {:>7.4f} {:>6}\n", by.name, published(program, by),
                 out.grid.seconds, ratio, out.grid.moves.size(), out.simulated, out.simulated / simulated_base,
                 out.simulated_moves);
      std::fflush(stdout);
    }
  }
  if (!with.plot.empty()) {
    plot picture("MigBSP's testbed in SMPI: time beside no migrations", {"order of the matrix", scale::logarithmic},
                 {"time / scenario i"});
    for (auto const& by : rows)
      if (by.settings.apply && by.settings.name != "never") picture.add(lines[by.name]);
    picture.write(with.plot);
  }
  if (with.json) {
    std::cout << ordered_json{{"runs", all},
                              {"error_of_supersteps", json_of(errors.supersteps)},
                              {"error_of_migrations", json_of(errors.migrations)},
                              {"error_of_runs", json_of(errors.runs)}}
                     .dump(2)
              << '\n';
    return 0;
  }
  fmt::print("{:<12} {:>7} {:>11} {:>11}\n", "predictions", "many", "median", "worst");
  print_errors("supersteps", errors.supersteps);
  print_errors("migrations", errors.migrations);
  print_errors("runs", errors.runs);
  return 0;
}

constexpr char const* footer =
    R"(Times are virtual: they do not depend on this machine, and repeat exactly. The engine is the one that grid.run() uses, on
a transport of its own; instructions of the testbed are charged to its hosts, messages, states and what is measured
travel through SMPI's network, and the fixed part of a migration is slept where the process comes. Deciding takes no time.

The engine moves processes at the barrier after the one that decides: one superstep later than the simulator.
Predictions are cost::bsp's, of each superstep where its processes were: SMPI / predicted - 1.

Examples:
  bench_bsp_grid --orders 10,25 --policies migbsp,skel
  bench_bsp_grid --plot migbsp.svg --json)";

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "BSP programs of MigBSP (Righi et al. 2009) on its testbed, simulated by SMPI, under policies of migration"};
  options with;
  app.add_option("--testbed", with.testbed, "platform with programs and published times")->capture_default_str();
  app.add_option("--orders", with.orders, "of matrices, as the testbed has them")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--alphas", with.alphas, "supersteps until the first call")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--policies", with.policies, "beside never")
      ->delimiter(',')
      ->check(CLI::IsMember({"rotate", "migbsp", "greedy_refine", "diffusion", "skel"}))
      ->capture_default_str();
  app.add_flag("--each-to-each", with.each_to_each,
               "ranks tell each other how a superstep went, not by relays; simulating takes some 20 times as long");
  app.add_option("--time-limit", with.time_limit, "seconds for one run of the simulator")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--plot", with.plot, "write an SVG plot of times over orders")->type_name("FILE");
  app.add_flag("--json", with.json, "one object on standard output instead of tables");
  app.footer(footer);
  CLI11_PARSE(app, argc, argv);
  try {
    return run(with);
  } catch (std::exception const& e) {
    std::cerr << "bench_bsp_grid: " << e.what() << '\n';
    return 2;
  }
}
