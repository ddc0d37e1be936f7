#pragma once

/// Sources and sinks that know their place in a file: skel::line_source, skel::block_source, skel::file_sink. Also
/// whole texts: skel::read_text.
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/runtime/line/stream_files.hpp>
