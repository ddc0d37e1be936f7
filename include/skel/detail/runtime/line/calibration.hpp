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

/// What one station was found to cost.
struct station_cost {
  /// Per item of the source on a core of its own, mean without rare spikes [s]: time in which others had the core is
  /// not in it. Of a farm whose workers fold: with the fold. Of the reduce behind it: per item that it takes, of which
  /// there is one for each batch, or none before the stream ends.
  double seconds = 0;
  double variation =
      0;             ///< squared coefficient of variation of the time per item, 0 .. 1 (1: as irregular as exponential)
  double bytes =
      0;  ///< of what an item of the source is when it leaves the station; of what a batch was folded to in a farm [B]
  double waiting = 0;  ///< share of `seconds` in which no thread of the process ran: sleep, input and output [0..1]
  double takes = 1;    ///< items that the station takes for one of the source
  double doubt = 0;    ///< standard error of `seconds`, relative; 0 where it is not known
};

/// What threads got of the cores that they shared with others.
struct core_share {
  double ran = 0;      ///< summed over threads [s]
  double held = 0;     ///< in which they could have run and others had the core, summed over threads [s]
  double threads = 1;  ///< of the program that wanted to run while one of these did, itself included, mean; >= 1
  double doubt = 0;    ///< standard error of share(), as a part of it

  /// 0 to 1; 1 where they did not want to run.
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

/// Takes the first items of the stream through the line, as many batches at once as its farms may have workers on
/// `threads` threads, until `seconds` have passed, and measures what they cost: at least three batches, or two for each
/// worker, if they take less than three times `seconds`; at least one item. The workers of a farm take their batches at
/// once, as in a run that has all these threads; stations work one after the other. `cores` says
/// what the threads got of the cores where others use them too, which is in no time of a station.
///
/// Afterwards the stream goes on where it stopped: items that were taken are done, once, with all that user code does
/// beside. Serial stages keep what they have seen; the copies of a farm's worker that measured have finish() called.
/// The time of the first batch of a worker counts only where there are no others: it pays for cold memory. When the
/// stream ends meanwhile, finish() of every station is called. Ends early once `*interrupt` is true; functions that
/// take a token are told so by it, and after an exception too. When the source falls silent, what it has given is taken
/// to the sink within some 10 ms, in another thread; the call returns when the source does. A batch of `batch_bytes` is
/// full, whatever its items. `first_item`: the number in the stream of the first one that the source gives; those of the
/// result count from 0.
calibration calibrate(program const& line, double seconds, std::size_t threads = 1,
                      std::atomic<bool> const* interrupt = nullptr, std::size_t batch_bytes = most_batch_bytes,
                      std::uint64_t first_item = 0);

}  // namespace skel::runtime
