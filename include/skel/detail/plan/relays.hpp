#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace skel::plan {

/// What a rank does in a step in which heads are relayed: it sends those that it knows by then, and takes from others
/// what they send it in the step of the same number, before it goes on to the next one.
struct relay_step {
  std::vector<int> to, from;
  std::vector<int> heads;  ///< whose heads it sends, to each the same

  friend bool operator==(relay_step const&, relay_step const&) = default;
};

/// From so many ranks on they relay what all are to hear, and do not send it each to each. By LogP (Culler et al. 1993,
/// PPoPP, 1-12) relaying takes ceil(log2 ranks) (L + 2 o) instead of L + 2 (ranks - 1) o, which is less from 27 ranks
/// on where L is 10 o, as between hosts of a cluster.
inline constexpr std::size_t ranks_that_relay = 27;

/// Bytes that a message of a round has beside heads, and a head that is relayed beside what its rank says.
inline constexpr std::size_t round_message_bytes = 48, relayed_head_bytes = 20;

/// Steps in which each rank hears what all others have to say. Of one group: in step k a rank sends the heads that it
/// knows, at most 2^k, to the one that is 2^k behind it, so that there are ceil(log2 ranks) of them (Bruck, Ho, Kipnis,
/// Upfal and Weathersby 1997, Efficient algorithms for all-to-all communications in multiport message-passing systems,
/// IEEE TPDS 8(11):1143-1156). Of several groups, which are far from each other: the same inside each group, then one
/// step in which one rank of each group sends all that this group has said to one of each other group, then inside each
/// group what has come: 2 ceil(log2 largest group) + 1 steps, of which one is between groups. Groups share that one out
/// among their ranks. `group_of`: of each rank, any numbers. The same on all ranks but for what is of `rank`. O(ranks
/// log ranks) for a rank.
std::vector<relay_step> relays_of(std::span<std::size_t const> group_of, int rank);

}  // namespace skel::plan
