#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <skel/detail/plan/collective.hpp>
#include <skel/detail/plan/schedule.hpp>

/// The generators behind the catalogue of collective.cpp, one file per operation or family.
namespace skel::plan::detail {

/// Rank of a vertex of a tree, and of a vertex that wraps around.
inline std::size_t rank_of(std::size_t vertex, collective_problem const& problem) {
  return (vertex + problem.root) % problem.ranks;
}

inline std::size_t vertex_of(std::size_t rank, collective_problem const& problem) {
  return (rank + problem.ranks - problem.root) % problem.ranks;
}

/// One piece of a vector per rank, in whole units, as equal as can be: piece i of n.
byte_range piece(collective_problem const& problem, std::size_t i, std::size_t n);
/// Pieces first .. first + count - 1, as one range.
byte_range pieces(collective_problem const& problem, std::size_t first, std::size_t count, std::size_t n);

/// The first rank behind `rank` that may have a piece of another length; the number of ranks if all pieces have one
/// length. Of as many pieces as ranks, `rank` has piece i, and each next rank has the next piece.
std::size_t alike_before(collective_problem const& problem, std::size_t rank, std::size_t i);

/// Phases of the edges of a tree: the round in which vertex v receives. Each vertex sends its next message as soon as
/// the one before has left, and a message takes as long as it keeps the sender busy. Messages of one round are under
/// way together; those of several segments all are.
std::vector<std::uint32_t> rounds(tree const& shape);

schedule tree_broadcast(tree const& shape, collective_problem const& problem, bool all_at_once);
extern circle const scatter_allgather_broadcast;

/// Phases of the edges of a tree whose leaves send first: the height of the vertex that sends.
std::vector<std::uint32_t> heights(tree const& shape);
/// Children of a vertex by number. Where subtrees are runs of vertices, this is the order of their operands, and the
/// smallest subtree comes first.
std::vector<std::size_t> nearest_first(tree const& shape, std::size_t vertex);

/// Every vertex combines what its children send, the nearest first, and sends the result up.
schedule tree_reduce(tree const& shape, collective_problem const& problem, bool all_at_once);
schedule rabenseifner_reduce(collective_problem const& problem);

schedule recursive_doubling_allreduce(collective_problem const& problem);
extern circle const ring_allreduce;
schedule rabenseifner_allreduce(collective_problem const& problem);

/// Each vertex gets the parts of its subtree; subtrees are runs of vertices.
schedule tree_scatter(tree const& shape, collective_problem const& problem);
schedule tree_gather(tree const& shape, collective_problem const& problem);

extern circle const ring_allgather;
extern circle const bruck_allgather;

extern circle const pairwise_alltoall;
extern circle const spread_out_alltoall;
extern circle const bruck_alltoall;

extern circle const dissemination_barrier;

}  // namespace skel::plan::detail
