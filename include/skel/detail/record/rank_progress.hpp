#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/record/throughput_forecast.hpp>

namespace skel::record {

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

}  // namespace skel::record
