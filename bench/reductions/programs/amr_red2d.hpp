#pragma once

#include <cstddef>

#include "program.hpp"

namespace bench::reductions {

/// An input of AmrRed2D.
struct amr_input {
  char const* name;
  std::size_t side;  ///< nodes along a side of the first mesh
  std::size_t steps, steps_of_a_phase;
  double keeps;  ///< of the side of the refined square, what the next phase refines
};

/// Both inputs of the paper, which says nodes and steps, and that they refine by different rates, but not by which.
extern amr_input const amr_inputs[2];

/// Interactions along the edges of an adaptive mesh. Before each phase but the first the mesh changes: triangles of the
/// lower left square are bisected, bisections outside are taken back; the square shrinks from 3/4 of the side by
/// `keeps` each time. When the mesh has six times its first nodes, all of it is coarsened in three phases, then the
/// square is large again. Nodes are numbered by x, then y; iterations go from node to node, and along its edges to
/// higher ones. Source: Yu, Zhang, Dang, Rauchwerger 2004, An Adaptive Algorithm Selection Framework, TR04-002, Texas
/// A&M, section 7.1.
program amr_red2d(amr_input const& input, options const& how);

}  // namespace bench::reductions
