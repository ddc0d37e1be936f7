#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/record/bounded.hpp>
#include <skel/detail/record/move_record.hpp>

namespace skel::record {

/// Intended probability that the measured rate lies in the interval of a forecast.
inline constexpr double forecast_confidence = 0.9;

/// The forecast for a run from an item on, and the progress of the run while it stood.
struct throughput_forecast {
  std::uint64_t item = 0;  ///< number of the first item that it is about
  double seconds = 0;      ///< when it was made, from the beginning of the run [s]
  double rate = 0;         ///< mean from then to the end of the run [items/s]; 0: nothing was expected
  double low = 0;          ///< that mean lies between these with forecast_confidence [items/s]; both are 0 where no
  double high = 0;         ///< interval was stated
  bool drifts = false;     ///< the rate was rising or falling when it was made
  std::string why;         ///< it was made; empty: before the run

  std::uint64_t items = 0;  ///< that passed while it stood
  double lasted = 0;        ///< how long it stood [s]

  /// The measured rate while it stood [items/s].
  double measured() const { return lasted > 0 ? static_cast<double>(items) / lasted : 0; }
  bool has_interval() const { return high > 0; }
  bool covers(double rate_measured) const { return low <= rate_measured && rate_measured <= high; }
  SKEL_FIELDS(item, seconds, rate, low, high, drifts, why, items, lasted);
};

/// Notes in each forecast the items that passed until the next one was made; in the last one, until the run ended. The
/// run has `items`, the first of them with the number `first`, in `seconds`. A forecast stays as it is if its next one
/// is left out. O(forecasts).
void judge(first_and_last<throughput_forecast>& forecasts, std::uint64_t first, std::uint64_t items, double seconds);

/// An announcement, and its effect on a run.
struct heard_announcement {
  double seconds = 0;   ///< since the run began, when it was heard [s]; 0: before
  std::string text;     ///< in words
  bool leaves = false;  ///< it was about hosts that leave
  double left = -1;     ///< when no stage was on them any more, since the run began [s]; negative: never
};

/// The progress of the workers of one station on one rank since the run began.
struct station_progress {
  std::uint32_t station = 0;
  std::uint64_t source_items = 0;  ///< of the source that have become what they took
  double busy = 0;                 ///< in the user's function, summed over workers [s]
  SKEL_FIELDS(station, source_items, busy);
};

/// The time of a message to another rank and a short one back.
struct round_trip {
  std::int32_t to = 0;
  double seconds = 0;
  double bytes = 0;  ///< of the message; 0: it was short
  SKEL_FIELDS(to, seconds, bytes);
};

/// The report of a rank on itself while a line runs.
struct rank_progress {
  std::int32_t rank = 0;
  double seconds = 0;  ///< when it was heard, since the run began, by the clock of the rank that hears it [s]
  double lasted = 0;   ///< since its report before, by its own clock; the first time since the run began [s]
  std::vector<station_progress> stations;  ///< that have or had workers there
  double run = 0;                          ///< that its threads ran in `lasted`, summed over threads [s]
  double waited = 0;  ///< that its threads could have run in `lasted` while others had the cores, or while a quota was
                      ///< used up; summed over threads [s]
  double got = 1;     ///< of the thread that ran most in `lasted`: the part of the time it could have run that it ran
  std::vector<round_trip> trips;  ///< that have ended in `lasted`
  /// From the rank that counts the items: the standing forecast, each once.
  std::optional<throughput_forecast> standing;
  std::string said;  ///< the text of run_options::says
  SKEL_FIELDS(rank, lasted, stations, run, waited, got, trips, standing, said);
};

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
