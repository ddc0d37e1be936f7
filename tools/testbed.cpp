#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>

#include "options.hpp"
#include "testbed/cpu_groups.hpp"
#include "testbed/hosts.hpp"
#include "testbed/lifetime.hpp"
#include "testbed/names.hpp"
#include "verbs.hpp"

namespace skel::tools {
namespace {

using nlohmann::ordered_json;
using testbed::names;

constexpr char const* usual_name = "grid";

struct testbed_command {
  std::string name = usual_name, file, host, bandwidth;
  double share = 1, latency = 0;
  unsigned mtu = 1500;
  std::vector<std::string> of, program;
  bool one_way = false, json = false;
  CLI::App *up = nullptr, *down = nullptr, *set = nullptr, *show = nullptr, *run = nullptr;
};

/// "skel testbed WHAT", with the name unless it is the usual one.
std::string again(testbed_command const& command, std::string const& what) {
  return "skel testbed " + what + (command.name == usual_name ? "" : " --name " + command.name);
}

/// The skel command, as a file that can be started from anywhere.
std::string this_command() {
  std::error_code failure;
  std::filesystem::path const file = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) throw error("/proc/self/exe: " + failure.message());
  return file;
}

int up(testbed_command const& command, std::ostream& out) {
  names const called(command.name);
  if (!std::isfinite(command.share) || command.share < testbed::least_cores)
    refuse_option("--share", "is the part of a core of this machine that the fastest host's cores have, 0.001 or more");
  constexpr unsigned least_mtu = 576, most_mtu = 65535;  // RFC 791: the least that every host takes, and the most
  if (command.mtu < least_mtu || command.mtu > most_mtu)
    refuse_option("--mtu", fmt::format("is the largest packet in bytes, {} to {}", least_mtu, most_mtu));
  platform::description machine = read_platform(command.file);
  testbed::network wires = testbed::make_network(machine, command.share, source_of(command.file));
  double cores = 0;
  for (testbed::host const& one : wires.hosts) cores += one.share * static_cast<double>(one.cores);
  std::size_t const hosts = wires.hosts.size(), clusters = machine.clusters().size();
  pid_t const process = testbed::bring_up({.called = called,
                                           .machine = std::move(machine),
                                           .wires = std::move(wires),
                                           .mtu = command.mtu,
                                           .command = this_command()});
  if (double const there = std::thread::hardware_concurrency(); cores > there)
    complain(
        fmt::format("warning: the hosts may use {:.3g} cores together, and this machine has {:.3g}: they keep the "
                    "speeds of the file only while no more are busy at once; --share {:.2g} always keeps them",
                    cores, there, command.share * there / cores));
  if (command.json) {
    out << line_of({{"testbed", command.name},
                    {"process", process},
                    {"hosts", hosts},
                    {"clusters", clusters},
                    {"folder", called.folder().string()},
                    {"agent", called.agent().string()},
                    {"hostfile", called.hostfile().string()}});
    return done;
  }
  out << fmt::format("testbed '{}' is up: {} in {} (process {})\n", command.name, counted(hosts, "host"),
                     counted(clusters, "cluster"), process);
  out << "run on it:  " << again(command, "run") << fmt::format(" -- mpirun -np {} PROGRAM\n", hosts);
  out << "end it:     " << again(command, "down") << '\n';
  return done;
}

int down(testbed_command const& command, std::ostream& out) {
  testbed::removal const removed = testbed::bring_down(names(command.name));
  if (command.json) {
    out << line_of({{"testbed", command.name}, {"was_up", removed.was_up}, {"left_behind", removed.hosts}});
    return done;
  }
  out << "testbed '" << command.name << "' "
      << (removed.was_up      ? "is down"
          : removed.hosts > 0 ? "was not up; the rest of " + counted(removed.hosts, "host") + " is removed"
                              : "was not up, and nothing is left of it")
      << '\n';
  return done;
}

int set(testbed_command const& command, std::ostream& out) {
  bool const latency = command.set->count("--latency") > 0, bandwidth = command.set->count("--bandwidth") > 0,
             share = command.set->count("--share") > 0;
  if (share && command.of.size() != 1) refuse_option("--share", "is of one host, or of the hosts of one cluster");
  if (!share && command.of.size() != 2)
    refuse_option("NAME", "needs two, each a host or a cluster: source and destination");
  if (!share && !latency && !bandwidth)
    refuse_option("NAME", "is given without a change; add --latency, --bandwidth or --share");
  ordered_json question{{"ask", "set"}, {"of", command.of}};
  if (share) question["share"] = command.share;
  if (latency) question["latency"] = command.latency;
  if (bandwidth) question["bandwidth"] = size_of("--bandwidth", command.bandwidth);
  if (command.one_way) question["one_way"] = true;
  for (auto const& [key, value] : question.items())
    if (value.is_number() && !std::isfinite(value.get<double>())) refuse_option("--" + key, "is not finite");
  ordered_json const answer = testbed::ask(names(command.name), question);
  if (command.json) {
    out << line_of(answer);
    return done;
  }
  std::size_t const changed = answer.at("changed");
  out << "changed: " << (share ? counted(changed, "host") : counted(changed, "way")) << '\n';
  return done;
}

std::string bandwidth_text(ordered_json const& value) {
  return value.is_null() ? "unlimited" : fmt::format("{:.6g}", value.get<double>());
}

/// Paths of the same two clusters share a line if they are alike.
void print_paths(ordered_json const& answer, std::ostream& out) {
  struct line {
    std::size_t ways = 0;
    std::uint64_t packets = 0, bytes = 0, dropped = 0;
  };
  std::map<std::string, std::string> cluster_of;
  for (auto const& host : answer["hosts"]) cluster_of[host["name"]] = host["cluster"];
  std::vector<std::pair<std::vector<std::string>, line>> lines;
  for (auto const& path : answer["paths"]) {
    std::vector<std::string> const alike{cluster_of[path["from"]], cluster_of[path["to"]],
                                         fmt::format("{:.6g}", path["latency"].get<double>()),
                                         bandwidth_text(path["bandwidth"]) + (path["shared"] ? " shared" : "")};
    auto found = std::ranges::find(lines, alike, [](auto const& one) { return one.first; });
    if (found == lines.end()) found = lines.insert(lines.end(), {alike, {}});
    ++found->second.ways;
    found->second.packets += path["packets"].get<std::uint64_t>();
    found->second.bytes += path["bytes"].get<std::uint64_t>();
    found->second.dropped += path["dropped"].get<std::uint64_t>();
  }
  out << fmt::format("\n{:16} {:16} {:>6} {:>12} {:>18} {:>10} {:>14} {:>8}\n", "from", "to", "ways", "latency [s]",
                     "bandwidth [B/s]", "packets", "bytes", "dropped");
  for (auto const& [alike, sum] : lines)
    out << fmt::format("{:16} {:16} {:>6} {:>12} {:>18} {:>10} {:>14} {:>8}\n", alike[0], alike[1], sum.ways, alike[2],
                       alike[3], sum.packets, sum.bytes, sum.dropped);
}

int show(testbed_command const& command, std::ostream& out) {
  names const called(command.name);
  ordered_json answer = testbed::ask(called, {{"ask", "show"}});
  int const process = testbed::switch_of(called).value_or(0);
  if (command.json) {
    ordered_json whole{{"testbed", command.name}, {"process", process}, {"folder", called.folder().string()}};
    whole.update(answer);
    out << line_of(whole);
    return done;
  }
  auto const& late = answer["late"];
  out << fmt::format("testbed '{}': {}, packets of {} B at most, process {}{}\n", command.name,
                     counted(answer["hosts"].size(), "host"), answer["mtu"].get<unsigned>(), process,
                     answer["real_time"] ? "" : " without real-time priority: packets may be late");
  out << fmt::format(
      "packets were handed over {:.1f} us late in the mean; 99 % at most {:.1f} us, the latest {:.1f} us\n",
      1e6 * late["mean"].get<double>(), 1e6 * late["p99"].get<double>(), 1e6 * late["most"].get<double>());
  out << fmt::format("\n{:24} {:16} {:16} {:>8} {:>6}\n", "host", "cluster", "address", "share", "cores");
  for (auto const& host : answer["hosts"])
    out << fmt::format("{:24} {:16} {:16} {:>8.4g} {:>6}\n", host["name"].get<std::string>(),
                       host["cluster"].get<std::string>(), host["address"].get<std::string>(),
                       host["share"].get<double>(), host["cores"].get<std::size_t>());
  print_paths(answer, out);
  return done;
}

[[noreturn]] void run(testbed_command const& command) {
  testbed::expect_possible();
  names const called(command.name);
  ordered_json const answer = testbed::ask(called, {{"ask", "hosts"}});
  std::vector<std::string> hosts;
  for (auto const& host : answer["hosts"]) hosts.push_back(host["name"]);
  std::string const host = command.host.empty() ? hosts.front() : command.host;
  if (std::ranges::find(hosts, host) == hosts.end())
    refuse_name("--host", host, "host of testbed '" + command.name + "'", hosts);
  testbed::become(called, host, command.program);
}

constexpr char const* testbed_footer =
    R"(The command emulates the grid of a platform file on one machine. Each host becomes a network namespace with a
host name and an address of its own, and a control group with its share of the processors. A process carries packets
between the hosts. It holds each packet for the latency of its way and for its time at the way's bandwidth. It needs
root.

