#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <skel/detail/mapping/partition_methods.hpp>

/// Input and output of libraries with whole numbers of few bits. Every function with input throws skel::error if these
/// do not suffice.
namespace skel::mapping::partitioning {

/// Checks that there is something to cut, by weights of cells (empty: 1 each): more than one part, edges, and a weight
/// above 0. Libraries crash on less. O(cells).
void expect_work(partition_problem const& of, std::vector<double> const& weights);

/// A graph for a library: each edge once in each row.
struct whole_graph {
  std::vector<std::int32_t> offsets, neighbours;
};
/// O(edges).
whole_graph whole_graph_of(plan::cell_graph const& graph);

/// Weights of cells in proportion, at least 1 if they are more than 0. Sums under each constraint are at most half of
/// 32 bits, so that sums of them and of moved weights fit. Unchanged if they are whole and fit. Of cell c under
/// constraint j: [c constraints + j]; empty if all are 1. O(cells constraints).
std::vector<std::int32_t> whole_weights(std::size_t cells, std::size_t constraints, std::vector<double> const& weights);

/// Shares of parts, the largest of them a million (so that those of 1:1000 are right to 0.1 %), at least 1. O(parts).
std::vector<std::int32_t> whole_shares(std::vector<double> const& shares);

/// The parts that a library has given to cells; an invalid part becomes a number that no part has.
template <class Number>
std::vector<std::uint32_t> parts_of(std::vector<Number> const& given, std::size_t parts) {
  std::vector<std::uint32_t> made;
  made.reserve(given.size());
  for (auto const one : given)
    made.push_back(one >= 0 && static_cast<std::size_t>(one) < parts ? static_cast<std::uint32_t>(one)
                                                                     : std::numeric_limits<std::uint32_t>::max());
  return made;
}

}  // namespace skel::mapping::partitioning
