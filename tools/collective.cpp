#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/number.hpp>
#include <skel/detail/mapping/collective_mapper.hpp>
#include <skel/detail/platform/files.hpp>

#include "options.hpp"
#include "verbs.hpp"

namespace skel::tools {
namespace {

using mapping::collective_decision;
using mapping::collective_mapper;
using nlohmann::ordered_json;

struct collective_options {
  std::string platform, operation = "broadcast", root;
  std::optional<std::string> bytes;
  double gamma = 0;
  std::optional<long long> stripes;
  bool ordered = false, json = false;
};

/// The host whose name is given, or the first.
std::size_t find_root(platform::description const& machine, std::string const& name) {
  if (name.empty()) return 0;
  if (auto const host = machine.find_host(name)) return *host;
  auto const cluster = machine.find_cluster(name);
  refuse_option("--root", fmt::format("'{}' is not a host of the platform; {}", name,
                                      cluster ? fmt::format("of this cluster there is '{}-0'", name)
                                              : fmt::format("its first is '{}'", machine.host_name(0))));
}

ordered_json to_json(collective_decision const& decision, platform::description const& machine) {
  auto const cluster = [&](std::size_t c) { return machine.clusters()[c].name; };
  ordered_json answer{{"predicted", decision.predicted}, {"name", decision.name}};
  ordered_json edges = ordered_json::array();
  for (auto const& [from, to] : decision.edges) edges.push_back({cluster(from), cluster(to)});
  answer["inter"] = {{"schedule", decision.schedule}, {"edges", std::move(edges)}, {"predicted", decision.between}};
  if (decision.plan.route) answer["inter"]["stripes"] = decision.plan.route->trees.stripes;
  answer["intra"] = ordered_json::array();
  for (auto const& inside : decision.inside)
    answer["intra"].push_back({{"cluster", cluster(inside.cluster)},
                               {"algorithm", inside.algorithm},
                               {"segment", inside.segment},
                               {"model", inside.model},
                               {"predicted", inside.predicted}});
  answer["alternatives"] = ordered_json::array();
  for (auto const& other : decision.alternatives)
    answer["alternatives"].push_back({{"name", other.name}, {"predicted", other.predicted}});
  answer["why"] = decision.why;
  return answer;
}

int collective(collective_options const& options, std::ostream& out) {
  auto const operation = static_cast<plan::collective>(number_of("--op", options.operation, plan::collectives()));
  bool const barrier = operation == plan::collective::barrier;
  if (!options.bytes && !barrier) refuse_option("--bytes", "is missing; a whole number of bytes is wanted");
  std::uint64_t const bytes = barrier ? 0 : bytes_of("--bytes", *options.bytes, 0);
  mapping::collective_options limits;
  if (options.stripes) {
    if (*options.stripes < 1)
      refuse_option("--stripes", fmt::format("is {}; a number of trees, 1 or more", *options.stripes));
    limits.most_stripes = static_cast<std::size_t>(*options.stripes);
  }
  double const gamma = gamma_of("--gamma", options.gamma);
  platform::description const machine = read_platform(options.platform);
  std::vector<plan::host_id> hosts(machine.host_count());
  std::iota(hosts.begin(), hosts.end(), std::size_t{0});
  collective_mapper mapper(machine, hosts, limits);
  collective_decision const& decision = mapper.decide({.operation = operation,
                                                       .bytes = bytes,
                                                       .root = find_root(machine, options.root),
                                                       .commutative = !options.ordered,
                                                       .gamma = gamma});
  if (options.json) {
    out << line_of(to_json(decision, machine));
    return done;
  }
  out << fmt::format("{} of {} bytes among {}: {:.3f} ms\n{}\n", options.operation, bytes,
                     counted(hosts.size(), "host"), 1e3 * decision.predicted, decision.why);
  if (!decision.edges.empty()) {
    out << fmt::format("\nbetween clusters: {}, {:.3f} ms\n", decision.schedule, 1e3 * decision.between);
    for (auto const& [from, to] : decision.edges)
      out << fmt::format("  {} -> {}\n", machine.clusters()[from].name, machine.clusters()[to].name);
  }
  out << fmt::format("\n{:<20} {:<20} {:>12} {:<10} {:>10}\n", "inside", "algorithm", "segment [B]", "model", "ms");
  for (auto const& inside : decision.inside)
    out << fmt::format("{:<20} {:<20} {:>12} {:<10} {:>10.3f}\n", machine.clusters()[inside.cluster].name,
                       inside.algorithm, inside.segment, inside.model, 1e3 * inside.predicted);
  if (decision.alternatives.empty()) return done;
  std::size_t width = 0;
  for (auto const& other : decision.alternatives) width = std::max(width, other.name.size());
  out << fmt::format("\n{:<{}} {:>10}\n", "alternatives", width, "ms");
  for (auto const& other : decision.alternatives)
    out << fmt::format("{:<{}} {:>10.3f}\n", other.name, width, 1e3 * other.predicted);
  return done;
}

constexpr char const* collective_footer =
    R"(All hosts of the platform take part, with one process each. Models predict the times. They take their parameters
from the platform file (docs/formats.md), or else from latency and bandwidth.

Example:
  skel collective grid.json --op broadcast --bytes 1048576 --root orsay-0)";

action add_collective(CLI::App& app) {
  auto const options = std::make_shared<collective_options>();
  app.add_option("PLATFORM", options->platform, "platform description (JSON, docs/formats.md); - reads standard input")
      ->required();
  app.add_option(
         "--op", options->operation,
         "Plans this collective: broadcast, reduce, allreduce, scatter, gather, allgather, alltoall or barrier.")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--bytes", options->bytes,
                 "Gives the size of the vector; for scatter, gather and allgather of each host's part; for alltoall of "
                 "each pair.")
      ->type_name("BYTES");
  app.add_option("--root", options->root, "Names the host that has or gets everything (default: the first).")
      ->type_name("HOST");
  app.add_option("--gamma", options->gamma, "Gives the time of a reduction's operator [s/B].")
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--stripes", options->stripes, "Sends segments over at most N trees in turn; 1: one tree.")
      ->type_name("N");
  app.add_flag("--ordered", options->ordered,
               "Keeps operands in the order of the hosts, for an operator that is not commutative.");
  app.add_flag("--json", options->json, "Prints one JSON object on standard output.");
  app.footer(collective_footer);
  return [options](std::ostream& out) { return collective(*options, out); };
}
a_verb const added_collective({"collective", "Chooses the best way of a collective on a platform.", add_collective});

}  // namespace
}  // namespace skel::tools
