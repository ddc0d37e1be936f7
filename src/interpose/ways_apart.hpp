#pragma once

#include <cstddef>
#include <vector>

#include <mpi.h>

#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel::interpose {

/// Ranks on different hosts of two clusters, as many in each, and the message between each two of them.
struct facing_ranks {
  std::vector<int> here{}, there{};
  std::size_t bytes = 0;    ///< of a message that takes its way as long as the way's latency
  double busy_seconds = 0;  ///< that it takes its way so long [s]
};

/// A rank for each host of the two clusters on most hosts of which there are ranks. No ranks if no two clusters with a
/// link have two such hosts each. Rank r is on host host_of_rank[r] of the machine. O(clusters^2 + ranks).
facing_ranks find_facing(platform::description const& machine, std::vector<plan::host_id> const& host_of_rank);

/// n messages at once took `at_once` where one took `alone` [s], each of which takes its way for `busy`:
///
///   at_once = alone + (1 - apart) (n - 1) busy
///
/// solved for `apart` (platform::sharing_parameters), at least 0 and at most 1. Precondition: n > 1, busy > 0.
double apart_of(double alone, double at_once, std::size_t n, double busy);

/// How far each two hosts of two clusters have a way to themselves: measured between two clusters, and believed for
/// all. 0 where that cannot be seen. Collective over `among`, whose ranks are those of `host_of_rank`; some fifteen
/// messages of find_facing() in turn.
double measure_ways_apart(MPI_Comm among, platform::description const& machine,
                          std::vector<plan::host_id> const& host_of_rank);

}  // namespace skel::interpose
