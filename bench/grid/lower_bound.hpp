#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <skel/detail/plan/collective.hpp>
#include <skel/detail/platform/description.hpp>

#include "grid/link_times.hpp"

namespace bench {

/// What no algorithm can be faster than on a simulated platform [s]: the shortest path plus the transfer at the
/// bottleneck, both at the best that the simulator does for any size of message.
///
/// Symbols, of clusters a and b: t(s), g(s) measured transfer and gap of messages of s bytes; B the bandwidths of the
/// description.
///
///   phi    = max over pairs and s of  s / g(s) / min(B port a, B link ab, B port b)     best rate over the nominal one
///   C      = phi B                                                                       of every port and link
///   d(a,b) = min over s of  t(s) - s / (phi min(B port a, B link ab, B port b))          what is left of t is latency
///   D(a,b) = length of the shortest path by d, through any clusters
///   R(i,j) = min of C of i's port, C of j's port, and the least cut between their clusters, C of all links that cross
///            it together: data may take several ways at once
///
/// Data of m bytes get from host i to host j in no less than P(i,j) = D + m / R. Hence, n ranks of m bytes:
///   broadcast  max_k P(root,k)           reduce   max_k P(k,root)          barrier  max_ij D(i,j)
///   allreduce  max of max_ij P(i,j) and 2 (n-1) m / sum of all ports' C (Patarasuk and Yuan 2009, "Bandwidth optimal
///              all-reduce algorithms for clusters of workstations", J. Parallel Distrib. Comput. 69(2):117-124)
///   scatter, gather, allgather, alltoall: max of P over the pairs that exchange a block and, for each port that
///              n - 1 blocks cross, (n-1) m / C plus the least D from or to its host
class lower_bound {
 public:
  /// O(clusters^3 + 2^clusters clusters^2).
  lower_bound(skel::platform::description const& machine, link_times const& times);

  /// `bytes` as plan::collective_problem counts them. O(clusters^2).
  double operator()(skel::plan::collective operation, std::uint64_t bytes, std::size_t root) const;

 private:
  double path(std::size_t from, std::size_t to, double bytes) const;

  std::vector<std::size_t> hosts_, cluster_of_;
  std::vector<double> port_;   // C, per cluster
  std::vector<double> delay_;  // D, per pair of clusters; infinite inside a cluster of one host
  std::vector<double> cut_;    // least cut, per pair of clusters; infinite inside one
};

}  // namespace bench
