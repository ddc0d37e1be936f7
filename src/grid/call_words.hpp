#pragma once

#include <string>

#include <skel/detail/grid/settings.hpp>
#include <skel/detail/pattern/face_neighbours.hpp>
#include <skel/detail/runtime/bsp/run.hpp>
#include <skel/detail/runtime/iteration/run.hpp>
#include <skel/detail/runtime/line/program.hpp>
#include <skel/detail/runtime/ranks/rendezvous.hpp>

namespace skel {

/// What must be the same on every rank when a grid is made with settings: a text, and a fingerprint of the rest.
runtime::named_call making_a_grid(run_settings const& settings);

/// The same of a call with a program ("run()"): names, kinds, widths, pins and item types of its stations,
/// which of them say their work, and what of them is kept and where.
runtime::named_call call_with(std::string const& name, runtime::program const& line, run_settings const& settings);

/// The same of run() of a BSP program, with the name of its type: its name, how many processes it has, its limit and
/// pins, who moves processes, and the first interval of a policy. Which processes are pinned is in the fingerprint.
runtime::named_call call_with(runtime::bsp::process_group const& group, runtime::bsp::run_options const& options,
                              skeletons::migration_settings const& migration, std::string const& types,
                              run_settings const& settings);

/// The same of run() of a program over a mesh: its name, limit, elements and steps, and hashes of its types and of what
/// lies behind the faces of its elements.
runtime::named_call call_with(runtime::iteration::mesh_part const& part, face_neighbours const& faces,
                              runtime::iteration::run_options const& options, std::string const& types,
                              run_settings const& settings);

}  // namespace skel
