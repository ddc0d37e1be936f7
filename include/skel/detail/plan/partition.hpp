#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/pattern/face_neighbours.hpp>

namespace skel::plan {

/// An undirected graph of cells: neighbours of cell c are neighbours[offsets[c]] to before neighbours[offsets[c + 1]].
/// No loops. Each edge is in the rows of both its ends, once for each common face of the two cells.
struct cell_graph {
  std::vector<std::size_t> offsets;
  std::vector<std::uint32_t> neighbours;

  std::size_t cells() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  /// Precondition: c < cells().
  std::span<std::uint32_t const> of(std::size_t c) const {
    return std::span(neighbours).subspan(offsets[c], offsets[c + 1] - offsets[c]);
  }
};

/// The fault of a graph, with its cell: falling or unfit offsets, a neighbour that is no cell, a loop, or an edge in
/// only one of its rows. Empty if there is none. O(edges).
std::string fault_of(cell_graph const& graph);

/// The cells of a mesh, joined where they share a face: rows are in the order of faces. O(faces).
cell_graph graph_of(face_neighbours const& faces);

/// The part of each cell.
struct partition {
  std::size_t parts = 0;
  std::vector<std::uint32_t> part_of;
  std::string method;  ///< the maker, "metis", ..., and why not others

  friend bool operator==(partition const&, partition const&) = default;
};

/// A part that shares faces with another one: the number of faces, and of the cells with such a face. An update of
/// ghosts sends it these cells.
struct neighbour_part {
  std::uint32_t part = 0;
  std::size_t faces = 0, sends = 0;

  friend bool operator==(neighbour_part const&, neighbour_part const&) = default;
};

/// Figures of a partition. A face is an edge of the graph.
struct partition_figures {
  std::size_t cut = 0;                                  ///< faces between parts
  std::size_t cut_between_clusters = 0;                 ///< of these, between parts of different clusters
  std::vector<std::size_t> cells;                       ///< of each part
  std::vector<std::size_t> inner;                       ///< of these, those with all neighbours in the part
  std::vector<double> weights;                          ///< of part p under constraint j: weights[p constraints + j]
  std::vector<std::size_t> faces;                       ///< of each part: those it shares with other parts
  std::vector<std::size_t> cluster_faces;               ///< of each cluster: those it shares with other clusters
  std::vector<std::vector<neighbour_part>> neighbours;  ///< of each part, rising
  std::vector<std::size_t> pieces;                      ///< of each part: its connected pieces; 1 if it hangs together

  std::size_t empty_parts() const;
  std::size_t largest_faces() const;          ///< of a part
  std::size_t largest_cluster_faces() const;  ///< of a cluster
};

/// Weights of cells under several constraints: that of cell c under constraint j is values[c constraints + j] >= 0.
/// No values: 1 each.
struct cell_weights {
  std::size_t constraints = 1;
  std::span<double const> values{};

  double of(std::size_t cell, std::size_t constraint) const {
    return values.empty() ? 1.0 : values[cell * constraints + constraint];
  }
};

/// Counts. `cluster_of`: the cluster of each part, from 0; empty: all are in one. O(edges log parts + cells
/// constraints). Preconditions: every cell has a part below of.parts, the graph has no fault.
partition_figures figures_of(cell_graph const& graph, partition const& of, cell_weights const& weights = {},
                             std::span<std::size_t const> cluster_of = {});

/// The largest weight of a part over its target: 1 if all are right, 2 if one has twice as much. `targets` are shares:
/// part p should have targets[p constraints + j] of the weight under constraint j. Constraints without weight do not
/// count. O(parts constraints).
double largest_over_target(partition_figures const& of, std::span<double const> targets);

}  // namespace skel::plan
