#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/pattern/shape.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel::cost {

/// The way in which stages on one host share its speed.
enum class share {
  fixed,    ///< each has 1/n of the host all the time, busy or not (Benoit et al. 2005; the default of `skel place`)
  dynamic,  ///< the host divides equally among the stages that are processing at this moment
};

/// The rule for the worker of a farm that gets the next item.
enum class dispatch {
  round_robin,  ///< workers in turn, for incoming and for outgoing items; the stream waits for the worker whose turn it
                ///< is
  on_demand,    ///< any worker with room, all alike; outgoing items come from any worker that has finished, all alike
};

/// One worker of a station.
struct worker {
  double rate = 0;       ///< items per second with its host for itself [1/s]; > 0
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
/// A station holds its item while it moves out (blocking after service). A move needs a sender with a finished item and
/// a receiver with room, and takes an exponential time. The source is never empty and the sink never full.
/// Source: Benoit, Cole, Gilmore, Hillston 2005 (pipeline), with farms, buffers and dynamic share added here.
/// Limits: one move at a time between two neighbours, whatever the width of the farms at its ends; the cores of a host
/// are not told apart.
struct line {
  std::vector<station> stations;  ///< N >= 1
  std::vector<double> moves;      ///< N+1 rates [1/s], finite, > 0: moves[i] before station i, moves[N] after the last
  share sharing = share::fixed;
  dispatch farms = dispatch::on_demand;
};

/// Throws skel::input_error (source "line") if the line has no station, a station no worker, or a rate is not finite or
/// not positive. Also unless there is one more move than stations. O(workers).
void check(line const& model);

/// The rates at which workers run. Fixed share: the rate alone, divided by the number of workers of the whole line on
/// the same host. Dynamic share: the rate alone. One list per station. O(workers log workers).
std::vector<std::vector<double>> worker_rates(line const& model);

/// Options that make a line of a shape and a placement.
struct line_options {
  share sharing = share::fixed;
  dispatch farms = dispatch::on_demand;
  std::size_t buffer = 0;
};

/// The line of a program placed on a platform. A stage's worker on host h has rate speed(h) / work. The move between
/// hosts a and b takes path(a, b).time(bytes), or the mean over the (sender, receiver) pairs of farms. Zero work or a
/// zero-time move becomes a rate of `fastest_rate`, and so does any faster one.
/// The first move takes path(input host, first host).time(input bytes), or the local latency of the first host if the
/// program names no input; the last move likewise. Moves between stages carry the sender's output_bytes. Throws
/// skel::error if the placement does not fit the shape or two hosts that must talk are not connected. Throws
/// skel::input_error if input or output name a missing host. O(sum of products of neighbouring widths).
line make_line(skeletons::shape const& program, plan::placement const& where, platform::description const& platform,
               line_options const& options = {});

/// Figures of the wait when stages of a running line move to other ranks.
struct line_move {
  double items = 0;    ///< of the source that are under way
  double period = 0;   ///< time per item of the source [s]
  double latency = 0;  ///< the longest one between rank 0 and a rank that such a stage leaves or goes to [s]
};

/// Messages that follow each other between rank 0 and another rank for one move (runtime::epochs). The plan is
/// announced; the rank reports that it can obey it; it is told to begin; it reports that it does nothing more by the
/// plan before.
inline constexpr double messages_of_a_move = 4;

/// Time of a move, from the announcement to the last rank [s]: items under way pass by the plan before,
///   items * period + messages_of_a_move * latency.
/// It leaves out the time of states: their sizes are known at the place that writes them. O(1).
inline double move_time(line_move const& of) {
  return of.items * of.period + messages_of_a_move * of.latency;
}

}  // namespace skel::cost
