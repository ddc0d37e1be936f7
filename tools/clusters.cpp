#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/platform/clusters.hpp>
#include <skel/detail/platform/files.hpp>

#include "options.hpp"
#include "verbs.hpp"

namespace skel::tools {
namespace {

using nlohmann::ordered_json;

struct clusters_options {
  std::string platform, latencies, method = "robust";
  double tolerance = 0.2;
  bool json = false;
};

ordered_json names_of(platform::latency_matrix const& matrix, std::vector<std::size_t> const& group) {
  ordered_json names = ordered_json::array();
  for (std::size_t host : group) names.push_back(matrix.hosts()[host]);
  return names;
}

int clusters(clusters_options const& options, std::ostream& out) {
  if (!std::isfinite(options.tolerance) || options.tolerance < 0)
    refuse_option("--tolerance", "is a part of the latency, 0 or more (0.2: 20 %)");
  if (options.platform.empty() == options.latencies.empty())
    refuse_option("PLATFORM", options.platform.empty() ? "is missing; give a platform or --latencies MATRIX.csv"
                                                       : "and --latencies cannot both be given");
  platform::latency_matrix const matrix =
      options.latencies.empty()
          ? platform::latencies_of(read_platform(options.platform), options.platform, options.tolerance)
          : platform::read_latencies(options.latencies, options.tolerance);
  platform::partition const groups = options.method == "robust"
                                         ? platform::robust_clusters(matrix, options.tolerance)
                                         : platform::lowekamp_beguelin(matrix, options.tolerance);
  auto const names = platform::group_names(matrix.hosts(), groups);
  ordered_json answer{{"clusters", ordered_json::array()}, {"levels", ordered_json::array()}};
  for (std::size_t g = 0; g < groups.size(); ++g)
    answer["clusters"].push_back({{"name", names[g]},
                                  {"hosts", names_of(matrix, groups[g])},
                                  {"latency", platform::inside_latency(matrix, groups[g])}});
  for (platform::host_level const& level : platform::levels_of(matrix, groups, options.tolerance)) {
    ordered_json members = ordered_json::array();
    for (auto const& group : level.groups) members.push_back(names_of(matrix, group));
    answer["levels"].push_back({{"name", level.name}, {"groups", std::move(members)}});
  }
  // They are written in microseconds.
  for (auto const& cluster : answer["clusters"])
    if (!std::isfinite(1e6 * cluster["latency"].get<double>()))
      throw error(fmt::format("the latency inside cluster '{}' is {} s, which is too long to compute with",
                              cluster["name"].get<std::string>(), cluster["latency"].get<double>()));
  answer["noise"] = platform::noise_of(matrix, groups);
  if (options.json) {
    out << line_of(answer);
    return done;
  }
  out << fmt::format("{}, {}\n", counted(matrix.size(), "host"), counted(groups.size(), "cluster"));
  for (auto const& cluster : answer["clusters"]) {
    auto const& hosts = cluster["hosts"];
    out << fmt::format("{:>6} {:<20}", hosts.size(), cluster["name"].get<std::string>());
    if (hosts.size() > 1)
      out << fmt::format(" {:10.2f} us  {} .. {}", 1e6 * cluster["latency"].get<double>(),
                         hosts.front().get<std::string>(), hosts.back().get<std::string>());
    out << '\n';
  }
  out << "levels:";
  for (auto const& level : answer["levels"])
    out << ' ' << counted(level["groups"].size(), level["name"].get<std::string>());
  out << fmt::format("; noise of a latency {:.1f} %\n", 100 * answer["noise"].get<double>());
  return done;
}

constexpr char const* clusters_footer =
    R"(Hosts are one cluster if their latencies agree within the tolerance. The matrix has the names of the hosts in its
first line. One row per host follows, with latencies in seconds. Commas, semicolons, tabs or blanks separate the fields.

The matrix may be noisy: the method 'robust' compares the means of all edges between groups with their standard errors.
Without noise, and with --method lowekamp-beguelin, the command uses the algorithm of Lowekamp and Beguelin 1996. If
there are more than 256 hosts with noise, it groups a sample, and the others join these groups. It groups at most
10,000 hosts.

--json gives {"clusters": [{"name", "hosts": [names], "latency": median seconds inside, 0 for one host}],
"levels": [{"name": "host" | "cluster" | "site", "groups": [[names]]}], "noise": relative deviation of one latency}.

Examples:
  skel clusters grid.json
  skel clusters --latencies measured.csv --tolerance 0.3 --json)";

action add_clusters(CLI::App& app) {
  auto const options = std::make_shared<clusters_options>();
  app.add_option("PLATFORM", options->platform, "platform description (JSON, docs/formats.md)");
  app.add_option("--latencies", options->latencies, "Reads the matrix of latencies between hosts from FILE.")
      ->type_name("FILE");
  app.add_option("--tolerance", options->tolerance, "Lets latencies inside a cluster differ by this part.")
      ->type_name("PART")
      ->capture_default_str();
  app.add_option("--method", options->method, "Groups hosts by this method: robust or lowekamp-beguelin.")
      ->check(CLI::IsMember({"robust", "lowekamp-beguelin"}))
      ->capture_default_str();
  app.add_flag("--json", options->json, "Prints one JSON object on standard output.");
  app.footer(clusters_footer);
  return [options](std::ostream& out) { return clusters(*options, out); };
}
a_verb const added_clusters({"clusters", "Groups hosts into clusters by their latencies.", add_clusters});

}  // namespace
}  // namespace skel::tools
