#pragma once

#include <cstddef>
#include <string>

#include <skel/detail/pattern/mesh.hpp>

#include "program.hpp"

namespace bench::reductions {

// Programs whose pattern does not change; `input` is one of those that the catalogue lists. Other work is counted in
// the sources. All throw skel::input_error for an input that they do not have.

/// Edges of a mesh for the flow of air, with a flux between the two ends of each: "foil" (triangles), "wing" (tets), or
/// "stencil" (tets, with the neighbours of neighbours).
/// Source: Han, Tseng 1998, PACT.
program irreg(std::string const& input, options const& how);

/// Pairs of molecules of a liquid within a cut-off, periodic: "near" (CON about 14) or "far" (about 48). Molecules are
/// numbered as they fill the box.
/// Source: the kernel of GROMOS in von Hanxleden 1993, CPC.
program nbf(std::string const& input, options const& how);

/// Pairs of atoms within a cut-off: dense clusters, numbered first, in a thin solvent; "small" or "large". So the first
/// molecules have many more pairs than the last.
/// Source: Hwang, Moon, Sharma, Ponnusamy, Das, Saltz 1995, Software - Practice and Experience 25(6):597-621.
program charmm(std::string const& input, options const& how);

/// Product of a symmetric sparse matrix and a vector: an iteration for each block of 3 x 3 above the diagonal, row by
/// row, which contributes to two components of the result. The matrix is that of a mesh's nodes: "basin" is one of
/// tets. Source: O'Hallaron 1997, CMU-CS-97-178.
program spark98(std::string const& input, options const& how);
/// The same for the nodes of any mesh.
program spark98(std::string input, skel::mesh const& mesh, options const& how);

/// Forces of four-node shell elements scattered to their nodes, as FMA-3D does: "plate".
/// Source: SPEC CPU2000 (191.fma3d), loop scatter_element_nodal_forces_platq.
program shells(std::string const& input, options const& how);

/// Counts of keys: "uniform", or "zipf" (a key's frequency is the inverse of its rank; ranks are dealt to bins by
/// chance). Numberings do not apply.
program histogram(std::string const& input, options const& how);

/// Every element of a short array is contributed to in every iteration: "short" (32 elements) or "shorter" (8), as in
/// su2cor and bdna (section 6.3 of the paper). The scale is that of the iterations. Numberings do not apply.
program regular(std::string const& input, options const& how);

}  // namespace bench::reductions
