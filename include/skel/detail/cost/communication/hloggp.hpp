#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <skel/detail/cost/communication/model.hpp>
#include <skel/detail/platform/model_parameters.hpp>

namespace skel::cost {

/// LogGP for hierarchies of unlike hosts: os_i + L_ij + (m-1)G_ij + or_j. Overheads (of sender os and receiver or) and
/// gap g belong to the cluster of a rank, latency L and gap per byte G to the pair of clusters. A rank sends one
/// message per max(g_i, os_i) + (m-1)G_ij and receives one per max(g_j, or_j) + (m-1)G_ij; between clusters the larger
/// of the link's own gap and the host's counts. Sources: Cappello, Fraigniaud, Mans, Rosenberg 2005, "An algorithmic
/// model for heterogeneous hyper-clusters: rationale and experience", International Journal of Foundations of Computer
/// Science 16(2):195-215; Bosque and Pastor 2006, "A parallel computational model for heterogeneous clusters", IEEE
/// Transactions on Parallel and Distributed Systems 17(12):1390-1400.
class hloggp {
 public:
  static constexpr bool contended = false;

  explicit hloggp(platform::hloggp_parameters parameters) : table_(parameters) {}
  explicit hloggp(group_table<platform::hloggp_parameters> table) : table_(std::move(table)) {}

  double send_busy(message const& m) const {
    auto const &host = table_.between(m.from, m.from), &path = table_.between(m.from, m.to);
    return std::max({host.g, path.g, host.os}) + body(m);
  }
  double transfer(message const& m) const {
    auto const &sender = table_.between(m.from, m.from), &receiver = table_.between(m.to, m.to);
    return sender.os + table_.between(m.from, m.to).L + body(m) + receiver.or_;
  }
  double receive_busy(message const& m) const {
    auto const &host = table_.between(m.to, m.to), &path = table_.between(m.from, m.to);
    return std::max({host.g, path.g, host.or_}) + body(m);
  }
  double receive_overhead(message const& m) const { return table_.between(m.to, m.to).or_; }
  std::vector<double> breakpoints() const { return {1}; }

  /// True if it knows only one cluster.
  bool equal_hosts() const { return table_.uniform(); }

 private:
  double body(message const& m) const { return std::max(m.bytes - 1, 0.0) * table_.between(m.from, m.to).G; }

  group_table<platform::hloggp_parameters> table_;
};

}  // namespace skel::cost
