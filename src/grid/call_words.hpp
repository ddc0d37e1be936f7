#pragma once

#include <string>

#include <skel/detail/grid/settings.hpp>
#include <skel/detail/pattern/face_neighbours.hpp>
#include <skel/detail/runtime/bsp/run.hpp>
#include <skel/detail/runtime/iteration/run.hpp>
#include <skel/detail/runtime/line/program.hpp>
#include <skel/detail/runtime/ranks/rendezvous.hpp>

namespace skel {

/// Values that must be the same on every rank when a grid is made with settings: a text, and a hash of the rest.
runtime::named_call making_a_grid(run_settings const& settings);

/// The same of a call with a program ("run()"): names, kinds, widths, pins and item types of its stations. It also has
/// the stations that say their work, and their kept states with the place.
runtime::named_call call_with(std::string const& name, runtime::program const& line, run_settings const& settings);

/// The same of run() of a BSP program, with the name of its type: its name, number of processes, limit and pins. It
/// also has the policy that moves processes, and its first interval. The fingerprint tells which processes are pinned.
runtime::named_call call_with(runtime::bsp::process_group const& group, runtime::bsp::run_options const& options,
                              skeletons::migration_settings const& migration, std::string const& types,
                              run_settings const& settings);

/// The same of run() of a program over a mesh: its name, limit, elements and steps, and hashes. These are of its types
/// and of the neighbours behind the faces of its elements.
runtime::named_call call_with(runtime::iteration::mesh_part const& part, face_neighbours const& faces,
                              runtime::iteration::run_options const& options, std::string const& types,
                              run_settings const& settings);

}  // namespace skel
