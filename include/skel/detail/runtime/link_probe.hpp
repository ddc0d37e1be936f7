#pragma once

#include <mpi.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace skel::runtime {

struct link_probe_options {
  double time_limit = 5;                                ///< [s] for all pairs together
  std::size_t repeats = 21;                             ///< round trips per message size, at most
  std::size_t largest_message = std::size_t{4} << 20U;  ///< [B] that a bandwidth is measured with, at most
};

/// What was found about the path between two ranks, both directions together.
struct pair_timing {
  int first = 0, second = 0;    ///< ranks, first < second
  double latency = 0;           ///< [s], median
  double latency_spread = 0;    ///< robust standard deviation, relative to the median
  double bandwidth = 0;         ///< [B/s], median; > 0
  double bandwidth_spread = 0;  ///< robust standard deviation, relative to the median
  double latency_error = 0;     ///< how sure the median is: half of its 95 % interval, relative to it
  double bandwidth_error = 0;   ///< the same
  double bytes = 0;             ///< [B] of the messages that gave the bandwidth
  std::size_t probes = 0;       ///< round trips
};

/// Measures the path between each pair of ranks, the pairs of a round (plan::tournament) at the same
/// time, as long as no host has more of its ranks busy than it has cores (plan::uncrowded). The latency is
/// half of the median round trip of an empty message. The bandwidth comes from messages that grow fourfold until ten
/// latencies fit into their time, so that the error of the latency weighs little. Ranks with nothing to do sleep.
///
/// Collective: all ranks give the same arguments and all get all pairs. `among` is used by nobody else meanwhile.
/// Time: at most time_limit, more only where four round trips of one size take longer than a pair's share of it.
std::vector<pair_timing> probe_links(MPI_Comm among, std::vector<std::size_t> const& host_of_rank,
                                     std::vector<std::size_t> const& cores_of_host,
                                     link_probe_options const& options = {});

}  // namespace skel::runtime
