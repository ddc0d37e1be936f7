#pragma once

#include <functional>
#include <string>
#include <vector>

#include "program.hpp"

namespace bench::reductions {

/// A program with one of its inputs.
struct catalogue_entry {
  std::string program, input;
  bool dynamic = false;  ///< has more than one phase
  std::function<bench::reductions::program(options const&)> make;
};

/// All programs with all of their inputs. Meshes in files (the edges of 4elt.graph, sf10.1.pack) are not among them:
/// see mesh_program() and spark98().
std::vector<catalogue_entry> const& catalogue();

}  // namespace bench::reductions
