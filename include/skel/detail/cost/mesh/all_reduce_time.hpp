#pragma once

#include <cstddef>
#include <span>

#include <skel/detail/cost/mesh/message_path.hpp>

namespace skel::cost::mesh {

/// An all-reduce of a number [s], as the engine of programs over a mesh sends it: ranks hear what all others have, and
/// combine it. Below plan::relays_pay_from each sends to each: the longest L(m), and as many g(m) of a port as there
/// are others. From there on (plan::relays_of()) a cluster of n ranks gathers in ceil(log2 n) steps, of which number k
/// sends 2^k heads, one rank of each sends these to each other cluster, and as many steps more spread what has come:
/// the sum of L(m) + g(m) of the longest messages of these steps, of the cluster that is the last. `paths`: from
/// cluster a to b, paths[a clusters + b]; `ranks`: of each cluster, one at least. O(clusters^2 + ranks log ranks).
double all_reduce_time(std::span<message_path const> paths, std::span<std::size_t const> ranks);

}  // namespace skel::cost::mesh
