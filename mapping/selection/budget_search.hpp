#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "incumbent.hpp"
#include "lens_search.hpp"

namespace skel::mapping::selection {

/// Hosts of clusters, and the time of an iteration on them.
struct host_selection {
  cluster_set clusters;            ///< rising
  std::vector<std::size_t> hosts;  ///< of each of these clusters, 1 at least
  double seconds = infinity;
};

/// The hosts of clusters with the shortest iteration, of those that together cost no more than a budget. One cluster
/// takes as many as can be paid, as more never take longer. Several clusters have two that are the farthest from each
/// other; the search is in the lens of each such pair (search_exactly()). It adds one cluster after the other, those
/// with the most weight for their price first. Each gets as many hosts as can be paid, then fewer. Bounds of all that
/// goes on from the present choice follow from these:
/// - The rest of the money buys the most weight and the most hosts of other clusters, as if hosts were divisible (a
///   knapsack each; the hosts rounded down). It buys a host each of as many clusters as possible.
/// - The worst cases are those of the choice and of the two; the latency is that of the two.
/// Knapsacks are NP-hard: the search ends when its effort is spent.
class budget_search {
 public:
  /// `budget`: money per hour, as of.price().
  budget_search(cost::mesh::program const& of, double budget, effort& may);

  /// As many hosts of these clusters as can be paid, those with the most weight for their price first.
  void offer_most_of(cluster_set const& clusters);
  /// Returns a proven bound of all choices [s]. O(clusters^3), and O(clusters^2) for each tested choice.
  double run();
  /// The same, but tests all choices.
  double run_all();

  host_selection const& best() const { return best_; }
  std::uint64_t evaluated() const { return evaluated_; }

 private:
  struct taken {
    cost::mesh::sums all;
    double money = 0;    // left
    double latency = 0;  // the largest one
  };
  struct farthest {
    double least = 0;  // of a choice with these two [s]
    std::size_t a = 0, b = 0;
  };

  bool can_pay(double price, double money) const { return price <= money + rounding_; }
  std::size_t most_hosts(std::size_t cluster, double money) const;
  taken with(taken const& now, std::size_t cluster, std::size_t hosts);
  void look_at(farthest const& two);
  bool is_near(std::size_t cluster) const;
  double least(taken const& now, std::size_t level);
  double next(taken const& now, std::size_t level);
  void put_in_order();
  std::span<double> worst(std::size_t depth) {
    return std::span(worst_).subspan(depth * of_.criteria(), of_.criteria());
  }

  cost::mesh::program const& of_;
  double budget_, rounding_;
  effort& may_;
  host_selection best_;
  std::uint64_t evaluated_ = 0;
  std::vector<std::size_t> by_weight_, by_price_;  // clusters: the most weight for their price first; the cheapest
  bool prunes_ = true;
  farthest two_;                          // of the lens
  double d_ = infinity;                   // their latency
  std::vector<double> low_;               // their worst cases
  std::vector<char> lens_;                // of each cluster: true if it is there
  std::vector<char> near_;                // and may go with the choice
  std::vector<double> worst_;             // of the first 0, 1, 2, ... clusters of the choice
  std::vector<double> at_least_;          // worst cases of a bound
  std::vector<std::size_t> set_, hosts_;  // the choice
};

}  // namespace skel::mapping::selection
