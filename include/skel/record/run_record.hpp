#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skel::record {

/// One batch of items in one worker: when it was processed.
struct span {
  std::uint32_t station = 0;
  std::uint32_t worker = 0;      ///< index among the station's workers on this rank
  std::int64_t begin = 0;        ///< [ns] on record::now_ns
  std::int64_t end = 0;          ///< [ns]
  std::uint64_t first_item = 0;  ///< number that the source gave the first item of the batch
  std::uint32_t items = 0;
};

/// What the workers of one station on one rank did.
struct station_record {
  std::uint32_t station = 0;
  std::string name;
  std::int32_t rank = 0;
  std::uint32_t workers = 0;
  std::uint64_t items = 0;
  std::uint64_t batches = 0;
  std::uint64_t bytes_out = 0;  ///< of its results [B]
  double busy = 0;              ///< in the user's function, summed over workers [s]
  double blocked = 0;           ///< holding a result for which there was no room, summed over workers [s]

  /// Time in the user's function per item [s]; 0 before the first item.
  double service_time() const { return items == 0 ? 0 : busy / static_cast<double>(items); }
};

/// What happened in one run, on all ranks.
struct run_record {
  double seconds = 0;                    ///< from the first call of the source to the last item's end
  std::uint64_t items = 0;               ///< that went through the line; reduces make fewer of them at its end
  std::vector<station_record> stations;  ///< ordered by station, then rank
  std::vector<std::vector<span>> spans;  ///< per rank; empty unless a trace was asked for
  std::vector<span> calibration;         ///< batches that were measured before the run; on rank 0 only
  std::vector<std::string> names;        ///< of the stations, source first
  std::vector<std::string> hosts;        ///< host name per rank
  std::size_t most_batches = 0;          ///< bound on the batches under way at once, by the credits of the plan
  std::size_t batch_bytes = 0;  ///< a batch is closed at this size, so that it exceeds it by one item at most [B]

  /// Bound on the bytes of items under way on all ranks: a batch that crosses ranks is in two places [B].
  std::size_t most_bytes() const { return 2 * most_batches * batch_bytes; }

  double throughput() const { return seconds > 0 ? static_cast<double>(items) / seconds : 0; }
};

/// Writes the spans in Chrome's trace event format (chrome://tracing, ui.perfetto.dev): a process per rank, a thread
/// per worker, a named slice per batch; batches that were measured before the run are slices "calibration: STATION" of
/// rank 0. Throws skel::error when the file cannot be written.
void write_chrome_trace(run_record const& run, std::string const& file);

}  // namespace skel::record
