#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skel::platform {

/// Latency and bandwidth of a path between two hosts. Moving m bytes takes latency + m / bandwidth [s].
struct link {
  double latency = 0;                                          ///< [s], >= 0
  double bandwidth = std::numeric_limits<double>::infinity();  ///< [B/s], > 0

  double time(double bytes) const { return latency + bytes / bandwidth; }
};

/// Hosts that are alike and near to each other.
struct cluster {
  std::string name;
  std::size_t hosts = 1;
  double speed = 1;                    ///< work units per second of one host, alone
  std::size_t cores = 1;               ///< per host
  link inside;                         ///< between two of its hosts
  std::optional<double> local_latency;  ///< of a move that stays on one host; absent: the platform's
};

/// A path between two clusters, in one direction.
struct cluster_link {
  std::size_t from = 0, to = 0;  ///< cluster indices
  link path;
};

/// A machine made of clusters: what the mapper knows about it. Hosts are numbered cluster by cluster.
/// A cluster of one host has its host named like the cluster, otherwise hosts are NAME-0 .. NAME-(n-1).
class description {
 public:
  description() = default;

  /// Throws skel::input_error (source "platform") when a name is empty or twice, a number is negative, not finite
  /// or zero where it must not be, a link names a cluster that is not there or is given twice, or there is no host.
  /// O(clusters^2 + hosts).
  description(double local_latency, std::vector<cluster> clusters, std::vector<cluster_link> links);

  std::vector<cluster> const& clusters() const { return clusters_; }
  std::vector<cluster_link> const& links() const { return links_; }
  double local_latency() const { return local_latency_; }

  std::size_t host_count() const { return cluster_of_.size(); }
  std::size_t cluster_of(std::size_t host) const { return cluster_of_[host]; }
  std::string host_name(std::size_t host) const;
  /// Index of the host with this name, or nothing. O(clusters).
  std::optional<std::size_t> find_host(std::string_view name) const;

  double speed(std::size_t host) const { return clusters_[cluster_of_[host]].speed; }
  std::size_t cores(std::size_t host) const { return clusters_[cluster_of_[host]].cores; }

  /// Path from one host to another; from a host to itself it has the local latency and unlimited bandwidth.
  /// Clusters without a link between them: throws skel::error naming both; use connected() to ask first.
  link path(std::size_t from, std::size_t to) const;
  bool connected(std::size_t from, std::size_t to) const;

 private:
  double local_latency_ = 0;
  std::vector<cluster> clusters_;
  std::vector<cluster_link> links_;
  std::vector<std::size_t> cluster_of_;    // per host
  std::vector<std::size_t> first_host_;    // per cluster
  std::vector<std::optional<link>> paths_;  // clusters x clusters, row = from
};

}  // namespace skel::platform
