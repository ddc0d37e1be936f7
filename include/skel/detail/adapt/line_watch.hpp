#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <skel/detail/platform/forecast.hpp>
#include <skel/detail/record/rank_progress.hpp>

namespace skel {

/// What ranks say of a line that runs, as what a decision to move it needs: the work that items now are to each
/// station, how fast items pass, and how many are under way. A value without clock; memory O(stations * ranks).
class line_watch {
 public:
  /// `speed`: per rank, of one of its cores with nothing else on it [work units/s].
  line_watch(std::size_t stations, std::vector<double> speed);

  /// What a rank says. `granted`: the part of a core that its control group grants, which is in its speed. What comes
  /// late, after something newer of the same rank, adds to nothing but is no error.
  void hear(record::rank_progress const& said, double granted = 1);

  /// What an item of the source is expected to be to a station [work units]: what its workers' functions took, less the
  /// part in which threads of their ranks could have run and did not, at the speed of the core; with the error of such
  /// forecasts. A value of NaN where nothing was measured.
  platform::value_forecast work(std::size_t station) const;

  /// Time per item at a station, by those that passed there in the last second, or since the last ones that passed
  /// before [s]; 0: none has passed there yet. By no more of what ranks said than has the last `items` of them; 0 for
  /// 0.
  double period(std::size_t station, double items = std::numeric_limits<double>::infinity()) const;

  /// Items of the source that have passed a station.
  double passed(std::size_t station) const { return items_now(stations_[station]); }

  /// Items that the first station has given and the other one has not taken yet, all ranks being taken to have gone on
  /// since they last spoke as they did before.
  double under_way(std::size_t station) const;

 private:
  struct rank_state {
    std::uint64_t items = 0;
    double busy = 0;  // [s]
    double when = 0;  // it was said [s]
    double rate = 0;  // items per second, before that
  };
  struct station_state {
    std::map<std::int32_t, rank_state> so_far{};           // by rank
    std::deque<std::pair<double, double>> passed{{0, 0}};  // when, items: of late
    platform::forecaster work{};
  };

  double items_now(station_state const& here) const;

  std::vector<station_state> stations_;
  std::vector<double> speed_;
  double latest_ = 0;  // when somebody said something [s]
};

}  // namespace skel
