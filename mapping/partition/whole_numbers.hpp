#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <skel/detail/mapping/partition_problem.hpp>

/// What libraries take whose numbers are whole and of few bits. All throw skel::error where these do not suffice.
namespace skel::mapping::partitioning {

/// A graph for a library: each edge once in each row.
struct whole_graph {
  std::vector<std::int32_t> offsets, neighbours;
};
/// O(edges).
whole_graph whole_graph_of(plan::cell_graph const& graph);

/// Weights of cells in proportion, at least 1 where they are more than 0; sums under each constraint are no more than
/// half of what 32 bits hold, so that sums of them and of what is moved fit. As they are where they are whole and fit.
/// Of cell c under constraint j: [c constraints + j]; empty where all are 1. O(cells constraints).
std::vector<std::int32_t> whole_weights(std::size_t cells, std::size_t constraints, std::vector<double> const& weights);

/// Shares of parts, the largest of them a million (so that those of 1:1000 are right to 0.1 %), at least 1. O(parts).
std::vector<std::int32_t> whole_shares(std::vector<double> const& shares);

}  // namespace skel::mapping::partitioning
