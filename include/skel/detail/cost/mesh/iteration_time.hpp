#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/platform/description.hpp>
#include <skel/detail/record/mesh_app.hpp>

/// The time of an iteration over a mesh that is parted among clusters of a grid. Source: the model of MAXDG1,
/// Caron, Klein and Perez, "Efficient Grid Resource Selection for a CEM Application", sections 2.1 to 2.3.
namespace skel::cost::mesh {

/// Sums over clusters.
struct sums {
  double weight = 0;  ///< divides the elements: sum of hosts / alpha [1/s], or of hosts if shares are equal
  double hosts = 0;
  std::size_t clusters = 0;
};

/// A mesh program on a grid, as sums over clusters and worst cases of them. Let D (weights), H (hosts), n (clusters) be
/// sums over the clusters that take part, and l their largest latency to each other:
///   Phase j:    nt max_i share_ij / D.
///   All-reduce: l.
///   Update:     l + max_i uplink_i n^(-2/3) + max_i port_i H^(-2/3), without the second term if n = 1.
/// Here share_ij = alpha_ij / alpha_i, alpha_i = sum over phases; or alpha_ij if shares are equal; alpha_ij [s] of an
/// element in phase j on a host of cluster i. Further uplink_i = s betaC nt^(2/3) / (u min(B_C, n_i B_H)) and port_i =
/// s betaH nt^(2/3) / (u B_H). Symbols: s [B] of a face, u the usable part of a bandwidth, B_C [B/s] of the uplink, B_H
/// of a host. An iteration is the sum of all phases, updates and all-reduces. Asynchronous updates together take as
/// long as the phases that overlap them, or longer. Its time falls as D, H and n grow, and grows with the worst cases.
/// Memory: all elements fit if D is at least max_i need_i, need_i = nt bytes / (memory share), share = alpha_i or 1.
class program {
 public:
  /// Throws skel::error with both names if a phase has no coefficient for a cluster. O(clusters^2 + links).
  program(platform::description const& machine, record::mesh_app const& app);

  std::size_t clusters() const { return weight_.size(); }
  std::size_t phases() const { return overlaps_.size(); }
  /// Worst cases of a cluster: the phases' shares, its uplink, its port, the weight that its memory needs.
  std::size_t criteria() const { return phases() + 3; }
  std::span<double const> row(std::size_t cluster) const { return {rows_.data() + cluster * criteria(), criteria()}; }
  double weight(std::size_t cluster) const { return weight_[cluster]; }
  double hosts(std::size_t cluster) const { return hosts_[cluster]; }
  /// The weight, and the worst case of the uplink, if only so many hosts of a cluster take part, at least 1. All other
  /// worst cases stay. So more hosts of a cluster that takes part never take more time: sums grow, and the bandwidth of
  /// an uplink of few hosts grows with them, or stays.
  double weight_of(std::size_t cluster, std::size_t hosts) const {
    return weight_[cluster] * (static_cast<double>(hosts) / hosts_[cluster]);
  }
  double uplink(std::size_t cluster, std::size_t hosts) const {
    return between_ / std::fmin(leaving_[cluster], static_cast<double>(hosts) * port_[cluster]);
  }
  /// Of a host [money per hour].
  double price(std::size_t cluster) const { return price_[cluster]; }
  /// The longer one of both directions [s]; infinite if there is no link in one, 0 of a cluster to itself.
  double latency(std::size_t a, std::size_t b) const { return latencies_[a * clusters() + b]; }
  std::span<double const> latencies(std::size_t cluster) const {
    return {latencies_.data() + cluster * clusters(), clusters()};
  }
  /// Latencies in an iteration: it takes at least this many times the largest one.
  double waits() const { return updates_ + allreduces_; }

