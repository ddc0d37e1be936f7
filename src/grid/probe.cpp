#include <skel/detail/grid/probe.hpp>

#include <utility>
#include <vector>

#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/measured.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/quiet.hpp>

#include "kept_platform.hpp"
#include "run_hosts.hpp"

namespace skel {
namespace {

using platform::host_measurement;
namespace quiet = runtime::quiet;

std::vector<platform::link_measurement> measure_links(MPI_Comm among, run_hosts const& hosts,
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
                      .latency_error = pair.latency_error,
                      .bandwidth_error = pair.bandwidth_error,
                      .bytes = pair.bytes,
                      .probes = pair.probes});
  return result;
}

/// A platform whose host i is rank i.
auto of_ranks(std::size_t ranks) {
  return [ranks](platform::description const& kept) { return kept.host_count() == ranks; };
}

}  // namespace

probe_result probe(MPI_Comm original, probe_options const& options) {
  runtime::own_communicator const own(original);
  MPI_Comm const among = own.get();
  int rank = 0;
  MPI_Comm_rank(among, &rank);
  run_hosts const hosts = find_hosts(among);
  kept_platform const kept(options, hosts.names, speeds_of_cores);

  std::string text;
  if (rank == 0)
    if (auto const found = kept.read(of_ranks(hosts.names.size()))) text = platform::to_json(*found);
  text = quiet::broadcast(among, std::move(text));
  if (!text.empty()) return {platform::parse_description(text, "cache", file_of::this_user), true};

  double const start = record::now();
  platform::run_measurement run;
  run.date = platform::utc_now();
  run.ranks = measure_hosts(among, hosts, options.hosts);
  run.links = measure_links(among, hosts, run.ranks, options.links);
  run.seconds = record::now() - start;
  if (rank == 0) text = platform::to_json(platform::describe(run));
  // Every rank could describe the run, but the seconds differ: all take what rank 0 says. Where rank 0 cannot
  // describe it, neither can the others, and all throw the same.
  if (rank != 0) platform::describe(run);
  text = quiet::broadcast(among, std::move(text));
  if (rank == 0) kept.write(text);
  return {platform::parse_description(text, "probe", file_of::this_user), false};
}

probe_result probe_alone(probe_options const& options) {
  kept_platform const kept(options, {platform::host_name()}, speeds_of_cores);
  if (auto found = kept.read(of_ranks(1))) return {std::move(*found), true};
  double const start = record::now();
  platform::run_measurement run;
  run.date = platform::utc_now();
  run.ranks = {platform::probe_host(options.hosts)};
  run.seconds = record::now() - start;
  platform::description result = platform::describe(run);
  kept.write(platform::to_json(result));
  return {std::move(result), false};
}

}  // namespace skel
