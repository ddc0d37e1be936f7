#pragma once

#include <string>

#include <skel/detail/grid/settings.hpp>

/// Says which settings a program does not use: once for a process, as a warning on standard error.
namespace skel {

/// Of a program of supersteps. `by_hand`: it moves its processes itself. `undecided`: why the decider has nothing to
/// decide here; empty: it has.
void warn_of_unused_by_bsp(run_settings const& settings, bool by_hand, std::string const& undecided);

/// Of a program over a mesh.
void warn_of_unused_by_mesh(run_settings const& settings);

/// Of a line of stages.
void warn_of_unused_by_line(run_settings const& settings);

}  // namespace skel
