#pragma once

/// Sources and sinks that know their place in a file: skel::line_source, skel::block_source, skel::file_sink.
#include <skel/detail/runtime/stream_files.hpp>
