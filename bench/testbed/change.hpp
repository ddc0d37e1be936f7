#pragma once

#include <string>

#include "collectives.hpp"

namespace bench {

/// Changes the ways between two sites of emulated grids in mid-run, there and back, and prints after how many uses
/// libskel_mpi.so has noticed it and which way it takes then. Throws std::runtime_error for a grid that cannot be meant
/// or made.
void print_changes(collectives_choice const& choice);

/// What runs on the hosts for that: rank 0 prints lines of JSON, and what the library says between them. It asks for a
/// change by such a line, and goes on when there is a file of that name in `folder`.
void print_uses(collectives_choice const& choice, std::string const& folder);

}  // namespace bench
