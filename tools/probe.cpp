#include <cmath>
#include <memory>
#include <ostream>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/grid/probe.hpp>
#include <skel/platform/files.hpp>
#include <skel/platform/measured.hpp>
#include <skel/runtime/launched.hpp>

#include "verbs.hpp"

namespace skel::tools {
namespace {

using nlohmann::ordered_json;

struct probe_command {
  std::string output, cache;
  double max_age = 0;
  long long repeats = static_cast<long long>(runtime::link_probe_options{}.repeats);
  probe_options options;
  bool no_cache = false, json = false;
};

/// A number with a unit that suits it: 0.0000123 s is "12.3 us".
std::string with_unit(double value, std::string_view unit) {
  struct prefix {
    double factor;
    char const* name;
  };
  if (value == 0) return fmt::format("0 {}", unit);
  for (prefix const& p : {prefix{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "u"}})
    if (value >= p.factor) return fmt::format("{:.3g} {}{}", value / p.factor, p.name, unit);
  return fmt::format("{:.3g} n{}", value / 1e-9, unit);
}

ordered_json measured(platform::parameter_blocks const& blocks) {
  auto const found = blocks.find("measured");
  return found == blocks.end() ? ordered_json::object() : ordered_json::parse(found->second);
}

void print_table(probe_result const& result, std::ostream& out) {
  platform::description const& machine = result.platform;
  ordered_json const run = measured(machine.parameters());
  out << fmt::format("{} rank{}, {} {} in {:.2f} s, {} round trips\n\n", machine.host_count(),
                     machine.host_count() == 1 ? "" : "s", result.from_cache ? "kept since" : "measured",
                     run.value("date", "?"), run.value("seconds", 0.0), run.value("probes", 0));
  out << fmt::format("{:24} {:>5} {:>14} {:>7} {:>10}\n", "host", "cores", "speed [unit/s]", "spread", "memory");
  for (platform::cluster const& c : machine.clusters()) {
    ordered_json const block = measured(c.parameters);
    out << fmt::format("{:24} {:>5} {:>14.4g} {:>6.1f}% {:>10}\n", c.name, c.cores, c.speed,
                       100 * block.value("speed_spread", 0.0), with_unit(block.value("host_memory", 0.0), "B"));
  }
  if (machine.links().empty()) return;
  out << fmt::format("\n{:24} {:24} {:>10} {:>7} {:>11} {:>7}\n", "between", "and", "latency", "spread", "bandwidth",
                     "spread");
  for (platform::cluster_link const& l : machine.links()) {
    if (l.from > l.to) continue;
    ordered_json const block = measured(l.parameters);
    out << fmt::format("{:24} {:24} {:>10} {:>6.1f}% {:>11} {:>6.1f}%\n", machine.clusters()[l.from].name,
                       machine.clusters()[l.to].name, with_unit(l.path.latency, "s"),
                       100 * block.value("latency_spread", 0.0), with_unit(l.path.bandwidth, "B/s"),
                       100 * block.value("bandwidth_spread", 0.0));
  }
}

void check(probe_command const& command) {
  auto const time = [](char const* option, double value) {
    if (!std::isfinite(value) || value < 0) refuse_option(option, "is a time in seconds, 0 or more");
  };
  time("--time-limit", command.options.links.time_limit);
  time("--max-age", command.max_age);
  if (command.repeats < 3) refuse_option("--repeats", "is at least 3, so that a median means something");
  if (command.repeats > 1'000'000) refuse_option("--repeats", "is at most a million");
}

int probe_machine(probe_command command, std::ostream& out) {
  check(command);
  command.options.links.repeats = static_cast<std::size_t>(command.repeats);
  command.options.cache = command.cache;
  command.options.use_cache = !command.no_cache;
  command.options.max_age = command.max_age;
  runtime::launched_session const session;
  probe_result const result =
      session.is_active() ? probe(MPI_COMM_WORLD, command.options) : probe_alone(command.options);
  if (session.rank() != 0) return done;
  std::string const text = platform::to_json(result.platform);
  if (!command.output.empty()) platform::write_file(command.output, text);
  if (command.json) {
    ordered_json const answer = {{"platform", ordered_json::parse(text)},
                                 {"from_cache", result.from_cache},
                                 {"file", command.output.empty() ? ordered_json() : ordered_json(command.output)}};
    out << answer.dump() << '\n';
  } else {
    print_table(result, out);
    if (!command.output.empty()) out << "\nwritten to " << command.output << '\n';
  }
  return done;
}

constexpr char const* footer =
    R"(Every rank is one host of the platform, in rank order; ranks of one machine share its cores.
Speed is in work units per second: a million steps of a fixed kernel of integer, memory and floating-point
operations. A stage that takes t seconds on a host of speed v has "work": t * v.
A latency is half a round trip of an empty message, a bandwidth comes from messages that grow until ten
latencies fit into their time. All figures are medians; the spread is the robust standard deviation.

Examples:
  skel probe                                       this machine alone
  mpirun -np 4 skel probe -o grid.json             4 ranks and the paths between them
  mpirun -np 4 skel probe --max-age 3600 --json    take what was measured in the last hour)";

}  // namespace

action add_probe(CLI::App& app) {
  auto const command = std::make_shared<probe_command>();
  app.add_option("-o,--output", command->output, "write the platform description to this file");
  app.add_flag("--json", command->json, "one JSON object: {\"platform\": {...}, \"from_cache\", \"file\"}");
  app.add_option("--time-limit", command->options.links.time_limit, "seconds for all links together")
      ->capture_default_str();
  app.add_option("--repeats", command->repeats, "round trips per message size, at most")->capture_default_str();
  app.add_option("--max-age", command->max_age,
                 "believe an earlier measurement of the same hosts and ranks\nthat is younger than this [s]")
      ->capture_default_str();
  app.add_option("--cache", command->cache,
                 "file that keeps the measurement\n(default: $XDG_CACHE_HOME/skel/platform-KEY.json or in ~/.cache)");
  app.add_flag("--no-cache", command->no_cache, "neither read nor keep a measurement");
  app.footer(footer);
  return [command](std::ostream& out) { return probe_machine(*command, out); };
}

}  // namespace skel::tools
