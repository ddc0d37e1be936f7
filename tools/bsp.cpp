#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/formats/lb_data_file.hpp>
#include <skel/detail/mapping/migration/simulate.hpp>
#include <skel/detail/platform/bsp_scenario.hpp>
#include <skel/detail/record/clock.hpp>

#include "options.hpp"
#include "verbs.hpp"

namespace skel::tools {
namespace {

using nlohmann::ordered_json;

/// Most candidates of a call that the answer shows.
constexpr std::size_t most_candidates = 50;

struct bsp_options {
  std::string scenario, policy;
  std::optional<long long> alpha;
  bool json = false, timing = false;
};

/// A policy, and the time of its decisions here.
class timed_policy final : public mapping::migration::policy {
 public:
  explicit timed_policy(policy& decides) : decides_(decides) {}

  std::optional<record::rescheduling> after(record::superstep const& step) override {
    double const begin = record::now();
    auto call = decides_.after(step);
    if (call) call->took = record::now() - begin;
    return call;
  }

 private:
  policy& decides_;
};

platform::bsp_scenario read_scenario(bsp_options const& options) {
  auto scenario = platform::parse_bsp_scenario(
      text_of(options.scenario), source_of(options.scenario),
      options.scenario == "-" ? std::filesystem::path() : std::filesystem::path(options.scenario).parent_path(),
      formats::read_lb_data);
  if (!options.policy.empty()) {
    number_of("--policy", options.policy, skeletons::migration_policies());
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

/// Time of the slowest host in the first and the last superstep, with work, and with messages if there is beta [s].
/// `bound`: its least time of work in the last one, for any placement of processes [s].
struct slowest_hosts {
  double first = 0, last = 0, bound = 0;

  slowest_hosts(platform::bsp_scenario const& scenario, mapping::migration::simulated_run const& run) {
    auto const of = [&](cost::bsp::superstep_time const& one) {
      return one.computation + (scenario.beta ? one.communication : 0);
    };
    first = of(run.supersteps.front()), last = of(run.supersteps.back());
    auto const work = record::load_of(scenario.program, run.supersteps.size()).work;
    std::vector<double> speeds;
    for (std::size_t h = 0; h < scenario.machine.host_count(); ++h)
      speeds.push_back(scenario.machine.speed(h) *
                       (scenario.external_load.empty() ? 1 : 1 - scenario.external_load[h]));
    bound = cost::bsp::least_slowest(work, speeds);
  }
};

/// True if all times, and sums and ratios of times, are finite.
bool is_finite(platform::bsp_scenario const& scenario, mapping::migration::simulated_run const& run) {
  auto const all_finite = [](std::initializer_list<double> all) {
    return std::ranges::all_of(all, [](double one) { return std::isfinite(one); });
  };
  slowest_hosts const slowest(scenario, run);
  return all_finite({run.seconds, run.imbalance, slowest.first, slowest.last, slowest.bound}) &&
         std::ranges::all_of(run.calls, [&](auto const& call) {
           return all_finite({call.imbalance_before, call.imbalance_after, call.cost, call.price}) &&
                  std::ranges::all_of(call.candidates, [&](auto const& one) {
                    return all_finite({one.pm, one.t1, one.t2});
                  });
         });
}

ordered_json to_json(platform::bsp_scenario const& scenario, mapping::migration::simulated_run const& run,
                     bool timing) {
  slowest_hosts const slowest(scenario, run);
  ordered_json answer{{"time", run.seconds},
                      {"supersteps", run.supersteps.size()},
                      {"calls", ordered_json::array()},
                      {"migrations", ordered_json::array()},
                      {"imbalance", run.imbalance},
                      {"slowest", {{"first", slowest.first}, {"last", slowest.last}, {"bound", slowest.bound}}},
                      {"hosts", ordered_json::array()},
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
    if (timing) answer["reschedulings"].back()["took"] = call.took;
  }
  for (auto const h : run.hosts) answer["hosts"].push_back(scenario.machine.host_name(h));
  if (!scenario.tasks.empty()) answer["tasks"] = scenario.tasks;
  return answer;
}

void print(platform::bsp_scenario const& scenario, mapping::migration::simulated_run const& run, bool timing,
           std::ostream& out) {
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
  slowest_hosts const slowest(scenario, run);
  out << fmt::format(
      "imbalance {:.3f}; slowest host {:.6g} s in the first superstep, {:.6g} s in the last, at least {:.6g} s\n",
      run.imbalance, slowest.first, slowest.last, slowest.bound);
  for (auto const& call : run.calls) {
    out << fmt::format(
        "\nsuperstep {}: {}, imbalance {:.3f}, then {:.3f}; the call takes {:.3g} s, its migrations {:.3g} s\n",
        call.superstep, counted(call.candidates.size(), "candidate"), call.imbalance_before, call.imbalance_after,
        call.cost, call.price);
    if (timing) out << fmt::format("  deciding took {:.3g} s here\n", call.took);
    std::size_t shown = 0;
    for (auto const& one : call.candidates) {
      if (++shown > most_candidates) {
        out << fmt::format("  and {} more (--json tells all)\n", call.candidates.size() - most_candidates);
        break;
      }
      out << fmt::format("  {:>6} {} -> {} {} pm {:.4g} t1 {:.4g} t2 {:.4g}  {}\n", one.process,
                         scenario.machine.host_name(one.from), scenario.machine.host_name(one.to),
                         one.accepted ? "moves," : "stays,", one.pm, one.t1, one.t2, one.why);
    }
  }
}

int bsp(bsp_options const& options, std::ostream& out) {
  if (options.alpha && (*options.alpha < 1 || *options.alpha > static_cast<long long>(skeletons::most_alpha)))
    refuse_option("--alpha", "is a number of supersteps, 1 to " + std::to_string(skeletons::most_alpha));
  auto const scenario = read_scenario(options);
  try {
    cost::bsp::require_connected(scenario.machine);
  } catch (error const& e) {
    throw input_error(source_of(options.scenario), "platform", e.what());
  }
  cost::bsp::machine const machine{scenario.machine, scenario.migration_fixed, scenario.memory, scenario.beta,
                                   scenario.migration_per_byte};
  auto const policy = mapping::migration::make_policy(scenario.policy, machine, scenario.pinned);
  timed_policy timed(*policy);
  auto const run = mapping::migration::simulate(
      scenario.program, machine, {scenario.hosts, scenario.state_bytes, scenario.external_load, scenario.needs},
      options.timing ? timed : *policy);
  if (!is_finite(scenario, run))
    throw error(source_of(options.scenario) +
                ": takes longer than can be computed with; give hosts and links more speed, or processes less work, "
                "messages and state");
  if (options.json)
    out << line_of(to_json(scenario, run, options.timing));
  else
    print(scenario, run, options.timing, out);
  return done;
}

constexpr char const* bsp_footer =
    R"(The command simulates a BSP program whose processes migrate. It prices each superstep: the slowest host, which
its active processes share; the longest messages of a host; a barrier. The policy learns the times and moves processes.
Calls and migrations take time as well. The scenario has platform, mapping, workload and policy (docs/formats.md).
Processes are numbered from 0, supersteps from 1.

--json gives {"time": seconds, "supersteps", "calls": [superstep], "migrations": [{"superstep", "process", "from", "to",
"pm", "t1", "t2"}], "imbalance": largest time of hosts / mean of those with processes - 1, over all supersteps,
"slowest": {"first", "last", "bound"}: seconds of the slowest host in these supersteps, and the least in the last,
"hosts": of each process in the end, "tasks": their numbers in data files, "policy", "calling": seconds of calls,
"migrating": seconds of migrations, "reschedulings": [{"superstep", "imbalance_before", "imbalance_after", "cost",
"price", "candidates": [like migrations, with "accepted" and "why"], "took": seconds here, with --timing}]}.

Examples:
  skel bsp scenario.json
  skel bsp scenario.json --policy migbsp --alpha 2 --json

Policies:
)";

action add_bsp(CLI::App& app) {
  auto const options = std::make_shared<bsp_options>();
  app.add_option("SCENARIO", options->scenario, "scenario with program, platform and policy (JSON, docs/formats.md)")
      ->required();
  app.add_option("--policy", options->policy, "Uses this policy instead of the scenario's.")->type_name("NAME");
  app.add_option("--alpha", options->alpha,
                 "Makes the first call after this many supersteps, instead of the scenario's.")
      ->type_name("SUPERSTEPS");
  app.add_flag("--json", options->json, "Prints one JSON object on standard output.");
  app.add_flag("--timing", options->timing, "Adds the time of each decision on this machine.");
  app.footer(bsp_footer + skeletons::migration_policies().help());
  return [options](std::ostream& out) { return bsp(*options, out); };
}
a_verb const added_bsp({"bsp", "Simulates a BSP program whose processes migrate.", add_bsp});

}  // namespace
}  // namespace skel::tools
