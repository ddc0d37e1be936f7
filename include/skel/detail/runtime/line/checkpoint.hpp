#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/runtime/line/program.hpp>

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

/// Something that a checkpoint depends on: with another value it is one of another program.
struct dependency {
  std::string name;       ///< as messages call it
  std::string value;      ///< as they show it
  bool may_grow = false;  ///< a whole number, which may be higher where the program goes on
  SKEL_FIELDS(name, value, may_grow);
  bool operator==(dependency const&) const = default;
};
using program_identity = std::vector<dependency>;

/// What makes a line another one: its stations, their kinds and names, the types of items, functions and operators,
/// windows, forms of states, and files of skel's own sources and sinks. Not ranks, hosts and widths. O(stations).
program_identity identity_of(program const& line);

/// How two identities differ, as a part of a sentence; empty: they do not. O(smaller).
std::string difference(program_identity const& there, program_identity const& here);

/// Why checkpoints of a line would be wrong: its source has no state that tells where in the stream it is, or a serial
/// stage or the sink may keep state that cannot be written. Empty: they would not. The same on all ranks.
std::string why_no_checkpoints(program const& line);

/// A sentence on the sources of this executable, of whatever program, that no checkpoint can bring back to their place,
/// as their types say before any of them runs; empty: there are none.
std::string sources_without_place();

/// How long after one the next checkpoint is made [s]: as the user says, otherwise so that they take a hundredth of the
/// time, as the last one did, and never more often than each second.
double checkpoint_period(double given, double last_took);

}  // namespace skel::runtime
