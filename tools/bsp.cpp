#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/counted.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/mapping/migration/simulate.hpp>
#include <skel/detail/platform/bsp_scenario.hpp>

#include "options.hpp"
#include "verbs.hpp"

namespace skel::tools {
namespace {

using nlohmann::ordered_json;

/// Candidates of a call that people are shown.
constexpr std::size_t most_shown = 50;

struct bsp_options {
  std::string scenario, policy;
  std::optional<long long> alpha;
  bool json = false;
};

platform::bsp_scenario read_scenario(bsp_options const& options) {
  auto scenario = platform::parse_bsp_scenario(
      text_of(options.scenario), source_of(options.scenario),
      options.scenario == "-" ? std::filesystem::path() : std::filesystem::path(options.scenario).parent_path());
  if (!options.policy.empty()) {
    if (std::ranges::find(skeletons::migration_policies, options.policy) == skeletons::migration_policies.end())
      refuse_name("--policy", options.policy, "policy", skeletons::migration_policies);
    scenario.policy.name = options.policy;
  }
  if (options.alpha) scenario.policy.alpha = static_cast<std::size_t>(*options.alpha);
  return scenario;
}

ordered_json migrations_of(record::rescheduling const& call, platform::description const& machine, bool accepted_only) {
  ordered_json all = ordered_json::array();
  for (auto const& one : call.candidates) {
    if (accepted_only && !one.accepted) continue;
    ordered_json entry{{"superstep", call.superstep},
                       {"process", one.process},
                       {"from", machine.host_name(one.from)},
                       {"to", machine.host_name(one.to)},
                       {"pm", one.pm},
                       {"t1", one.t1},
                       {"t2", one.t2}};
    if (!accepted_only) entry["accepted"] = one.accepted, entry["why"] = one.why;
    all.push_back(std::move(entry));
  }
  return all;
}

ordered_json to_json(platform::bsp_scenario const& scenario, mapping::migration::simulated_run const& run) {
  ordered_json answer{{"time", run.seconds},
                      {"supersteps", run.supersteps.size()},
                      {"calls", ordered_json::array()},
                      {"migrations", ordered_json::array()},
                      {"imbalance", run.imbalance},
                      {"policy", scenario.policy.name},
                      {"calling", run.calling},
                      {"migrating", run.migrating},
                      {"reschedulings", ordered_json::array()}};
  for (auto const& call : run.calls) {
    answer["calls"].push_back(call.superstep);
    for (auto& one : migrations_of(call, scenario.machine, true)) answer["migrations"].push_back(std::move(one));
    answer["reschedulings"].push_back({{"superstep", call.superstep},
                                       {"imbalance_before", call.imbalance_before},
                                       {"imbalance_after", call.imbalance_after},
                                       {"cost", call.cost},
                                       {"price", call.price},
                                       {"candidates", migrations_of(call, scenario.machine, false)}});
  }
  return answer;
}

void print(platform::bsp_scenario const& scenario, mapping::migration::simulated_run const& run, std::ostream& out) {
  cost::bsp::superstep_time sum;
  for (auto const& one : run.supersteps)
    sum.computation += one.computation, sum.communication += one.communication, sum.barrier += one.barrier;
  std::size_t moved = 0;
  for (auto const& call : run.calls)
    moved +=
        static_cast<std::size_t>(std::ranges::count(call.candidates, true, &record::migration_candidate::accepted));
  out << fmt::format("{:.6g} s for {} under policy {}\n", run.seconds, counted(run.supersteps.size(), "superstep"),
                     scenario.policy.name);
  out << fmt::format("computation {:.6g} s, communication {:.6g} s, barriers {:.6g} s, {} {:.6g} s, {} {:.6g} s\n",
                     sum.computation, sum.communication, sum.barrier, counted(run.calls.size(), "call"), run.calling,
                     counted(moved, "migration"), run.migrating);
  out << fmt::format("imbalance {:.3f}\n", run.imbalance);
  for (auto const& call : run.calls) {
    out << fmt::format(
        "\nsuperstep {}: {}, imbalance {:.3f}, then {:.3f}; the call takes {:.3g} s, its migrations {:.3g} s\n",
        call.superstep, counted(call.candidates.size(), "candidate"), call.imbalance_before, call.imbalance_after,
        call.cost, call.price);
    std::size_t shown = 0;
    for (auto const& one : call.candidates) {
      if (++shown > most_shown) {
        out << fmt::format("  and {} more (--json tells all)\n", call.candidates.size() - most_shown);
        break;
      }
      out << fmt::format("  {:>6} {} -> {} {} pm {:.4g} t1 {:.4g} t2 {:.4g}  {}\n", one.process,
                         scenario.machine.host_name(one.from), scenario.machine.host_name(one.to),
                         one.accepted ? "moves," : "stays,", one.pm, one.t1, one.t2, one.why);
    }
  }
}

int bsp(bsp_options const& options, std::ostream& out) {
  if (options.alpha && *options.alpha < 1) refuse_option("--alpha", "is a number of supersteps, 1 or more");
  auto const scenario = read_scenario(options);
  cost::bsp::require_connected(scenario.machine);
  cost::bsp::machine const machine{scenario.machine, scenario.migration_fixed, scenario.memory};
  auto const policy = mapping::migration::make_policy(scenario.policy, machine, scenario.pinned);
  auto const run = mapping::migration::simulate(
      scenario.program, machine, {scenario.hosts, scenario.state_bytes, scenario.external_load}, *policy);
  if (!std::isfinite(run.seconds))
    throw error(source_of(options.scenario) +
                ": takes longer than can be computed with; give hosts and links more speed, or processes less work, "
                "messages and state");
  if (options.json)
    out << line_of(to_json(scenario, run));
  else
    print(scenario, run, out);
  return done;
}

constexpr char const* footer =
    R"(What a BSP program takes whose processes migrate: each superstep is priced where its processes are (the slowest host,
which its active processes share; the longest messages of a process; a barrier), the policy is told what happened, and
moves what it says. Calls and migrations are paid for. The scenario names platform, mapping, workload and policy:
docs/formats.md. Processes are numbered from 0, supersteps from 1.

Policies: never; rotate (each process to the host of the next, at each call); migbsp (potentials of migration, Righi et
al. 2009); greedy_refine and diffusion (every ALPHA supersteps); skel (by the superstep times that are expected).

--json gives {"time": seconds, "supersteps", "calls": [superstep], "migrations": [{"superstep", "process", "from", "to",
"pm", "t1", "t2"}], "imbalance": largest time of hosts / mean - 1, over all supersteps, "policy", "calling": seconds of
calls, "migrating": seconds of migrations, "reschedulings": [{"superstep", "imbalance_before", "imbalance_after",
"cost", "price", "candidates": [as migrations, with "accepted" and "why"]}]}.

Examples:
  skel bsp scenario.json
  skel bsp scenario.json --policy migbsp --alpha 2 --json)";

}  // namespace

action add_bsp(CLI::App& app) {
  auto const options = std::make_shared<bsp_options>();
  app.add_option("SCENARIO", options->scenario, "program, platform and policy (JSON, docs/formats.md)")->required();
  app.add_option("--policy", options->policy,
                 "instead of the scenario's: never, rotate, migbsp, greedy_refine, diffusion or skel")
      ->type_name("NAME");
  app.add_option("--alpha", options->alpha, "supersteps until the first call, instead of the scenario's")
      ->type_name("SUPERSTEPS");
  app.add_flag("--json", options->json, "one JSON object on standard output");
  app.footer(footer);
  return [options](std::ostream& out) { return bsp(*options, out); };
}

}  // namespace skel::tools
