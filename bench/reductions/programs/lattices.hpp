#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <skel/detail/pattern/mesh.hpp>

namespace bench::reductions {

/// Triangles on a lattice of nodes in a unit square; each square of the lattice is cut along one of its diagonals by
/// chance, so nodes have 2 to 8 neighbours, as in an unstructured mesh. Nodes and cells are in the order of rows.
skel::mesh triangle_lattice(std::size_t width, std::size_t height, std::uint64_t seed);

/// Squares on a lattice of nodes in a unit square.
skel::mesh quad_lattice(std::size_t width, std::size_t height);

/// Tets on a lattice of nodes in a unit cube, six to a cube of it, around its diagonal (Kuhn's subdivision, which
/// conforms); nodes lie closer to each other near the top, as where the ground is soft: by a factor of two. Inner nodes
/// have 14 neighbours.
skel::mesh tet_lattice(std::array<std::size_t, 3> nodes);

/// All pairs of nodes that one or two edges join, as lines, each once.
skel::mesh second_neighbours(skel::mesh const& of);

/// The number of nodes along a side of a lattice of `dimension` that has about `nodes` times `scale` of them; at
/// least 4.
std::size_t side_of(double nodes, double scale, int dimension);

}  // namespace bench::reductions
