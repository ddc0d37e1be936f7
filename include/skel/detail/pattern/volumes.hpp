#pragma once

#include <cstddef>
#include <span>

#include <skel/detail/pattern/mesh.hpp>

namespace skel {

/// The volume of a tet, pyramid, prism or hexahedron, in the unit of its coordinates to the third; positive if the cell
/// has its top where the normal of its base points to. Of a tet: (b - a) x (c - a) . (d - a) / 6. A face of four nodes
/// that do not lie in a plane is the bilinear surface between its edges. O(1).
/// Throws skel::input_error if the cell is a line or a surface, if the mesh has no cell of this number, or has not
/// three coordinates for each node. Source: the divergence theorem; the flux of x through a bilinear face is the mean
/// of those through its two pairs of triangles (Davies, Salmond 1985, AIAA Journal 23(6):954-956).
double volume_of(mesh const& of, std::size_t cell);

/// Whether the volume of a tet cannot be told from none: it is no larger than what the rounding of its coordinates and
/// of the calculation may make of it. O(1). True where a coordinate is not finite. Throws skel::input_error if a point
/// has not three coordinates.
bool is_flat(std::span<double const> a, std::span<double const> b, std::span<double const> c,
             std::span<double const> d);

}  // namespace skel