  up FILE      Makes the grid, and returns when you can use it.
  run          Runs a command on a host: the first one, or that of --host. An unchanged mpirun there starts its ranks on
               all hosts, over TCP between them.
  set A B      Changes latency or bandwidth between two hosts, or clusters, in both directions, while programs run.
               A A means inside the cluster A. The change holds for packets that leave from now on.
  set A --share S      Changes a host's share of the processors.
  show         Shows hosts and ways, the packets that they carried, and the lateness of packets.
  down         Ends the grid with every process on its hosts. It also removes the rest of a killed one.

A channel holds the packets of a round trip at its bandwidth, at least 256 KiB. It drops packets that find no room. The
fastest host of the file has --share of a core for each of its cores. Slower hosts have as much less as they are slower.
In the file, "x_shared": true of a link makes it one channel for all hosts of its clusters.

Examples:
  skel testbed up grid.json
  skel testbed run -- mpirun -np 6 skel probe -o seen.json
  skel testbed set lyon nancy --latency 0.05 --bandwidth 10MB
  skel testbed set lyon-2 --share 0.1
  skel testbed run --host lyon-1 -- ip address
  skel testbed down)";

action add_testbed(CLI::App& app) {
  auto const command = std::make_shared<testbed_command>();
  auto const add = [&](char const* name, char const* summary, bool with_json = true) {
    CLI::App* const sub = app.add_subcommand(name, summary);
    sub->footer("");
    sub->add_option("--name", command->name, "Names the testbed: letters a to z and digits.")->capture_default_str();
    if (with_json) sub->add_flag("--json", command->json, "Prints one JSON object on standard output.");
    return sub;
  };
  command->up = add("up", "Makes the grid of a platform file.");
  command->up->add_option("FILE", command->file, "platform description (JSON, docs/formats.md); - reads standard input")
      ->required();
  command->up
      ->add_option("--share", command->share, "Gives a core of the fastest host this part of a core of this machine.")
      ->capture_default_str();
  command->up->add_option("--mtu", command->mtu, "Sets the largest packet [B].")->capture_default_str();
  command->down = add("down", "Ends the grid, or removes the rest of it.");
  command->set = add("set", "Changes latency, bandwidth or shares while programs run.");
  command->set->add_option("NAME", command->of, "source and destination: hosts or clusters; with --share one of them")
      ->required()
      ->expected(1, 2);
  command->set->add_option("--latency", command->latency, "Sets the latency of one way [s].");
  command->set
      ->add_option("--bandwidth", command->bandwidth,
                   "Sets the bandwidth of each channel [B/s]; it may have a unit: 25MB.")
      ->type_name("SIZE");
  command->set
      ->add_option("--share", command->share, "Gives each core of the host this share of a core of this machine.")
      ->excludes("--latency")
      ->excludes("--bandwidth");
  command->set->add_flag("--one-way", command->one_way, "Changes only the direction from the first to the second.")
      ->excludes("--share");
  command->show = add("show", "Shows hosts and ways, the packets that they carried, and their lateness.");
  command->run = add("run", "Runs a command on a host of the grid.", false);
  command->run->add_option("--host", command->host, "Runs it on this host (default: the first one).")
      ->type_name("NAME");
  command->run->add_option("COMMAND", command->program, "command and arguments; -- may stand before it")->required();
  app.footer(testbed_footer);
  return [command](std::ostream& out) -> int {
    if (command->up->parsed()) return up(*command, out);
    if (command->down->parsed()) return down(*command, out);
    if (command->set->parsed()) return set(*command, out);
    if (command->show->parsed()) return show(*command, out);
    if (command->run->parsed()) run(*command);
    refuse_option("VERB", "is missing; one of up, run, set, show, down");
  };
}
a_verb const added_testbed({"testbed", "Emulates the grid of a platform file on this machine, to run programs on it.",
                            add_testbed});

}  // namespace
}  // namespace skel::tools
