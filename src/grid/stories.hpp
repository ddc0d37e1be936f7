#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <skel/detail/record/bsp_history.hpp>
#include <skel/detail/record/run_history.hpp>
#include <skel/detail/record/run_record.hpp>
#include <skel/detail/record/story.hpp>

#include "mesh/mesh_history.hpp"

namespace skel {

// The events of a run, told as a story. Any text may stand in the history.

/// Of a pipeline, over seconds. O(moments * (stations + ranks)).
record::story story_of(record::run_history const& run);

/// Of a BSP program, over supersteps. O(cells + decisions): a megabyte at most for the pictures.
record::story story_of(record::bsp_history const& run);

/// Of a program over a mesh, over iterations. O(iteration groups + ranks steps + clusters^2).
record::story story_of(mesh_history const& run);

// The same in brief, for a terminal. "Lately" means the last second, or the last group of uses if it is longer.

/// Of a pipeline, with its stages. O(moments * stations).
record::story_brief brief_of(record::run_history const& run);

/// Of a BSP program, with its ranks. O(processes + ranks).
record::story_brief brief_of(record::bsp_history const& run);

/// Of a program over a mesh, with its ranks. O(ranks steps).
record::story_brief brief_of(mesh_history const& run);

/// How far a pipeline is, how fast, and which forecast stands:
/// "2249 items, 12 s, 189 items/s (predicted 195 items/s, 160 /s to 238 /s)".
std::string items_text(std::uint64_t items, double seconds, double rate, record::throughput_forecast const& standing);

/// Why announcements were refused; no parts where none was.
record::story_section refused(std::vector<std::string> const& announcements);

}  // namespace skel
