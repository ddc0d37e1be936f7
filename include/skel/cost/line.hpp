#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <skel/pattern/shape.hpp>
#include <skel/plan/placement.hpp>
#include <skel/platform/description.hpp>

namespace skel::cost {

/// How the stages that share a host share its speed.
enum class share {
  fixed,    ///< each has 1/n of the host all the time, busy or not (Benoit et al. 2005; the default of `skel place`)
  dynamic,  ///< the host divides equally among the stages that are processing at this moment
};

/// Which worker of a farm gets the next item.
enum class dispatch {
  round_robin,  ///< workers in turn; the stream waits for the one whose turn it is
  on_demand,    ///< any idle worker
};

/// One worker of a station.
struct worker {
  double rate = 0;       ///< items per second when it has its host for itself [1/s]; > 0
  std::size_t host = 0;  ///< workers with equal host share it
};

/// One stage of the line as it is placed: one worker, or several (a farm).
struct station {
  std::string name;
  std::vector<worker> workers;
  std::size_t buffer = 0;  ///< items that may wait before each worker (k); 0 is the paper's stage
};

/// A placed pipeline as a Markovian line: stations in a row, a move before each and one after the last.
/// A station holds its item while it moves out (blocking after service); a move needs a sender that has finished an
/// item and a receiver with room, and takes an exponential time.
/// Source: Benoit, Cole, Gilmore, Hillston 2005 (pipeline), with farms, buffers and dynamic share added here.
struct line {
  std::vector<station> stations;  ///< N >= 1
  std::vector<double> moves;      ///< N+1 rates [1/s]: moves[i] before station i, moves[N] after the last; infinity allowed? see limits
  share sharing = share::fixed;
  dispatch farms = dispatch::on_demand;
};

/// Options under which a shape and a placement become a line.
struct line_options {
  share sharing = share::fixed;
  dispatch farms = dispatch::on_demand;
  std::size_t buffer = 0;
};

/// The line of a program placed on a platform. A stage's worker on host h has rate speed(h) / work; the move between
/// hosts a and b takes path(a, b).time(bytes); where farms make several (sender, receiver) pairs, the mean over them.
/// Zero work or a zero-time move becomes a rate of `fastest_rate`.
/// Throws skel::error when the placement does not fit the shape or two hosts that must talk are not connected.
line make_line(pattern::shape const& program, plan::placement const& where, platform::description const& platform,
               line_options const& options = {});

/// The rate that stands for "takes no time" [1/s]: 1e9, a nanosecond, below any time that this library can measure.
inline constexpr double fastest_rate = 1e9;

}  // namespace skel::cost
