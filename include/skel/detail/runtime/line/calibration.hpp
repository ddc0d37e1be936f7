#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/record/run_record.hpp>
#include <skel/detail/runtime/errors.hpp>
#include <skel/detail/runtime/line/program.hpp>

namespace skel::runtime {

/// Measured cost of one station.
struct station_cost {
  /// Time per item of the source on a core of its own, mean without rare spikes [s]; time in which others had the core
  /// does not count. Of a farm whose workers fold: with the fold. Of the reduce behind it: per item that it takes;
  /// these are one for each batch, or none before the stream ends.
  double seconds = 0;
  double variation =
      0;             ///< squared coefficient of variation of the time per item, 0 .. 1 (1: as irregular as exponential)
  double bytes =
      0;  ///< of what an item of the source is when it leaves the station; of what a batch was folded to in a farm [B]
  double waiting = 0;  ///< share of `seconds` in which no thread of the process ran: sleep, input and output [0..1]
  double takes = 1;    ///< items that the station takes for one of the source
  double doubt = 0;    ///< standard error of `seconds`, relative; 0 where it is not known
};

/// Core time of threads that shared their cores with others.
struct core_share {
  double ran = 0;      ///< summed over threads [s]
  double held = 0;     ///< in which they could have run and others had the core, summed over threads [s]
  double threads = 1;  ///< of the program that wanted to run while one of these did, itself included, mean; >= 1
  double doubt = 0;    ///< standard error of share(), as a part of it

  /// 0 to 1; 1 if they did not want to run.
  double share() const { return ran + held > 0 ? ran / (ran + held) : 1; }
};

/// The first part of a stream, run where the source is, one station after the other.
struct calibration {
  std::vector<station_cost> stations;  ///< source first, sink last
  std::vector<record::span> spans;     ///< every batch at every station
  std::uint64_t items = 0;             ///< that have passed the sink
  bool ended = false;                  ///< the stream is over
  double seconds = 0;                  ///< that it took
  core_share cores;                    ///< of the threads that measured
  std::optional<failure> failed;       ///< a user's function threw
};

/// A batch that is measured has no more bytes than this, unless one item has.
inline constexpr std::size_t most_batch_bytes = std::size_t{1} << 20U;

/// Takes the first items of the stream through the line and measures their cost. As many batches pass at once as its
/// farms may have workers on `threads` threads. It ends after `seconds`, with at least three batches, or two for each
/// worker, if they take less than three times `seconds`; at least one item. The workers of a farm take their batches at
/// once, as in a run with all these threads; stations work one after the other. `cores`: the share of the threads in
/// cores that others use too; it is in no time of a station.
///
/// Afterwards the stream goes on where it stopped: user code has done all of its work, once, for the items taken.
/// Serial stages keep what they have seen; the measured copies of a farm's worker have finish() called. The time of the
/// first batch of a worker counts only if there are no others: it pays for cold memory. If the stream ends meanwhile,
/// finish() of every station is called. Ends early once `*interrupt` is true. Tokens of functions are stopped then, and
/// after an exception too. If the source falls silent, its items are taken to the sink within some 10 ms, in another
/// thread; the call returns when the source does. A batch of `batch_bytes` is full, whatever its items. `first_item`:
/// the number in the stream of the first item of the source; numbers in the result count from 0.
calibration calibrate(program const& line, double seconds, std::size_t threads = 1,
                      std::atomic<bool> const* interrupt = nullptr, std::size_t batch_bytes = most_batch_bytes,
                      std::uint64_t first_item = 0);

}  // namespace skel::runtime
