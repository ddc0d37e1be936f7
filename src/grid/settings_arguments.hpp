#pragma once

#include <string>
#include <string_view>

#include <skel/detail/base/registry.hpp>
#include <skel/detail/grid/settings.hpp>

namespace skel {

/// An option --skel-NAME of every program. `value` is the name of its value in the help; empty: a switch. `apply`
/// throws skel::input_error for a value that it cannot take; `option` is the option as it is given.
struct setting_row {
  std::string_view name, value, sentence;
  void (*apply)(run_settings& to, std::string const& option, std::string const& value);
};

/// All options, in the order of the help.
registry<setting_row>& settings_table();

/// Takes every argument that starts with --skel- out of a command line. Throws skel::input_error (source "command
/// line").
run_settings settings_from_arguments(int& argc, char**& argv);

/// Says which settings a program does not use: once for a process, as a warning on standard error.

/// Of a program of supersteps. `by_hand`: it moves its processes itself. `undecided`: why the decider has nothing to
/// decide here; empty: it has.
void warn_of_unused_by_bsp(run_settings const& settings, bool by_hand, std::string const& undecided);

/// Of a program over a mesh.
void warn_of_unused_by_mesh(run_settings const& settings);

/// Of a line of stages.
void warn_of_unused_by_line(run_settings const& settings);

}  // namespace skel
