#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <skel/detail/cost/communication/model.hpp>
#include <skel/detail/platform/model_parameters.hpp>

namespace skel::cost {

/// One message: C_i + t_i m + L_ij + b_ij m + C_j + t_j m. C fixed processing delay [s] and t processing time per byte
/// [s/B] of a host, L latency [s] and b transmission time per byte [s/B] of the path. The processors of both ends are
/// modelled apart from the network.
///
/// The switch carries messages of different senders at once; a sender's own messages leave one after the other, each
/// after its processing and no faster than its link takes them: max(C_i + t_i m, b_ij m).
/// Source: Lastovetsky, Mkwawa, O'Flynn 2006, "An accurate communication model of a heterogeneous cluster based on a
/// switch-enabled Ethernet network", 12th International Conference on Parallel and Distributed Systems, 15-20; with the
/// latency of Lastovetsky and Rychkov 2007. The paper has no limit of the sender's link.
class lmo {
 public:
  static constexpr bool contended = false;

  explicit lmo(platform::lmo_parameters parameters) : table_(parameters) {}
  explicit lmo(group_table<platform::lmo_parameters> table) : table_(std::move(table)) {}

  double send_busy(message const& m) const {
    return std::max(processing(m.from, m.bytes), table_.between(m.from, m.to).b * m.bytes);
  }
  double transfer(message const& m) const {
    auto const& path = table_.between(m.from, m.to);
    return processing(m.from, m.bytes) + path.L + path.b * m.bytes + processing(m.to, m.bytes);
  }
  double receive_busy(message const& m) const {
    return std::max(processing(m.to, m.bytes), table_.between(m.from, m.to).b * m.bytes);
  }
  double receive_overhead(message const& m) const { return processing(m.to, m.bytes); }
  /// Sizes at which the limit of a sender goes from its processor to its link.
  std::vector<double> breakpoints() const {
    std::vector<double> sizes;
    for (auto const& host : table_.values())
      for (auto const& path : table_.values())
        if (host && path && path->b > host->t) sizes.push_back(host->C / (path->b - host->t));
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
  }

  /// True if it knows only one cluster.
  bool equal_hosts() const { return table_.uniform(); }

 private:
  double processing(std::size_t rank, double bytes) const {
    auto const& host = table_.between(rank, rank);
    return host.C + host.t * bytes;
  }

  group_table<platform::lmo_parameters> table_;
};

}  // namespace skel::cost
