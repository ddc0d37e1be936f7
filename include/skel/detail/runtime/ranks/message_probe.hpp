#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include <skel/detail/record/probe_sample.hpp>
#include <skel/detail/runtime/ranks/quiet.hpp>

namespace skel::runtime {

/// Keeps the processor busy for so long [s], but yields it to others.
void spin(double seconds);

/// Ways of a rank to wait: for another rank without disturbing measurements on its host, and for time to pass. A
/// simulator, whose time does not pass in calls of the operating system, brings its own.
struct waiting {
  void (*until)(MPI_Request) = &quiet::wait;
  void (*pause)(double) = &spin;
};

/// Limits of the measurements between two ranks.
struct message_probe_options {
  std::size_t probes = 21;  ///< of a kind and size, at most; at least `fewest_probes` are made
  double precision = 0.05;  ///< half of the 95 % interval of a median, relative to it, with which no more are made
  double time_limit = 5;    ///< [s] for one direction of a pair, after which only what is indispensable is measured
  std::size_t largest = 4 << 20;  ///< [B] of a message, at most
  waiting wait{};
};

/// Enough for a median that one outlier does not move far, and for its scatter to show.
inline constexpr std::size_t fewest_probes = 5;

/// Results of probe_messages().
struct message_probe {
  std::vector<record::probe_sample> samples;
  std::size_t probes = 0;  ///< round trips, floods, and receives that were timed or made to warm up
};

/// Measures messages from this rank to `partner`, which calls answer_probes at the same time. Nobody else uses `among`
/// between the two meanwhile. Blocking point-to-point MPI and MPI_Wtime only.
///
/// `transfer`: half of a round trip of m bytes there and back. `send_overhead`: the time inside MPI_Send on the way
/// there. `receive_overhead`: inside MPI_Recv, after a pause that is longer than the message takes. `gap`: t(n) is the
/// time of a flood of n messages of m bytes, answered once as a whole. So many are sent before the first is waited for
/// that a far path is filled. (t(n) - t(1)) / (n - 1) is one message's part, free of the path's latency. Length n: so
/// large that the scatter of t(1) does not count, and that half as many show the same or the difference is at least
/// t(1), within bounds. Each t(n) has a t(1) beside it; if that was held up and took longer, t(n) / n bounds the part.
///
/// Sizes: an empty message. For `two`: the first of 16 KiB, 64 KiB, ... whose bytes take ten times as long, and the
/// transfers on the way there. For `many`: 16 KiB, then 1 KiB, 4 KiB, ... up to 256 KiB and on until the last transfer
/// and gap lie on the lines through the two before them. Powers of two between two sizes follow while values between
/// are off the line. Each is repeated in batches until the interval of its median is narrow. The first of each batch of
/// a new size is thrown away: it opens connections and touches memory.
///
/// Time: at most time_limit, plus the time of two sizes of all kinds that are wanted.
message_probe probe_messages(MPI_Comm among, int partner, record::probe_wants const& wants,
                             message_probe_options const& options = {});

/// The other side: does what the prober asks until it is done.
void answer_probes(MPI_Comm among, int prober);

/// The latency alone: half of a round trip of one byte, in batches until the interval of the median is narrow. The
/// partner calls answer_probes.
struct latency_probe {
  double latency = 0;      ///< [s], median
  double error = 0;        ///< half of the 95 % interval of the median, relative to it
  std::size_t probes = 0;  ///< round trips
};
latency_probe probe_latency(MPI_Comm among, int partner, message_probe_options const& options = {});

/// Tags of the messages of probes.
enum probe_tag : int { order_tag = 1, message_tag, meeting_tag, size_tag, bytes_tag };

}  // namespace skel::runtime
