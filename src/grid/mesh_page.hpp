#pragma once

#include <string>

#include "mesh_history.hpp"

namespace skel {

/// A run of a program over a mesh as one page of HTML that needs nothing else, neither a network nor scripts: the grid
/// with the clusters that were chosen, and the time of the best set of each size; what iterations took, beside what was
/// expected; what ranks did; whether elements were dealt anew, and checkpoints. Light or dark, as the reader's system
/// is. Any text may stand in the history. O(iteration groups + ranks steps + clusters^2).
std::string mesh_page(mesh_history const& run);

}  // namespace skel
