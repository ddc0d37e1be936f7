#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <skel/detail/runtime/program.hpp>

/// What has to be kept of a line so that it can go on in another process.
namespace skel::runtime {

/// A cut through the whole line at one place of its stream: every item before it has passed the sink, none behind it
/// has left the source.
struct checkpoint {
  std::uint64_t item = 0;           ///< number of the first item behind the cut
  std::vector<std::string> states;  ///< of each station, see station_state; "": it keeps nothing
};

/// Whether a station says that it has come to the cut: source, sink, and all that keep something.
bool is_saved(program const& line, std::size_t station);

/// What makes a line another one, a text for each station and one for the types of all functions. Neither ranks nor
/// hosts count.
std::vector<std::string> identity_of(program const& line);

/// How two identities differ, as a part of a sentence; empty: they do not.
std::string difference(std::vector<std::string> const& there, std::vector<std::string> const& here);

/// Throws skel::error when checkpoints of a line would be wrong: its source has no state that tells where in the stream
/// it is, or a serial stage or the sink may keep state that cannot be written.
void check_checkpoints(program const& line);

/// How long after one the next checkpoint is made [s]: as the user says, otherwise so that they take a hundredth of the
/// time, as the last one did, and never more often than each second.
double checkpoint_period(double given, double last_took);

}  // namespace skel::runtime
