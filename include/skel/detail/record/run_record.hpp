#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/record/checkpoint_record.hpp>
#include <skel/detail/record/first_and_last.hpp>
#include <skel/detail/record/heard_announcement.hpp>
#include <skel/detail/record/move_record.hpp>
#include <skel/detail/record/throughput_forecast.hpp>

namespace skel::record {

/// One batch of items in one worker: when it was processed.
struct span {
  std::uint32_t station = 0;
  std::uint32_t worker = 0;      ///< index among the station's workers on this rank
  std::int64_t begin = 0;        ///< [ns] on record::now_ns
  std::int64_t end = 0;          ///< [ns]
  std::uint64_t first_item = 0;  ///< number that the source gave the first item of the batch
  std::uint32_t items = 0;       ///< of the source that have become the batch
  SKEL_FIELDS(station, worker, begin, end, first_item, items);
};

/// What the workers of one station on one rank did.
struct station_record {
  std::uint32_t station = 0;
  std::string name;
  std::int32_t rank = 0;
  std::uint32_t workers = 0;
  std::uint64_t items = 0;         ///< that it took
  std::uint64_t items_out = 0;     ///< that it gave
  std::uint64_t source_items = 0;  ///< that the source gave, of which those that it took have become
  std::uint64_t batches = 0;
  std::uint64_t bytes_out = 0;      ///< of its results [B]
  std::uint64_t largest_batch = 0;  ///< of its results [B]
  std::uint64_t item_bytes = 0;  ///< of its results, for each item of the source, in the batch where that was most [B]
  double busy = 0;               ///< in the user's function, summed over workers [s]
  double blocked = 0;            ///< holding a result for which there was no room, summed over workers [s]

  /// Time in the user's function per item of the source [s]; 0 before the first item.
  double service_time() const { return source_items == 0 ? 0 : busy / static_cast<double>(source_items); }
  SKEL_FIELDS(station, name, rank, workers, items, items_out, source_items, batches, bytes_out, largest_batch,
              item_bytes, busy, blocked);
};

/// What happened in one run, on all ranks.
struct run_record {
  double seconds = 0;       ///< from the first call of the source to the last item's end
  std::uint64_t items = 0;  ///< that went through the line; reduces make fewer of them at its end
  /// What was expected of the throughput, one forecast after the other, each with what was measured while it stood. The
  /// first is from before the run, where there was one; the others were made when the items that had passed said
  /// otherwise. `item` counts all that the source gave, those that passed before the run too.
  first_and_last<throughput_forecast> forecasts;
  first_and_last<remap_record> remaps;  ///< other plans that came while it ran
  std::uint64_t moves = 0;              ///< of all of them, those that it has gone on by
  move_history decisions;               ///< whether it was to go on elsewhere
  std::vector<heard_announcement> announcements;  ///< before it and while it ran, the last ones; on rank 0
  std::uint64_t announced = 0;                    ///< all of them
  checkpoint_record checkpoints;                  ///< that were made while it ran
  std::vector<std::vector<int>> final_ranks;      ///< ranks of the workers of each station by the last plan
  std::vector<station_record> stations;           ///< ordered by station, then rank
  std::vector<std::vector<span>> spans;           ///< per rank; empty unless a trace was asked for
  std::vector<span> calibration;                  ///< batches that were measured before the run; on rank 0 only
  std::vector<std::string> names;                 ///< of the stations, source first
  std::vector<std::string> hosts;                 ///< host name per rank
  std::vector<double> shares;  ///< per rank: of the time that its threads wanted to run, in which they did; empty: not
                               ///< known
  std::size_t most_batches = 0;  ///< bound on the batches under way at once, by the credits of the plan
  std::size_t batch_bytes = 0;   ///< the source closes a batch at this size [B]; what stages make of it may be larger
  std::size_t memory_limit = 0;  ///< plan::run_plan::most_bytes [B]; 0: none
  std::size_t places = 2;        ///< batches at once that a batch of the source may be: at either end of a message, as
                                 ///< input and output of a stage, and at every rank of a broadcast stage
  std::uint64_t most_items = 0;  ///< of the source that were under way at once; counted where there is a limit

  /// Of all batches of the run [B].
  std::size_t largest_batch() const {
    std::uint64_t most = 0;
    for (auto const& s : stations) most = std::max(most, s.largest_batch);
    return most;
  }

  /// Of what any stage made of an item of the source, in the batch where that was most, per item [B].
  std::uint64_t largest_item() const {
    std::uint64_t most = 0;
    for (auto const& s : stations) most = std::max(most, s.item_bytes);
    return most;
  }

  /// Bound on the bytes that items took at once in this run, on all ranks together: all the batches that the credits
  /// allow, or with a limit all the items that were under way, each as large as the largest [B]. It counts what
  /// runtime::item_bytes sees of items in batches. Not in it: what the user's functions and reduces hold and reduces
  /// give at the end of the stream, what serialised items take as bytes besides, and MPI's buffers. Where ranges are
  /// received into used memory, as they are without a limit, as much again may be kept for that. O(stations).
  std::size_t most_bytes() const {
    auto const times = [](std::size_t a, std::size_t b) {
      std::size_t product = 0;
      return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::size_t>::max() : product;
    };
    std::size_t const by_batches = times(times(2, most_batches), largest_batch());
    if (memory_limit == 0) return by_batches;
    return std::min(by_batches, times(times(places, most_items), largest_item()));
  }

  double throughput() const { return seconds > 0 ? static_cast<double>(items) / seconds : 0; }
};

}  // namespace skel::record
