#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// Ranks of the workers of each station.
using station_ranks = std::vector<std::vector<int>>;

/// A run of the program of examples/06_shared_grid on four simulated hosts, of which one is disturbed as
/// scripts/shared_grid does it on emulated ones.
struct shared_grid_job {
  std::string scenario = "slow";  ///< slow, short, latency, leave, source, added, needed
  std::size_t frames = 900;
  /// The frame after which it is disturbed; 0: from the beginning.
  std::size_t disturbed_after = 300;
  std::optional<std::size_t> host{};         ///< that is disturbed; absent: the one that transforms then
  std::optional<station_ranks> placement{};  ///< stay there; absent: go where skel goes
};

/// A move of the line.
struct shared_grid_move {
  double seconds = 0;  ///< when it was decided
  station_ranks to;
  double expected = 0, took = 0;  ///< [s]; took 0: the stream ended before
  double before = 0, after = 0;   ///< expected time per frame [s]
};

/// What came of it, in simulated time since the run began [s].
struct shared_grid_outcome {
  std::vector<double> times;  ///< when each frame was done
  double disturbed = 0;
  std::size_t host = 0;
  station_ranks begin;  ///< where the line was at first
  std::vector<shared_grid_move> moves;
  std::size_t decisions = 0;

  double seconds() const { return times.back() - times.front(); }
  /// Frames per second, of those that were done after it was disturbed.
  double rate_afterwards() const;
  /// Where the line was when it was disturbed, and at its end.
  station_ranks const& placement_before() const;
  station_ranks const& last_placement() const { return moves.empty() ? begin : moves.back().to; }
  std::size_t moves_before() const;
};

/// From the disturbance until a window of frames passes at 90 % of a rate.
struct recovery {
  double seconds = 0;
  std::size_t frames = 0;
};
/// Nothing where it never does.
std::optional<recovery> recovery_of(shared_grid_outcome const& run, double rate);

std::string to_json(shared_grid_outcome const& outcome);
/// Throws an exception of nlohmann::json where it is no outcome.
shared_grid_outcome parse_shared_grid_outcome(std::string_view text);

/// Runs it in this process, which runs no other one. Throws skel::error where a frame is lost, doubled or out of order,
/// or what the stage with state has seen of them is.
shared_grid_outcome simulate_here(shared_grid_job const& job);
/// In a process of its own.
shared_grid_outcome simulate(shared_grid_job const& job);

}  // namespace bench
