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

}  // namespace skel
