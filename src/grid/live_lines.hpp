#pragma once

#include <string>
#include <vector>

#include <skel/detail/record/run_history.hpp>

namespace skel {

/// A run that goes on, as lines for a terminal: a line for the run with the forecast that stands, one for each stage
/// with where it is, its rate, how busy it is and what is under way before it, and one for the last decision, where
/// there was one. None is longer than `columns` bytes; stages beyond `most_stages` are counted in one line. O(moments *
/// stages).
std::vector<std::string> live_lines(record::run_history const& run, std::size_t columns, std::size_t most_stages);

}  // namespace skel
