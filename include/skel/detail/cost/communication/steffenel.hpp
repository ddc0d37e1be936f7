#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <skel/detail/cost/communication/model.hpp>
#include <skel/detail/cost/communication/uniform.hpp>

namespace skel::cost {

/// Hierarchical pLogP: L_ij + g_ij(m), with the parameters of pLogP for each pair of clusters: one set inside a
/// cluster, others between clusters. A sender is free again after g_ij(m). Source: Steffenel 2006, "Modeling network
/// contention effects on all-to-all operations", IEEE Cluster, and Steffenel and Mounie 2006, "Scheduling heuristics
/// for efficient broadcast operations on grid environments", 20th IEEE International Parallel and Distributed
/// Processing Symposium.
class steffenel {
 public:
  static constexpr bool contended = false;

  explicit steffenel(platform::plogp_parameters parameters) : table_(std::move(parameters)) {}
  explicit steffenel(group_table<platform::plogp_parameters> table) : table_(std::move(table)) {}

  double send_busy(message const& m) const { return of(m).g(m.bytes); }
  double transfer(message const& m) const { return of(m).latency(m.bytes) + of(m).g(m.bytes); }
  double receive_busy(message const& m) const { return std::max(of(m).g(m.bytes), of(m).or_(m.bytes)); }
  double receive_overhead(message const& m) const { return of(m).or_(m.bytes); }
  std::vector<double> breakpoints() const {
    std::vector<double> all;
    for (auto const& value : table_.values()) {
      if (!value) continue;
      auto const some = breakpoints_of(*value);
      all.insert(all.end(), some.begin(), some.end());
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  /// True if it knows only one cluster.
  bool equal_hosts() const { return table_.uniform(); }

 private:
  platform::plogp_parameters const& of(message const& m) const { return table_.between(m.from, m.to); }

  group_table<platform::plogp_parameters> table_;
};

}  // namespace skel::cost
