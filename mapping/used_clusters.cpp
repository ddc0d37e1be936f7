#include "used_clusters.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>

namespace skel::mapping {

used_clusters clusters_of_ranks(platform::description const& machine, std::vector<plan::host_id> const& host_of_rank) {
  if (host_of_rank.empty()) throw error("there is no rank to choose a collective for");
  std::size_t const all = machine.clusters().size();
  std::vector<std::vector<std::uint32_t>> by_cluster(all);
  for (std::uint32_t rank = 0; rank < host_of_rank.size(); ++rank) {
    if (host_of_rank[rank] >= machine.host_count())
      throw error("rank " + std::to_string(rank) + " is on host " + std::to_string(host_of_rank[rank]) +
                  ", but the platform has " + counted(machine.host_count(), "host"));
    by_cluster[machine.cluster_of(host_of_rank[rank])].push_back(rank);
  }
  used_clusters result;
  std::vector<std::size_t> index(all, all);
  std::vector<platform::cluster> clusters;
  for (std::size_t c = 0; c < all; ++c) {
    if (by_cluster[c].empty()) continue;
    std::ranges::stable_sort(by_cluster[c], {}, [&](std::uint32_t rank) { return host_of_rank[rank]; });
    index[c] = result.ranks.size();
    clusters.push_back(machine.clusters()[c]);
    clusters.back().hosts = by_cluster[c].size();
    // A cluster of one host has no path inside, but ranks of one host are not at no distance.
    platform::link& inside = clusters.back().inside;
    if (machine.clusters()[c].hosts == 1 && inside == platform::link{})
      inside.latency = clusters.back().local_latency.value_or(machine.local_latency());
    result.original.push_back(c);
    result.ranks.push_back(std::move(by_cluster[c]));
  }
  std::vector<platform::cluster_link> links;
  for (platform::cluster_link const& link : machine.links()) {
    if (index[link.from] == all || index[link.to] == all) continue;
    links.push_back(link);
    links.back().from = index[link.from], links.back().to = index[link.to];
  }
  result.cluster_of.resize(host_of_rank.size());
  for (std::size_t c = 0; c < result.ranks.size(); ++c)
    for (std::uint32_t rank : result.ranks[c]) result.cluster_of[rank] = c;
  result.machine =
      platform::description(machine.local_latency(), std::move(clusters), std::move(links), machine.parameters());
  return result;
}

}  // namespace skel::mapping
