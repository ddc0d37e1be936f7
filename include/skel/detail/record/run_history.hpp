#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <skel/detail/record/move_record.hpp>
#include <skel/detail/record/run_record.hpp>

namespace skel::record {

/// The progress of a station's workers by a moment, on all ranks together, since the run began.
struct station_moment {
  double source_items =
      0;            ///< of the source that had become what they took; between two reports of a rank it is a part
  double busy = 0;  ///< in the user's function, summed over workers [s]
};

/// The forecast for a rank's host: of its speed in the platform, for each thread of the program.
struct share_forecast {
  double share = std::numeric_limits<double>::quiet_NaN();  ///< NaN: no forecast
  double error = std::numeric_limits<double>::quiet_NaN();  ///< median absolute, lately; NaN: not known
};

/// The core time of a rank's threads by a moment, since the run began, and the forecast at that moment.
struct rank_moment {
  double run = 0;     ///< rank_progress::run, summed [s]
  double waited = 0;  ///< that they could have run and did not because of others, if the run is watched; else
                      ///< rank_progress::waited, for each other too; summed [s]
  share_forecast expected;
};

/// The reports of ranks by a moment.
struct run_moment {
  double seconds = 0;                    ///< since the run began [s]
  std::vector<station_moment> stations;  ///< source first
  std::vector<rank_moment> ranks;
};

/// The ranks of the workers of each station from a moment on.
struct placed_moment {
  double seconds = 0;
  std::vector<std::vector<int>> ranks;  ///< of the workers, per station
};

/// A rank that was not heard for longer than it should be quiet.
struct silence {
  std::int32_t rank = 0;
  double from = 0, to = 0;  ///< since the run began [s]; the first is when it was heard last
};

enum class run_end : std::uint8_t {
  none,      ///< it goes on
  complete,  ///< the stream has ended
  failed,    ///< by an exception, or because it was cancelled
};

/// The history of a run as rank 0 shows it, while it goes on or afterwards, in pages and on terminals. A value of
/// bounded size (history_recorder).
struct run_history {
  std::string began;                  ///< when, as date and time; empty: not said
  std::string plan;                   ///< and its reason, in lines
  std::vector<std::string> stations;  ///< names, source first
  std::vector<std::string> hosts;     ///< name per rank
  std::size_t counted = 0;            ///< station at which items have passed the line
  double period = 0;                  ///< of the reports of ranks [s]; 0: none
  std::uint64_t first_items = 0;      ///< that passed before the run, while stages were measured

  std::vector<run_moment> moments;                ///< the first is the run's begin, with nothing done
  std::size_t apart = 1;                          ///< of so many moments that there were, one is kept
  std::vector<placed_moment> places;              ///< the first is where the run began
  std::uint64_t places_left_out = 0;              ///< between the first and the others
  first_and_last<throughput_forecast> forecasts;  ///< the first is the one that the run began with
  first_and_last<remap_record> remaps;            ///< other plans
  move_history decisions;                         ///< on moving it
  std::vector<silence> silences;                  ///< the first ones
  std::uint64_t silent = 0;                       ///< all that there were
  std::vector<heard_announcement> announcements;  ///< as in run_record
  std::uint64_t announced = 0;                    ///< all of them
  std::vector<std::string> refused_announcements;

  run_end end = run_end::none;
  std::string why;          ///< it failed
  double seconds = 0;       ///< that it took so far [s]
  std::uint64_t items = 0;  ///< of the source that have passed the line so far
};

}  // namespace skel::record
