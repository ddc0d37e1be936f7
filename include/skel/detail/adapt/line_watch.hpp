#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <skel/detail/platform/forecast.hpp>
#include <skel/detail/record/run_record.hpp>

namespace skel {

/// Turns the reports of ranks of a running line into the figures of a decision to move it: the work of items at each
/// station, the rate of items, and the items under way. A value without clock; memory O(stations * ranks).
class line_watch {
 public:
  /// `speed`: per rank, of one of its cores with nothing else on it [work units/s].
  line_watch(std::size_t stations, std::vector<double> speed);

  /// Adds a report of a rank. `granted`: the part of a core that its control group grants, which its speed contains. A
  /// report that is older than another one of the same rank is ignored, and is no error.
  void hear(record::rank_progress const& said, double granted = 1);

  /// Expected work of an item of the source at a station [work units], with the error of such forecasts. It is the time
  /// of its workers' functions, less the part in which threads of their ranks were runnable but did not run, at the
  /// speed of the core. The value is NaN before the first measurement.
  platform::value_forecast work(std::size_t station) const;

  /// Time per item at a station [s], by the items that passed there in the last second, or since the last items before
  /// it; 0: none has passed there yet. Uses only the reports with the last `items` of them; 0 for 0.
  double period(std::size_t station, double items = std::numeric_limits<double>::infinity()) const;

  /// Items of the source that have passed a station.
  double passed(std::size_t station) const { return items_now(stations_[station]); }

  /// Items that the first station has given and the other one has not yet taken. Assumes that all ranks have gone on as
  /// before since they last reported.
  double under_way(std::size_t station) const;

 private:
  struct rank_state {
    std::uint64_t items = 0;
    double busy = 0;  // [s]
    double when = 0;  // of the report [s]
    double rate = 0;  // items per second, before that
  };
  struct station_state {
    std::map<std::int32_t, rank_state> so_far{};           // by rank
    std::deque<std::pair<double, double>> passed{{0, 0}};  // of late: when, items
    platform::forecaster work{};
  };

  double items_now(station_state const& here) const;

  std::vector<station_state> stations_;
  std::vector<double> speed_;
  double latest_ = 0;  // time of the last report [s]
};

}  // namespace skel
