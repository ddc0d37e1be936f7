#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/pattern/shape.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel::cost {

/// How the stages that share a host share its speed.
enum class share {
  fixed,    ///< each has 1/n of the host all the time, busy or not (Benoit et al. 2005; the default of `skel place`)
  dynamic,  ///< the host divides equally among the stages that are processing at this moment
};

/// Which worker of a farm gets the next item.
enum class dispatch {
  round_robin,  ///< workers in turn, for what comes in and for what goes out; the stream waits for the one whose turn
                ///< it is
  on_demand,    ///< any worker with room, all alike; what goes out comes from any worker that has finished, all alike
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

/// The rate that stands for "takes no time" [1/s]: 1e9, a nanosecond, below any time that this library can measure.
inline constexpr double fastest_rate = 1e9;
inline constexpr double slowest_rate = 2.3e-302;  ///< [1/s]; a million workers of one host still have normal rates

/// A placed pipeline as a Markovian line: stations in a row, a move before each and one after the last.
/// A station holds its item while it moves out (blocking after service); a move needs a sender that has finished an
/// item and a receiver with room, and takes an exponential time. The source is never empty and the sink never full.
/// Source: Benoit, Cole, Gilmore, Hillston 2005 (pipeline), with farms, buffers and dynamic share added here.
/// Limits: one move at a time between two neighbours, whatever the width of the farms at its ends; the cores of a host
/// are not told apart.
struct line {
  std::vector<station> stations;  ///< N >= 1
  std::vector<double> moves;      ///< N+1 rates [1/s], finite, > 0: moves[i] before station i, moves[N] after the last
  share sharing = share::fixed;
  dispatch farms = dispatch::on_demand;
};

/// Throws skel::input_error (source "line") when the line has no station, a station has no worker, the number of moves
/// is not that of the stations plus one, or a rate is not finite or not positive. O(workers).
void check(line const& model);

/// The rates at which workers run: under fixed share the rate alone divided by the number of workers of the whole line
/// on the same host, under dynamic share the rate alone. One list per station. O(workers log workers).
std::vector<std::vector<double>> worker_rates(line const& model);

/// Options under which a shape and a placement become a line.
struct line_options {
  share sharing = share::fixed;
  dispatch farms = dispatch::on_demand;
  std::size_t buffer = 0;
};

/// The line of a program placed on a platform. A stage's worker on host h has rate speed(h) / work; the move between
/// hosts a and b takes path(a, b).time(bytes); where farms make several (sender, receiver) pairs, the mean over them.
/// Zero work or a zero-time move becomes a rate of `fastest_rate`, as does whatever is faster.
/// The first move takes path(input host, first host).time(input bytes), or the local latency of the first host where
/// the program names no input; the last move likewise. Moves between stages carry the sender's output_bytes. Throws
/// skel::error when the placement does not fit the shape or two hosts that must talk are not connected, and
/// skel::input_error when input or output name a host that is not there. O(sum of products of neighbouring widths).
line make_line(skeletons::shape const& program, plan::placement const& where, platform::description const& platform,
               line_options const& options = {});

}  // namespace skel::cost
