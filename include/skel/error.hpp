#pragma once

/// Exceptions of skel: error and input_error, stage_error, process_error, mesh_error, cancelled.
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/runtime/errors.hpp>
#include <skel/detail/runtime/pieces/program_failure.hpp>
