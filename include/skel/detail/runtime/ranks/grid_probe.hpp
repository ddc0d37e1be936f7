#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/plan/tournament.hpp>
#include <skel/detail/runtime/ranks/message_probe.hpp>

/// Measures many pairs of ranks in rounds of disjoint pairs. All functions are collective over `among`: every rank
/// gives the same arguments and gets the same result; nobody else uses `among` meanwhile. Ranks that are in no pair of
/// a round wait as `options.wait` says. Point-to-point MPI and MPI_Wtime only.
namespace skel::runtime {

/// Told on rank 0 after every round. May be empty.
using round_observer = std::function<void(std::size_t done, std::size_t all)>;

/// The latency between two players of a tournament.
struct probed_pair {
  std::size_t first = 0, second = 0;
  latency_probe found{};
};

/// The latency of each match; player i is rank_of[i]. options.time_limit is for each pair of a round.
/// Time: O(rounds).
std::vector<probed_pair> probe_latencies(MPI_Comm among, std::vector<plan::round> const& rounds,
                                         std::vector<int> const& rank_of, message_probe_options const& options = {},
                                         round_observer const& after_round = {});

/// Messages from one rank to another.
struct probed_direction {
  int from = 0, to = 0;  ///< ranks
  message_probe found{};
};

/// Two ranks to be measured together; `both_ways`: one after the other is the one that sends.
struct probe_pair {
  int first = 0, second = 0;
  bool both_ways = true;
};

/// Probes what `wants` names, between all pairs of a round at the same time. options.time_limit is for each direction.
std::vector<probed_direction> probe_pairs(MPI_Comm among, std::vector<std::vector<probe_pair>> const& rounds,
                                          record::probe_wants const& wants, message_probe_options const& options = {},
                                          round_observer const& after_round = {});

}  // namespace skel::runtime
