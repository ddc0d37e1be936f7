#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/detail/cost/grid_models.hpp>
#include <skel/detail/cost/route_price.hpp>
#include <skel/detail/mapping/cluster_schedule.hpp>
#include <skel/detail/plan/collective_plan.hpp>

namespace skel::mapping {

/// Sizes of segments to compare, rising: powers of two and the whole vector. Between two of them a price changes by no
/// more than the messages' start-ups do. Below `least`, cutting costs more messages than any pipeline gains: a tree has
/// no more hops than ranks. O(log bytes).
std::vector<std::uint64_t> segment_sizes(std::uint64_t bytes, std::uint64_t unit, std::uint64_t least = 256);

/// A route over clusters, with its price.
struct found_route {
  cost::route_outline outline;
  std::vector<plan::inside_tree> inside;
  std::uint64_t segment = 0;  ///< [B]
  std::string_view schedule;  ///< the policy of its tree over the clusters
  bool improved = false;      ///< a local search has changed the policy's result
  cost::route_price price;
};

/// Searches the routes of broadcasts, reductions and allreductions among ranks in clusters: segments x stripes x trees
/// inside x trees between the clusters. Keeps data of one question for the next.
class route_search {
 public:
  /// hosts[c]: ranks of cluster c of the models, names[c] its name. The models must outlive it. Throws skel::error when
  /// a cluster cannot be reached from another, over others if need be.
  route_search(cost::grid_models const& models, std::vector<std::size_t> hosts, std::vector<std::string> names);

  struct question {
    plan::collective operation = plan::collective::broadcast;
    std::uint64_t bytes = 0, unit = 1;
    std::size_t root = 0;  ///< a cluster; allreductions choose their own
    double gamma = 0;      ///< time of the operator [s/B]
    std::size_t most_stripes = SIZE_MAX;
    bool all = false;  ///< also routes that are no better than others: takes some ten times as long
  };

  /// The best route of each segment size and number of stripes, best first. A local search over the trees between the
  /// clusters has improved the first few. If all are asked for, also each of one kind of tree in every cluster, by
  /// every policy between them.
  std::vector<found_route> find(question const& what);

  /// The price of a route that was found with other models of the same clusters [s].
  double price_of(question const& what, found_route route) { return price(what, route); }

  /// The times of messages of so many bytes, down and up the trees.
  cost::route_times const& down(std::uint64_t bytes);
  cost::route_times const& up(std::uint64_t bytes, double gamma);

 private:
  struct shapes {
    std::vector<plan::inside_tree> trees;
    std::vector<cost::inside_shape> outlines;
  };
  shapes const& shapes_of(std::size_t vertices);
  std::size_t middle(std::uint64_t bytes);
  void choose_inside(question const& what, found_route& route);
  double price(question const& what, found_route& route);
  cluster_schedule_problem between(question const& what, found_route const& route, double repetitions);
  void improve(question const& what, found_route& route);
  void add_all(question const& what, found_route base, std::vector<found_route>& found);
  void connect(question const& what, found_route const& base, double repetitions,
               std::span<schedule_policy const> policies, std::optional<found_route>& best);

  cost::grid_models const& models_;
  std::vector<std::size_t> hosts_;
  std::map<std::uint64_t, cost::route_times> down_;
  std::map<std::pair<std::uint64_t, double>, cost::route_times> up_;
  std::map<std::size_t, shapes> shapes_;
};

}  // namespace skel::mapping
