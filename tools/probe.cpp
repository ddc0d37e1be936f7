#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/machine/discovery.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/kept_files.hpp>
#include <skel/detail/runtime/ranks/native.hpp>
#include <skel/detail/runtime/ranks/quiet.hpp>

#include "options.hpp"
#include "verbs.hpp"

namespace skel::tools {
namespace {

using nlohmann::ordered_json;

struct probe_command {
  std::string output, cache, models = "plogp,loggp,hockney";
  std::string probes = std::to_string(discovery_options{}.probes);
  discovery_options options;
  bool no_cache = false, json = false, progress = false;
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

std::string bandwidth(platform::link const& path) {
  return std::isfinite(path.bandwidth) ? with_unit(path.bandwidth, "B/s") : "unlimited";
}

/// "plogp 2.1 %, hockney 30 %": deviations of the models from the measured times.
std::string fits(platform::path_figures const& path) {
  std::string text;
  for (auto const& [model, residual] : path.residuals)
    text += fmt::format("{}{} {:.2g} %", text.empty() ? "" : ", ", model, 100 * residual);
  return text;
}

void print_table(discovery_result const& result, std::ostream& out) {
  platform::description const& machine = result.picture.machine();
  platform::survey const& all = result.picture.measured();
  double const doubt = doubt_of(all);
  out << fmt::format(
      "{} in {}, {} {} in {:.2f} s, {} probes in {}; noise of a latency {:.1f} %, "
      "known within {:.1f} %\n",
      counted(machine.host_count(), "host"), counted(machine.clusters().size(), "cluster"),
      result.from_cache ? "kept since" : "measured", all.date, all.seconds, all.probes, counted(all.rounds, "round"),
      100 * all.latency_spread, 100 * doubt);
  if (doubt > platform::sure_enough)
    out << fmt::format(
        "The machine was busy: measure again when it is not. The least sure figures are kept for {:.2g} % of "
        "--max-age.\n",
        100 * platform::believed_for(1, doubt));
  if (machine.host_count() == 1)
    out << (all.clusters.front().local.probes == 0
                ? "One host: there is no path to measure. Start ranks on other hosts too, or let each rank count as a "
                  "host (--per-rank).\n"
                : "One host: the path is that between two of its ranks.\n");
  out << fmt::format("\n{:24} {:>6} {:>5} {:>14} {:>6} {:>10} {:>11}  {}\n", "cluster", "hosts", "cores",
                     "speed [unit/s]", "load", "latency", "bandwidth", "off by");
  for (std::size_t i = 0; i < all.clusters.size(); ++i) {
    platform::cluster const& c = machine.clusters()[i];
    platform::path_figures const& path = c.hosts > 1 ? all.clusters[i].inside : all.clusters[i].local;
    double load = 0;
    for (std::size_t host : all.clusters[i].hosts) load = std::max(load, all.hosts[host].load);
    out << fmt::format("{:24} {:>6} {:>5} {:>14.4g} {:>5.1f}% {:>10} {:>11}  {}\n", c.name, c.hosts, c.cores, c.speed,
                       100 * load, path.probes > 0 ? with_unit(path.path.latency, "s") : "-",
                       path.probes > 0 ? bandwidth(path.path) : "-", fits(path));
  }
  if (all.links.empty()) return;
  out << fmt::format("\n{:24} {:24} {:>10} {:>7} {:>11}  {}\n", "from", "to", "latency", "spread", "bandwidth",
                     "off by");
  for (platform::found_link const& l : all.links)
    out << fmt::format("{:24} {:24} {:>10} {:>6.1f}% {:>11}  {}\n", machine.clusters()[l.from].name,
                       machine.clusters()[l.to].name, with_unit(l.measured.path.latency, "s"),
                       100 * l.measured.latency_spread, bandwidth(l.measured.path), fits(l.measured));
}

std::vector<cost::model_kind> parse_models(std::string const& list) {
  std::vector<cost::model_kind> models;
  for (std::string_view const name : split(list, ',')) {
    auto const kind = static_cast<cost::model_kind>(number_of("--models", std::string(name), cost::message_models()));
    if (std::find(models.begin(), models.end(), kind) == models.end()) models.push_back(kind);
  }
  return models;
}

std::size_t parse_probes(std::string const& text) {
  constexpr long long most = 1'000'000;
  auto const value = number_in<long long>(text);
  if (!value || *value < 1 || *value > most)
    refuse_option("--probes", in_quotes(text) +
                                  " is not a whole number from 1 to a million: how often each time is measured "
                                  "at most (five are always made)");
  return static_cast<std::size_t>(*value);
}

/// Fails for meaningless options, before anything is measured.
void check(probe_command& command) {
  auto const time = [](char const* option, double value) {
    if (!std::isfinite(value) || value < 0) refuse_option(option, "is a time in seconds, 0 or more");
  };
  time("--time-limit", command.options.time_limit);
  time("--max-age", command.options.max_age);
  if (!std::isfinite(command.options.tolerance) || command.options.tolerance < 0)
    refuse_option("--tolerance", "is a part of the latency, 0 or more (0.2: 20 %)");
  command.options.probes = parse_probes(command.probes);
  command.options.models = parse_models(command.models);
}

/// On a terminal, overwrites its line; otherwise prints a line for a phase and for each tenth of its rounds.
void show_progress(std::string const& phase, std::size_t done, std::size_t all) {
  bool const over = ::isatty(STDERR_FILENO) == 1;
  if (done == 0) {
    std::fprintf(stderr, over ? "\r\033[Kskel: %s" : "skel: %s\n", phase.c_str());
    return;
  }
  if (over)
    std::fprintf(stderr, "\r\033[Kskel: %s: round %zu of %zu%s", phase.c_str(), done, all, done == all ? "\n" : "");
  else if (done == all || done * 10 / all != (done - 1) * 10 / all)  // every tenth part
    std::fprintf(stderr, "skel: %s: round %zu of %zu\n", phase.c_str(), done, all);
}

/// True if the output can be written. Otherwise rank 0 throws skel::error, and the others get false. Collective.
bool output_is_writable(probe_command const& command, runtime::launched_session const& session) {
  std::string problem;
  if (session.rank() == 0 && !command.output.empty()) {
    try {
      platform::check_writable(command.output);
    } catch (error const& found) {
      problem = found.what();
    }
  }
  if (session.is_active()) problem = runtime::quiet::broadcast(MPI_COMM_WORLD, problem);
  if (problem.empty()) return true;
  if (session.rank() == 0) throw error(problem);
  return false;
}

int probe_machine(probe_command command, std::ostream& out) {
  runtime::launched_session const session;
  try {
    check(command);
  } catch (input_error const&) {
    if (session.rank() == 0) throw;
    return done;  // rank 0 says it: mpirun ends all ranks as soon as one fails, perhaps before that
  }
  if (!output_is_writable(command, session)) return done;
  command.options.cache = command.cache;
  command.options.use_cache = !command.no_cache;
  if (command.progress || ::isatty(STDERR_FILENO) == 1) command.options.progress = show_progress;
  discovery_result result;
  try {
    result = session.is_active() ? discover(MPI_COMM_WORLD, command.options) : discover_alone(command.options);
  } catch (error const&) {  // the same on every rank
    if (session.rank() == 0) throw;
    return done;
  }
  if (session.rank() != 0) return done;
  std::string const text = platform::to_json(result.picture.machine());
  if (!command.output.empty()) platform::write_file(command.output, text);
  if (command.json) {
    ordered_json const answer = {{"platform", ordered_json::parse(text)},
                                 {"from_cache", result.from_cache},
                                 {"file", command.output.empty() ? ordered_json() : ordered_json(command.output)}};
    out << line_of(answer);
  } else {
    print_table(result, out);
    if (!command.output.empty()) out << "\nwritten to " << shown_file(command.output) << '\n';
  }
  return done;
}

constexpr char const* probe_footer =
    R"(Start one rank on each host. Several ranks of one host count as one. The command measures in three steps:
  1. The latency between each two hosts, in rounds of disjoint pairs: 99 rounds for 100 hosts.
  2. Hosts whose latencies agree within the tolerance become clusters.
  3. Messages between two hosts of each cluster and of each two clusters, as many as the models need. If a host has
     several ranks, also messages between two of them.
It repeats times until the 95 % interval of the median is narrower than a quarter of the tolerance, or up to --probes.

Speed is in work units per second. A work unit is a million steps of a fixed kernel of integer, memory and
floating-point operations. A stage that takes t seconds on a host of speed v has "work": t * v. A cluster has the median
speed of its hosts. "load" is the part of the time in which something else had the core, on the host with the greatest.
"off by" is the distance of each model from the measurements: the robust deviation of its relative errors.

Examples:
  skel probe                                       this machine alone
  mpirun -np 4 skel probe -o grid.json             the hosts of 4 ranks, and the paths between them
  mpirun -np 4 skel probe --per-rank --json        each rank counts as a host
  mpirun ... skel probe -o grid.json --models hockney --probes 9      fewer probes
  mpirun ... skel probe --max-age 3600             takes measurements of the last hour)";

action add_probe(CLI::App& app) {
  auto const command = std::make_shared<probe_command>();
  app.add_option("-o,--output", command->output, "Writes the platform description to this file.");
  app.add_flag("--json", command->json, "Prints one JSON object: {\"platform\": {...}, \"from_cache\", \"file\"}.");
  app.add_option("--models", command->models,
                 "Measures the parameters of these communication models\n(skel price --list).")
      ->type_name("LIST")
      ->capture_default_str();
  app.add_option("--tolerance", command->options.tolerance, "Lets latencies inside a cluster differ by this part.")
      ->type_name("PART")
      ->capture_default_str();
  app.add_option("--probes,--repeats", command->probes, "Measures each time at most N times.")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--time-limit", command->options.time_limit,
                 "Measures only what is indispensable after this many seconds.")
      ->capture_default_str();
  app.add_flag("--per-rank", command->options.host_per_rank, "Counts every rank as a host, also on one machine.");
  app.add_flag("--progress", command->progress, "Prints the rounds on standard error, also if that is no terminal.");
  app.add_option("--max-age", command->options.max_age,
                 "Takes an earlier measurement of the same hosts and\ntolerance that is younger [s], and adds the "
                 "missing parts.")
      ->capture_default_str();
  app.add_option(
      "--cache", command->cache,
      "Keeps the measurement in this file\n(default: $XDG_CACHE_HOME/skel/platform-KEY.json or in ~/.cache).");
  app.add_flag("--no-cache", command->no_cache, "Neither reads nor keeps a measurement.");
  app.footer(probe_footer);
  return [command](std::ostream& out) { return probe_machine(*command, out); };
}
a_verb const added_probe({"probe", "Measures hosts and the paths between them.", add_probe});

}  // namespace
}  // namespace skel::tools
