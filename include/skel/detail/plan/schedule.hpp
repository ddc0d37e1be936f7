#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace skel::plan {

/// A piece of a rank's work buffer [B].
struct byte_range {
  std::uint64_t first = 0, bytes = 0;

  friend bool operator==(byte_range const&, byte_range const&) = default;
};

/// A copy of bytes from one buffer to another.
struct copy {
  std::uint64_t from = 0, to = 0, bytes = 0;

  friend bool operator==(copy const&, copy const&) = default;
};

/// The next action of one rank in a collective.
struct step {
  enum class action : std::uint8_t {
    send,            ///< the ranges, in their order, to the peer
    receive,         ///< from the peer into the ranges
    combine,         ///< receive, then work = work (op) received
    combine_before,  ///< receive, then work = received (op) work
    merge            ///< no message: the first range = the first (op) the second, both equally long, not empty
  };

  action what = action::send;
  std::uint16_t lane = 0;  ///< of a send: one of rank_schedule::windows
  std::uint32_t peer = 0;
  std::uint32_t phase = 0;  ///< messages of one phase may be under way together
  std::uint32_t first_range = 0, ranges = 0;
  std::uint64_t bytes = 0;  ///< of all its ranges; of a merge, of one of the two
};

/// What one rank does in a collective: it copies its input to its work buffer (load), takes its steps, and copies from
/// the work buffer to its output (unload).
///
/// The steps are in the order of the program. A send waits for all receives before it in the list, and for the sends
/// before it to leave. Receives complete in the order of the list. A receive does not wait for sends before it.
/// Messages between two ranks do not overtake each other.
///
/// A list may be cut into strands, as for the segments of a vector. The rules then hold for the steps of one strand.
/// Strands wait for each other only if a window says so. Messages go from a strand of the sender to the strand of the
/// same index of the receiver. Strands must not share bytes of the work buffer.
struct rank_schedule {
  std::uint64_t work_bytes = 0;
  std::vector<copy> load{}, unload{};
  std::vector<step> steps{};
  std::vector<byte_range> ranges{};

  /// Strands that may be under way together, beginning with the first: each costs a request per receive.
  std::uint32_t strands_ahead = 0;
  /// First step of each strand, rising from 0; empty: all steps are one strand.
  std::vector<std::uint32_t> strands{};
  /// Most sends of each lane that may be under way. 0, or a lane that has none: any number. Where there is a window, a
  /// send is under way until the receiver has begun to receive it.
  std::vector<std::uint32_t> windows{};

  std::uint32_t window(step const& s) const { return s.lane < windows.size() ? windows[s.lane] : 0; }

  std::span<byte_range const> ranges_of(step const& s) const { return {ranges.data() + s.first_range, s.ranges}; }

  /// Appends a step. A message without ranges is empty.
  void add(step::action what, std::size_t peer, std::size_t phase, std::span<byte_range const> parts);
  void add(step::action what, std::size_t peer, std::size_t phase, byte_range part) {
    add(what, peer, phase, std::span<byte_range const>(&part, 1));
  }
};

/// A collective: the schedules of all its ranks. Plain values: engines run them over point-to-point messages, models
/// price them, tests interpret them.
struct schedule {
  std::vector<rank_schedule> ranks;
};

struct collective_problem;

/// Rounds in which all ranks do the same, seen from their places in a circle. In round i each rank sends one message to
/// the rank `ahead(i)` places further on, and receives one from as many places behind. So the steps of one rank, and
/// prices of rounds, need no steps of the others.
struct circle {
  std::size_t (*rounds)(std::size_t ranks);
  std::size_t (*ahead)(std::size_t ranks, std::size_t round);  ///< 1 to ranks - 1
  /// Appends the ranges that a rank sends in a round, and those that it receives into.
  void (*sent)(collective_problem const&, std::size_t rank, std::size_t round, std::vector<byte_range>& into);
  void (*received)(collective_problem const&, std::size_t rank, std::size_t round, std::vector<byte_range>& into);
  /// The first rank behind `rank` that may send more or fewer bytes than it in a round; the number of ranks if there is
  /// none. nullptr: there never is.
  std::size_t (*alike_before)(collective_problem const&, std::size_t rank, std::size_t round) = nullptr;
  /// True if the receiver combines the messages of a round with its own data; nullptr: never.
  bool (*combines)(std::size_t ranks, std::size_t round) = nullptr;
  bool at_once = false;  ///< a rank sends everything before it waits for messages
  /// Load and unload of a rank, without steps; nullptr if there is something before the circle.
  rank_schedule (*buffers)(collective_problem const&, std::size_t rank) = nullptr;
  /// The steps before the first round, of all ranks; nullptr: none.
  schedule (*before)(collective_problem const&) = nullptr;
};

/// True if all ranks send equally many bytes in every round. (Otherwise parts of a vector are uneven.)
bool even(circle const& rounds, collective_problem const& problem);

/// The schedule of a rank: buffers or the steps before, and its rounds. O(ranges of the rank) beside the steps before.
rank_schedule steps_of(circle const& rounds, collective_problem const& problem, std::size_t rank);
/// The schedule of all ranks. O(ranges of all ranks).
schedule steps_of(circle const& rounds, collective_problem const& problem);

}  // namespace skel::plan
