#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <skel/detail/cost/circle_price.hpp>
#include <skel/detail/cost/grid_models.hpp>
#include <skel/detail/mapping/collective_mapper.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel::mapping {

/// The part of a platform with ranks.
struct used_clusters {
  platform::description machine;                  ///< clusters with ranks, with as many hosts as ranks
  std::vector<std::vector<std::uint32_t>> ranks;  ///< of each; those of one host stand together
  std::vector<std::size_t> original;              ///< index of each in the whole platform
  std::vector<std::size_t> cluster_of;            ///< of each rank
};

/// Rank r is on host host_of_rank[r]. Throws skel::error if there is no rank, or a host that the platform lacks.
used_clusters clusters_of_ranks(platform::description const& machine, std::vector<plan::host_id> const& host_of_rank);

/// The problem for which plans are made.
plan::collective_problem problem_of(collective_request const& request, std::size_t ranks);

/// Two clusters without a link from the first to the second.
std::optional<std::pair<std::size_t, std::size_t>> clusters_apart(cost::grid_models const& models);

/// Prices the algorithms of the catalogue among ranks in clusters, of which they know nothing, whole, by the recursion
/// over their steps. Keeps data of one request for the next.
class catalogue_search {
 public:
  /// The models must outlive it.
  catalogue_search(cost::grid_models const& models, used_clusters const& clusters)
      : models_(models), ranks_(clusters.cluster_of.size()), model_(models, clusters.cluster_of) {}

  /// Algorithms that give the request's result, with their prices, in the order of the catalogue; none if clusters are
  /// not joined. `routed`: leaves out those on trees, because routes cover them. `enough`: those that certainly take
  /// longer than this [s], or than another one, may be missing. `only`: as collective_options::only. Also leaves out
  /// circles of more than cost::most_circle_messages messages, among more than 16384 ranks in several clusters; each
  /// operation has others. O(steps) for each, O(ranks) on trees, O(rounds) in circles of one cluster.
  std::vector<collective_candidate> find(collective_request const& request, bool routed, std::optional<double> enough,
                                         std::span<plan::collective_algorithm const* const> only);

  /// True if an algorithm combines in an order that the operator of a request allows.
  static bool keeps_order(plan::collective_algorithm const& algorithm, collective_request const& request);
  /// True if an algorithm sends no more messages than can be priced.
  bool is_priced(plan::collective_algorithm const& algorithm, collective_request const& request) const;

  /// The price of an algorithm for a request, in segments of so many bytes (0: whole) [s].
  double price_of(plan::collective_algorithm const& algorithm, collective_request const& request,
                  std::uint64_t segment) const;

 private:
  double bound(plan::collective_algorithm const& algorithm, plan::collective_problem problem);

  cost::grid_models const& models_;
  std::size_t ranks_;
  cost::ranks_on_grid model_;
  /// Times for vectors of nothing, by algorithm and root [s].
  std::map<std::pair<plan::collective_algorithm const*, std::size_t>, double> start_ups_{};
};

}  // namespace skel::mapping
