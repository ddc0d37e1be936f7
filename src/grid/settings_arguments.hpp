#pragma once

#include <skel/detail/grid/settings.hpp>

namespace skel {

/// Takes every argument that starts with --skel- out of a command line. Throws skel::input_error (source "command
/// line").
run_settings settings_from_arguments(int& argc, char**& argv);

}  // namespace skel
