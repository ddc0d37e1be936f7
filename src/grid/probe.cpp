#include <skel/grid/probe.hpp>

#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <skel/base/error.hpp>
#include <skel/platform/files.hpp>
#include <skel/platform/measured.hpp>
#include <skel/runtime/quiet.hpp>

namespace skel {
namespace {

using platform::host_measurement;
namespace quiet = runtime::quiet;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Which rank runs on which host.
struct host_table {
  std::vector<std::string> names;         // per rank
  std::vector<std::size_t> host_of_rank;  // hosts are numbered in the order of their first ranks
  std::vector<std::size_t> leader;        // per host: its first rank
};

host_table find_hosts(MPI_Comm among) {
  host_table result;
  result.names = quiet::all_gather(among, platform::host_name());
  std::map<std::string, std::size_t> seen;
  for (std::size_t rank = 0; rank < result.names.size(); ++rank) {
    auto const [host, is_new] = seen.emplace(result.names[rank], seen.size());
    if (is_new) result.leader.push_back(rank);
    result.host_of_rank.push_back(host->second);
  }
  return result;
}

/// One rank of each host measures it, so that ranks of one host neither disturb each other nor disagree.
std::vector<host_measurement> measure_hosts(MPI_Comm among, host_table const& hosts, std::size_t rank,
                                            platform::host_probe_options const& options) {
  std::string mine;
  if (hosts.leader[hosts.host_of_rank[rank]] == rank) mine = platform::to_text(platform::probe_host(options));
  std::vector<std::string> const all = quiet::all_gather(among, mine);
  std::vector<host_measurement> result;
  for (std::size_t host : hosts.host_of_rank) result.push_back(platform::parse_measurement(all[hosts.leader[host]]));
  return result;
}

std::vector<platform::link_measurement> measure_links(MPI_Comm among, host_table const& hosts,
                                                      std::vector<host_measurement> const& ranks,
                                                      runtime::link_probe_options const& options) {
  std::vector<std::size_t> cores;
  for (std::size_t leader : hosts.leader) cores.push_back(ranks[leader].cores);
  std::vector<platform::link_measurement> result;
  for (runtime::pair_timing const& pair : runtime::probe_links(among, hosts.host_of_rank, cores, options))
    result.push_back({.first = static_cast<std::size_t>(pair.first),
                      .second = static_cast<std::size_t>(pair.second),
                      .path = {.latency = pair.latency, .bandwidth = pair.bandwidth},
                      .latency_spread = pair.latency_spread,
                      .bandwidth_spread = pair.bandwidth_spread,
                      .bytes = pair.bytes,
                      .probes = pair.probes});
  return result;
}

/// The cache of one run, on the rank that reads and writes it.
class cache {
 public:
  cache(probe_options const& options, std::vector<std::string> hosts) : options_(options), hosts_(std::move(hosts)) {
    if (!options.use_cache) return;
    file_ = options.cache.empty() ? platform::default_cache_file(hosts_) : options.cache;
  }

  std::optional<platform::description> read() const {
    if (!file_) return std::nullopt;
    platform::cached_platform found = platform::read_cache(*file_, hosts_, options_.max_age);
    if (found.damaged) warn(found.reason + "; measuring anew");
    return std::move(found.platform);
  }

  void write(std::string const& text) const {
    if (!file_) return;
    try {
      platform::write_file(*file_, text);
    } catch (error const& problem) {
      warn(std::string(problem.what()) + "; the measurement is not kept");
    }
  }

 private:
  void warn(std::string const& text) const {
    if (options_.warn)
      options_.warn(text);
    else
      std::fprintf(stderr, "skel: warning: %s\n", text.c_str());
  }

  probe_options const& options_;
  std::vector<std::string> hosts_;
  std::optional<std::filesystem::path> file_;
};

}  // namespace

probe_result probe(MPI_Comm original, probe_options const& options) {
  runtime::own_communicator const own(original);
  MPI_Comm const among = own.get();
  int rank = 0;
  MPI_Comm_rank(among, &rank);
  host_table const hosts = find_hosts(among);
  cache const kept(options, hosts.names);

  std::string text;
  if (rank == 0)
    if (auto const found = kept.read()) text = platform::to_json(*found);
  text = quiet::broadcast(among, std::move(text));
  if (!text.empty()) return {platform::parse_description(text, "cache"), true};

  double const start = now();
  platform::run_measurement run;
  run.date = platform::utc_now();
  run.ranks = measure_hosts(among, hosts, static_cast<std::size_t>(rank), options.hosts);
  run.links = measure_links(among, hosts, run.ranks, options.links);
  run.seconds = now() - start;
  if (rank == 0) text = platform::to_json(platform::describe(run));
  // Every rank could describe the run, but the seconds differ: all take what rank 0 says. Where rank 0 cannot
  // describe it, neither can the others, and all throw the same.
  if (rank != 0) platform::describe(run);
  text = quiet::broadcast(among, std::move(text));
  if (rank == 0) kept.write(text);
  return {platform::parse_description(text, "probe"), false};
}

probe_result probe_alone(probe_options const& options) {
  cache const kept(options, {platform::host_name()});
  if (auto found = kept.read()) return {std::move(*found), true};
  double const start = now();
  platform::run_measurement run;
  run.date = platform::utc_now();
  run.ranks = {platform::probe_host(options.hosts)};
  run.seconds = now() - start;
  platform::description result = platform::describe(run);
  kept.write(platform::to_json(result));
  return {std::move(result), false};
}

}  // namespace skel
