#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/runtime/line/program.hpp>

/// The data that a line needs to go on in another process.
namespace skel::runtime {

/// A cut through the whole line at one place of its stream. Every item before it has passed the sink, none behind it
/// has left the source.
struct checkpoint {
  std::uint64_t item = 0;           ///< number of the first item behind the cut
  std::vector<std::string> states;  ///< of each station, see station_state; "": it keeps nothing
};

/// True if a station tells that it has come to the cut: source, sink, and all that keep something.
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

/// The identity of a line: stations, their kinds and names, types of items, functions and operators, windows, forms of
/// states, files of skel's own sources and sinks. Not ranks, hosts and widths. O(stations).
program_identity identity_of(program const& line);

/// The difference of two identities, as a part of a sentence; empty: none. O(smaller).
std::string difference(program_identity const& there, program_identity const& here);

/// The reason why checkpoints of a line would be wrong: its source does not write its place in the stream, or a serial
/// stage or the sink may keep state that cannot be written. Empty: there is none. The same on all ranks.
std::string why_no_checkpoints(program const& line);

/// A sentence on the sources in this executable, of any program, that no checkpoint can bring back to their place.
/// Their types tell before any of them runs. Empty: there are none.
std::string sources_without_place();

/// Time between checkpoints [s]: `given` by the user (> 0), otherwise so long that they take a hundredth of it, by the
/// last one; at least a second.
double checkpoint_period(double given, double last_took);

}  // namespace skel::runtime
