#pragma once

#include <string>
#include <vector>

#include <skel/detail/record/bsp_history.hpp>
#include <skel/detail/record/run_history.hpp>
#include <skel/detail/record/story.hpp>

#include "mesh_history.hpp"

namespace skel {

// What happened in a run, told as a story. Any text may stand in the history.

/// Of a pipeline, over seconds. O(moments * (stations + ranks)).
record::story story_of(record::run_history const& run);

/// Of a BSP program, over supersteps. O(cells + decisions): a megabyte at most for the pictures.
record::story story_of(record::bsp_history const& run);

/// Of a program over a mesh, over iterations. O(iteration groups + ranks steps + clusters^2).
record::story story_of(mesh_history const& run);

/// Why announcements were refused; no parts where none was.
record::story_section refused(std::vector<std::string> const& announcements);

}  // namespace skel
