#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <skel/plan/collective.hpp>

/// The generators behind the catalogue of collective.cpp, one file per operation or family.
namespace skel::plan::detail {

/// Rank of a vertex of a tree, and of a vertex that wraps around.
inline std::size_t rank_of(std::size_t vertex, collective_problem const& problem) {
  return (vertex + problem.root) % problem.ranks;
}

/// One piece of a vector per rank, in whole units, as equal as can be: piece i of n.
byte_range piece(collective_problem const& problem, std::size_t i, std::size_t n);
/// Pieces first .. first + count - 1, as one range.
byte_range pieces(collective_problem const& problem, std::size_t first, std::size_t count, std::size_t n);

/// Phases of the edges of a tree, if each vertex sends its next message as soon as the one before has left and a
/// message takes as long as it keeps the sender busy: the round in which vertex v receives. Messages of one round are
/// under way together; those of several segments all are.
std::vector<std::uint32_t> rounds(tree const& shape);

schedule tree_broadcast(tree const& shape, collective_problem const& problem, bool all_at_once);
schedule scatter_allgather_broadcast(collective_problem const& problem);

/// Phases of the edges of a tree whose leaves send first: the height of the vertex that sends.
std::vector<std::uint32_t> heights(tree const& shape);
/// Children of a vertex by number. Where subtrees are runs of vertices, this is the order of their operands, and the
/// smallest subtree comes first.
std::vector<std::size_t> nearest_first(tree const& shape, std::size_t vertex);

/// Every vertex combines what its children send, the nearest first, and sends the result up.
schedule tree_reduce(tree const& shape, collective_problem const& problem, bool all_at_once);
schedule rabenseifner_reduce(collective_problem const& problem);

schedule recursive_doubling_allreduce(collective_problem const& problem);
schedule ring_allreduce(collective_problem const& problem);
schedule rabenseifner_allreduce(collective_problem const& problem);

/// Each vertex gets the parts of its subtree; subtrees are runs of vertices.
schedule tree_scatter(tree const& shape, collective_problem const& problem);
schedule tree_gather(tree const& shape, collective_problem const& problem);

schedule ring_allgather(collective_problem const& problem);
schedule bruck_allgather(collective_problem const& problem);

schedule pairwise_alltoall(collective_problem const& problem);
schedule spread_out_alltoall(collective_problem const& problem);
schedule bruck_alltoall(collective_problem const& problem);

schedule dissemination_barrier(collective_problem const& problem);

}  // namespace skel::plan::detail
