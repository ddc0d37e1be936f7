#pragma once

#include <cstddef>
#include <span>

#include <skel/detail/pattern/mesh.hpp>

namespace skel {

/// The volume of a tet: (b - a) x (c - a) . (d - a) / 6, positive where d is on the side of a b c to which the normal
/// of these points. O(1). Precondition: the cell is a tet, and the mesh has three dimensions.
double volume_of(mesh const& tets, std::size_t cell);

/// Whether the volume of a tet cannot be told from none: it is no larger than what the rounding of its coordinates and
/// of the calculation may make of it. O(1). Precondition: three coordinates each. True where one is not finite.
bool is_flat(std::span<double const> a, std::span<double const> b, std::span<double const> c,
             std::span<double const> d);

}  // namespace skel
