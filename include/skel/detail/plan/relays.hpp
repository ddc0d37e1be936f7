#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace skel::plan {

/// From this number of ranks on, relays pay. By LogP (Culler et al. 1993, PPoPP, 1-12) relaying takes ceil(log2 ranks)
/// (L + 2 o). Each to each takes L + 2 (ranks - 1) o. The first is less from 27 ranks on if L is 10 o, as between hosts
/// of a cluster.
inline constexpr std::size_t relays_pay_from = 27;

/// What a rank does in a step of relaying heads. It sends the heads that it knows by then. It takes the heads that
/// others send in their step of the same number, and then goes on.
struct relay_step {
  std::vector<int> to, from;
  std::vector<int> heads;  ///< ranks whose heads it sends, the same to all of `to`

  friend bool operator==(relay_step const&, relay_step const&) = default;
};

/// Bytes of a message of a round beside its heads, and of a relayed head beside its rank's own bytes.
inline constexpr std::size_t round_message_bytes = 48, relayed_head_bytes = 20;

/// Steps after which each rank has heard all others. In one group: in step k a rank sends its heads, at most 2^k, to
/// the rank 2^k behind it. So there are ceil(log2 ranks) steps (Bruck, Ho, Kipnis, Upfal and Weathersby 1997, Efficient
/// algorithms for all-to-all communications in multiport message-passing systems, IEEE TPDS 8(11):1143-1156). Several
/// groups, far from each other: first the same inside each group. Then, in one step, one rank of each group sends all
/// heads of its group to one rank of each other group. Then the new heads go round inside each group. These are 2
/// ceil(log2 largest group) + 1 steps, one of them between groups. The ranks of a group share its messages of that
/// step. `group_of`: of each rank, any numbers. Ranks differ only in the steps of their own `rank`. O(ranks log ranks)
/// for a rank.
std::vector<relay_step> relays_of(std::span<std::size_t const> group_of, int rank);

}  // namespace skel::plan
