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

/// The time in which one worker processed one batch of items.
struct span {
  std::uint32_t station = 0;
  std::uint32_t worker = 0;      ///< index among the station's workers on this rank
  std::int64_t begin = 0;        ///< [ns] on record::now_ns
  std::int64_t end = 0;          ///< [ns]
  std::uint64_t first_item = 0;  ///< number that the source gave the first item of the batch
  std::uint32_t items = 0;       ///< of the source that have become the batch
  SKEL_FIELDS(station, worker, begin, end, first_item, items);
};

/// Totals of the workers of one station on one rank.
struct station_record {
  std::uint32_t station = 0;
  std::string name;
  std::int32_t rank = 0;
  std::uint32_t workers = 0;
  std::uint64_t items = 0;         ///< that it took
  std::uint64_t items_out = 0;     ///< that it gave
  std::uint64_t source_items = 0;  ///< of the source, from which those that it took were made
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

/// The record of one run, on all ranks.
struct run_record {
  double seconds = 0;       ///< from the first call of the source to the last item's end
  std::uint64_t items = 0;  ///< that went through the line; reduces make fewer of them at its end
  /// The forecasts of the throughput, one after the other, each with the items that passed while it stood. The first is
  /// from before the run, if there was one. The others were made when the passed items contradicted the one before.
  /// `item` counts all items of the source, also those before the run.
  first_and_last<throughput_forecast> forecasts;
  first_and_last<remap_record> remaps;            ///< other plans while it ran
  std::uint64_t moves = 0;                        ///< of all of them, those by which it has gone on
  move_history decisions;                         ///< on moving it
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
  std::size_t batch_bytes = 0;   ///< the source closes a batch at this size [B]; batches of later stages may be larger
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

  /// Most bytes of a stage's results per item of the source, over all batches and stages [B].
  std::uint64_t largest_item() const {
    std::uint64_t most = 0;
    for (auto const& s : stations) most = std::max(most, s.item_bytes);
    return most;
  }

  /// Bound on the bytes of items at once in this run, on all ranks together [B]: twice all the batches that the credits
  /// allow. With a limit, no more than `places` times all the items that were under way. Each counts as large as the
  /// largest, by runtime::item_bytes. It leaves out data in the user's functions and in reduces, results of reduces at
  /// the end of the stream, the bytes of serialised items besides, and MPI's buffers. If ranges are received into used
  /// memory, as without a limit, as much again may be kept for that. O(stations).
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
