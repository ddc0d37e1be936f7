#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/record/run_history.hpp>

namespace skel::record {

/// Makes the history of a run from what ranks say, one call after the other.
///
/// Its size is bounded however long the run takes: when there are most_moments, every second one is dropped, and from
/// then on only as many are kept as are so far apart. Moments have totals since the run began, so that what happened
/// between two that stay is told in full; of forecasts of hosts, those that stood at the moments that stay. Of places,
/// of forecasts of the throughput and of other plans the first and the last are kept, of silences the first. A value
/// without clock.
class history_recorder {
 public:
  /// A plot has no more points across than that on most screens.
  static constexpr std::size_t most_moments = 1024;
  static constexpr std::size_t most_places = 1024, most_silences = 100;

  /// A rank is called silent after so many periods in which it should have said something.
  static constexpr double quiet_periods = 4;

  /// `begun`: what is known before the run, with its names and hosts. Precondition: there is a host for each rank.
  explicit history_recorder(run_history begun);

  /// By this plan, in words, with stations there; so many items passed before, while stages were measured.
  void begin(std::string plan, std::uint64_t first_items, std::vector<std::vector<int>> const& ranks);
  /// What a rank says. When rank 0 says something, the moment is kept at which it said something before: by then all
  /// have said something before and after it, and what they had done is between that.
  void hear(rank_progress const& said);
  /// What is expected of the hosts of the ranks from now on.
  void expect(std::vector<share_forecast> of_ranks);
  /// Where stations are by the plan that stands.
  void place(double seconds, std::vector<std::vector<int>> const& ranks);
  void add(remap_record const& what);
  /// What was announced so far, and why some of it was refused.
  void announce(std::vector<heard_announcement> heard, std::uint64_t all);
  /// What was decided so far.
  void decide(move_history made) { history_.decisions = std::move(made); }
  void refuse(std::vector<std::string> announcements);

  /// It has ended, and this is its record.
  void complete(run_record const& run);
  /// It has ended before the stream did. Nothing where it has ended already.
  void fail(std::string why);

  run_history const& history() const { return history_; }

 private:
  /// What a rank had done, by all that it said until then.
  struct rank_totals {
    double seconds = 0;
    std::vector<station_moment> stations;
    rank_moment threads;
  };
  struct rank_state {
    rank_totals before, latest;
    std::optional<std::size_t> quiet;  // it is silent: which of the silences that is
  };

  void listen(double now);
  void keep(double seconds);
  run_moment moment_at(double seconds) const;

  run_history history_;
  std::vector<rank_state> ranks_;
  std::size_t skipped_ = 0;  // moments since the last that was kept
};

/// A figure over the time since the run began [s].
using time_series = std::vector<std::pair<double, double>>;

/// A rate is that of the last second at least, as ranks say how far they are at different times of a period [s].
inline constexpr double rate_window = 1;

/// Items of the source that a station took, per second, at each moment.
time_series rate_of(run_history const& run, std::size_t station);
/// Part of their time in which a station's workers were in the user's function.
time_series busy_of(run_history const& run, std::size_t station);
/// Items of the source that the station before had taken, and this one had not. Precondition: the station is not first.
time_series under_way_before(run_history const& run, std::size_t station);
/// Part of the time in which a rank's threads wanted to run that they did; nothing where they did not want to.
time_series share_got(run_history const& run, std::size_t rank);

}  // namespace skel::record
