#include "catalogue_search.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/cost/collective_price.hpp>

#include "route_search.hpp"

namespace skel::mapping {

using plan::collective;
using plan::collective_algorithm;
using plan::collective_problem;

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
    // A cluster of one host has no path inside, but the distance of ranks of one host is not 0.
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

/// Shorter segments do not make shorter packets (Ethernet's carry 1460 B). Models of latency and bandwidth alone cannot
/// know that: with them a segment of one byte would be best.
constexpr std::uint64_t least_segment = 1024;

collective_problem problem_of(collective_request const& request, std::size_t ranks) {
  return {.ranks = ranks, .root = request.root, .bytes = request.bytes, .unit = request.unit};
}

std::optional<std::pair<std::size_t, std::size_t>> clusters_apart(cost::grid_models const& models) {
  for (std::size_t a = 0; a < models.clusters(); ++a)
    for (std::size_t b = 0; b < models.clusters(); ++b)
      if (a != b && !models.joined(a, b)) return std::pair(a, b);
  return std::nullopt;
}

/// A lower bound of an algorithm [s]. It is cheaper to compute than the price, which may take the square of the ranks
/// in a circle. Otherwise it is computed once: no message takes longer for fewer bytes.
double catalogue_search::bound(collective_algorithm const& algorithm, collective_problem problem) {
  if (algorithm.rounds != nullptr) return cost::circle_bound(*algorithm.rounds, problem, model_);
  std::pair const key(&algorithm, problem.root);
  if (auto const known = start_ups_.find(key); known != start_ups_.end()) return known->second;
  problem.bytes = 0;
  return start_ups_.emplace(key, cost::algorithm_time(algorithm, problem, model_, 0)).first->second;
}

bool catalogue_search::keeps_order(collective_algorithm const& algorithm, collective_request const& request) {
  return request.commutative || algorithm.operands == plan::order::any ||
         (algorithm.operands == plan::order::rotated && request.root == 0);
}

bool catalogue_search::is_priced(collective_algorithm const& algorithm, collective_request const& request) const {
  return algorithm.rounds == nullptr ||
         cost::circle_work(*algorithm.rounds, problem_of(request, ranks_), model_) <= cost::most_circle_messages;
}

double catalogue_search::price_of(collective_algorithm const& algorithm, collective_request const& request,
                                  std::uint64_t segment) const {
  collective_problem problem = problem_of(request, ranks_);
  problem.segment = segment;
  return cost::collective_price(algorithm, problem, model_, request.gamma);
}

std::vector<collective_candidate> catalogue_search::find(collective_request const& request, bool routed,
                                                         std::optional<double> enough,
                                                         std::span<collective_algorithm const* const> only) {
  std::vector<collective_candidate> found;
  if (clusters_apart(models_)) return {};
  collective_problem const problem = problem_of(request, ranks_);
  for (collective_algorithm const& algorithm : plan::collective_algorithms()) {
    if (algorithm.operation != request.operation || (routed && algorithm.shape != nullptr)) continue;
    if (!only.empty() && std::ranges::find(only, &algorithm) == only.end()) continue;
    if (!keeps_order(algorithm, request) || !is_priced(algorithm, request)) continue;
    if (enough && bound(algorithm, problem) > *enough) continue;
    // If there are routes, trees are whole: only those come here that keep the order of operands.
    bool const cut = algorithm.segmented && !only.empty();
    auto const sizes =
        cut ? segment_sizes(request.bytes, request.unit, least_segment) : std::vector<std::uint64_t>{request.bytes};
    for (std::uint64_t const size : sizes) {
      std::uint64_t const segment = size == request.bytes ? 0 : size;
      std::string name(algorithm.name);
      if (cut) name += segment > 0 ? ", " + std::to_string(segment) + " B" : ", whole";
      // Priced first: GCC 12 frees the text twice where an exception leaves the braces around it.
      double const price = price_of(algorithm, request, segment);
      found.push_back({std::move(name),
                       {.operation = request.operation, .algorithm = std::string(algorithm.name), .segment = segment},
                       price});
      if (enough) enough = std::min(*enough, found.back().predicted);
    }
  }
  return found;
}

}  // namespace skel::mapping
