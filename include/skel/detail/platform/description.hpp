#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skel::platform {

/// Blocks of a description that are kept without being understood here: JSON text by key. A description sorts the keys
/// of objects and removes blanks. Keys are "measured" (how the values were found), the names of cost models with their
/// parameters ("plogp", ...; is_parameter_key()), and free ones that start with "x_" or "comment".
/// An empty map takes one pointer: a platform may have a million links without blocks.
class parameter_blocks {
 public:
  using map = std::map<std::string, std::string>;
  using value_type = map::value_type;
  using const_iterator = map::const_iterator;

  parameter_blocks() = default;
  parameter_blocks(std::initializer_list<value_type> blocks) : map_(std::make_unique<map>(blocks)) {}
  parameter_blocks(parameter_blocks const& other)
      : map_(other.empty() ? nullptr : std::make_unique<map>(*other.map_)) {}
  parameter_blocks(parameter_blocks&&) noexcept = default;
  parameter_blocks& operator=(parameter_blocks other) noexcept { return map_.swap(other.map_), *this; }
  ~parameter_blocks() = default;

  map const& all() const {
    static map const nothing;
    return map_ ? *map_ : nothing;
  }

  bool empty() const { return !map_ || map_->empty(); }
  std::size_t size() const { return all().size(); }
  const_iterator begin() const { return all().begin(); }
  const_iterator end() const { return all().end(); }
  bool contains(std::string const& key) const { return all().contains(key); }
  const_iterator find(std::string const& key) const { return all().find(key); }
  std::string const& at(std::string const& key) const { return all().at(key); }
  std::string& operator[](std::string const& key) {
    if (!map_) map_ = std::make_unique<map>();
    return (*map_)[key];
  }
  void erase(std::string const& key) {
    erase_if([&](value_type const& one) { return one.first == key; });
  }
  template <class Predicate>
  void erase_if(Predicate const& of) {
    if (map_ && std::erase_if(*map_, of) > 0 && map_->empty()) map_.reset();
  }

  friend bool operator==(parameter_blocks const& a, parameter_blocks const& b) { return a.all() == b.all(); }

 private:
  std::unique_ptr<map> map_;
};

/// True if a parameter block may have this key.
bool is_parameter_key(std::string_view key);

/// Latency and bandwidth of a path between two hosts. Moving m bytes takes latency + m / bandwidth [s].
struct link {
  double latency = 0;                                          ///< [s], >= 0
  double bandwidth = std::numeric_limits<double>::infinity();  ///< [B/s], > 0

  double time(double bytes) const { return latency + bytes / bandwidth; }

  friend bool operator==(link const&, link const&) = default;
};

/// Hosts that are alike and near to each other.
struct cluster {
  std::string name{};
  std::size_t hosts = 1;
  double speed = 1;                       ///< work units per second of one host, alone
  std::size_t cores = 1;                  ///< per host
  link inside{};                          ///< between two of its hosts
  std::optional<double> local_latency{};  ///< [s] of a move that stays on one host; absent: the platform's
  std::optional<double> uplink{};         ///< [B/s], > 0, that all hosts share to other clusters; absent: no limit
  std::optional<double> memory{};         ///< [B], > 0, of a host, for programs; absent: what was measured, or no limit
  parameter_blocks parameters{};

  /// Bandwidth of all hosts together to other clusters [B/s]: the uplink, otherwise the sum of their ports.
  double leaving() const { return uplink.value_or(static_cast<double>(hosts) * inside.bandwidth); }

  friend bool operator==(cluster const&, cluster const&) = default;
};

/// A path between two clusters, in one direction.
struct cluster_link {
  std::size_t from = 0, to = 0;  ///< cluster indices
  link path{};
  parameter_blocks parameters{};

  friend bool operator==(cluster_link const&, cluster_link const&) = default;
};

/// The place where the values of a description were read, for errors.
struct origin {
  std::string source = "platform";
  std::vector<std::string> links{};  ///< path of each link in the source; empty: "links[i]"
};

/// A machine made of clusters: what the mapper knows about it. Hosts are numbered cluster by cluster.
/// A cluster of one host has its host named like the cluster, otherwise hosts are NAME-0 .. NAME-(n-1).
/// Memory O(clusters + links + hosts).
class description {
 public:
  /// The most hosts of a description: more than six times the largest machine built so far (Fugaku, 158,976 nodes), and
  /// few enough that a slip of the keyboard does not fill the memory.
  static constexpr std::size_t max_hosts = 1'000'000;

  /// The most cores that a host may have: as many as Linux can be built for.
  static constexpr std::size_t max_cores = 8192;

  /// No host at all: the value of a variable before a platform is assigned to it.
  description() = default;

  /// Throws skel::input_error (source "platform", or as `from` says) if a name is empty or twice, a number is negative,
  /// not finite or zero where it must not be, or a link is given twice or names a missing cluster. Also if two hosts
  /// would have one name, or if there is no host or more than max_hosts. Links are kept sorted by (from, to).
  /// O(clusters + hosts + links log links).
  description(double local_latency, std::vector<cluster> clusters, std::vector<cluster_link> links,
              parameter_blocks parameters = {}, origin const& from = {});

  std::vector<cluster> const& clusters() const { return clusters_; }
  std::vector<cluster_link> const& links() const { return links_; }
  double local_latency() const { return local_latency_; }
  parameter_blocks const& parameters() const { return parameters_; }

  std::size_t host_count() const { return cluster_of_.size(); }
  std::size_t cluster_of(std::size_t host) const { return cluster_of_[host]; }
  std::string host_name(std::size_t host) const;
  /// Index of the host with this name, or nothing. O(length of the name).
  std::optional<std::size_t> find_host(std::string_view name) const;
  /// Index of the cluster with this name, or nothing. O(length of the name).
  std::optional<std::size_t> find_cluster(std::string_view name) const;
  /// The names of all hosts, in order. O(hosts).
  std::vector<std::string> host_names() const;

  double speed(std::size_t host) const { return clusters_[cluster_of_[host]].speed; }
  std::size_t cores(std::size_t host) const { return clusters_[cluster_of_[host]].cores; }

  /// Path from one host to another; from a host to itself it has the local latency and unlimited bandwidth.
  /// Throws skel::error with both names for clusters without a link; ask connected() first. O(log of the links that
  /// leave the cluster).
  link path(std::size_t from, std::size_t to) const;
  bool connected(std::size_t from, std::size_t to) const;

  friend bool operator==(description const& a, description const& b) {
    return a.local_latency_ == b.local_latency_ && a.clusters_ == b.clusters_ && a.links_ == b.links_ &&
           a.parameters_ == b.parameters_;
  }

 private:
  cluster_link const* find_link(std::size_t from_cluster, std::size_t to_cluster) const;

  double local_latency_ = 0;
  std::vector<cluster> clusters_;
  std::vector<cluster_link> links_;  // sorted by (from, to)
  parameter_blocks parameters_;
  std::vector<std::size_t> cluster_of_;                   // per host
  std::vector<std::size_t> first_host_;                   // per cluster
  std::vector<std::size_t> first_link_;                   // per cluster, and one past the last
  std::unordered_map<std::string, std::size_t> by_name_;  // clusters
};

}  // namespace skel::platform