  /// An iteration with these sums and worst cases [s]; infinite if memory does not suffice. O(phases).
  double seconds(sums const& of, std::span<double const> worst, double latency) const {
    if (worst[phases() + 2] > of.weight * (1 + rounding)) return std::numeric_limits<double>::infinity();
    double waits_for_nothing = 0, overlaps = 0;
    for (std::size_t j = 0; j < phases(); ++j) (overlaps_[j] != 0 ? overlaps : waits_for_nothing) += worst[j];
    double const per_share = elements_ / of.weight;
    double const exchange = updates_ * update(of, worst, latency);
    double const both = asynchronous_ ? std::fmax(overlaps * per_share, exchange) : overlaps * per_share + exchange;
    return waits_for_nothing * per_share + both + allreduces_ * latency;
  }

  /// The least weight with which an iteration takes no more than `most` [s], the other sums and all else as given: the
  /// inverse of seconds(); infinite if none is enough. O(phases).
  double least_weight(sums const& of, std::span<double const> worst, double latency, double most) const {
    double waits_for_nothing = 0, overlaps = 0;
    for (std::size_t j = 0; j < phases(); ++j) (overlaps_[j] != 0 ? overlaps : waits_for_nothing) += worst[j];
    double const exchange = updates_ * update(of, worst, latency), computes = most - allreduces_ * latency;
    auto const weight = [&](double shares, double within) {
      return within > 0 ? elements_ * shares / within : shares > 0 ? std::numeric_limits<double>::infinity() : 0.0;
    };
    double const all = waits_for_nothing + overlaps;
    return asynchronous_ ? std::fmax(weight(all, computes), weight(waits_for_nothing, computes - exchange))
                         : weight(all, computes - exchange);
  }

  /// One update [s].
  double update(sums const& of, std::span<double const> worst, double latency) const {
    double const between = of.clusters > 1 ? worst[phases()] * of_clusters_[of.clusters] : 0;
    double const root = std::cbrt(of.hosts);
    return latency + between + worst[phases() + 1] / (root * root);
  }

  bool asynchronous() const { return asynchronous_; }
  bool overlaps(std::size_t phase) const { return overlaps_[phase] != 0; }
  double elements() const { return elements_; }
  double updates() const { return updates_; }
  double allreduces() const { return allreduces_; }

  /// Sums are equal up to this part of them, in any order of summation.
  static constexpr double rounding = 1e-12;

 private:
  double elements_ = 0, updates_ = 0, allreduces_ = 0;
  bool asynchronous_ = false;
  std::vector<char> overlaps_;  // of each phase: 0 or 1, for quick reading
  double between_ = 0;          // faces of a cluster [B]
  std::vector<double> weight_, hosts_, rows_, latencies_;
  std::vector<double> leaving_, port_;  // [B/s] of each cluster, of a host of it
  std::vector<double> price_;           // of a host [money per hour]
  std::vector<double> of_clusters_;  // n^(-2/3)
};

/// The time of an iteration on some clusters, part by part [s].
struct iteration_time {
  double seconds = 0;          ///< infinite if clusters have no link to each other, or memory does not suffice
  std::vector<double> phases;  ///< the slowest cluster of each
  double update = 0;           ///< one of them
  double all_reduce = 0;       ///< one of them
  double communication = 0;    ///< all updates and all-reduces
  double hidden = 0;           ///< of the updates, behind phases: seconds = phases + communication - hidden
};

/// The time of an iteration on these clusters. O(clusters^2 + clusters phases). Precondition: at least one cluster, in
/// rising order.
iteration_time time_of(program const& of, std::span<std::size_t const> clusters);

/// The same if only so many hosts of each of the clusters take part, at least 1 of each.
iteration_time time_of(program const& of, std::span<std::size_t const> clusters, std::span<std::size_t const> hosts);

/// The same without its parts [s].
double seconds_of(program const& of, std::span<std::size_t const> clusters);
double seconds_of(program const& of, std::span<std::size_t const> clusters, std::span<std::size_t const> hosts);

/// The reason if no clusters can take the mesh: the constraint, with the clusters' names and advice.
/// O(clusters log clusters).
std::string why_nothing_fits(program const& of, platform::description const& machine, record::mesh_app const& app);

}  // namespace skel::cost::mesh
