#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/plan/collective.hpp>
#include <skel/detail/plan/tree.hpp>

namespace skel::plan {

/// A collective over several clusters: broadcast, reduce or allreduce in segments on the trees of a grid_tree.
struct grid_route {
  enum class scheme : std::uint8_t {
    tree,     ///< down the trees, up the trees, or up and down again
    exchange  ///< allreduce, barrier: up inside each cluster, from every relay to all others, down inside each cluster
  };

  scheme how = scheme::tree;
  grid_tree trees{};
  std::uint64_t segment = 0;  ///< [B]; 0: the whole vector
  /// Most messages of a rank under way inside its cluster, and over the edge between each cluster and its parent (of an
  /// exchange: to each cluster): the capacity of a path. 0: any number.
  std::vector<std::uint32_t> inside_window{}, edge_window{};
  std::uint32_t root_window = 0;  ///< of the root inside its cluster; 0: as for the others
  std::uint32_t ahead = 0;        ///< segments that a rank waits for together; 0: all

  friend bool operator==(grid_route const&, grid_route const&) = default;
};

/// How to do a collective: the content of a decision, which an engine obeys. A plain value.
struct collective_plan {
  collective operation = collective::broadcast;
  std::string algorithm{};    ///< of the catalogue; ignored if there is a route
  std::uint64_t segment = 0;  ///< of that algorithm [B]; 0: the whole vector
  std::size_t radix = 4;      ///< of that algorithm
  std::optional<grid_route> route{};

  friend bool operator==(collective_plan const&, collective_plan const&) = default;
};

/// The steps of a rank that obeys a plan. ranks, root, bytes and unit are the problem's; its segment and radix are
/// ignored. A route combines operands in any order: the operator must be commutative. O(ranges of the rank) on a route
/// and in a circle, otherwise O(ranges of all ranks). Throws skel::error for an algorithm that is not in the catalogue.
rank_schedule steps_of(collective_plan const& plan, collective_problem const& problem, std::size_t rank);

/// The order in which a plan combines the operands of a reduction.
order operands_of(collective_plan const& plan);

}  // namespace skel::plan
