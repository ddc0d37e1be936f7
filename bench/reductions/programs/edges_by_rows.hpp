#pragma once

#include <skel/detail/pattern/mesh.hpp>

namespace bench::reductions {

/// The edges of a mesh, from the lower to the higher node, in the order of their lower nodes, then of their higher
/// ones: as a loop over nodes and their neighbours, or over the rows of a symmetric matrix, has them.
skel::mesh edges_by_rows(skel::mesh const& of);

}  // namespace bench::reductions
