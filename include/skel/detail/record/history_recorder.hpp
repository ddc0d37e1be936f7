#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/record/run_history.hpp>

namespace skel::record {

/// Makes the history of a run from the reports of ranks, one call after the other.
///
/// Its size is bounded, however long the run. When there are most_moments, every second one is dropped, and later ones
/// are kept as far apart. Moments have totals since the run began, so that nothing between two kept ones gets lost. Of
/// forecasts of hosts, those at the kept moments stay. Of places, forecasts of the throughput and other plans the first
/// and the last are kept, of silences the first. A value without clock.
class history_recorder {
 public:
  /// A plot has no more points across than that on most screens.
  static constexpr std::size_t most_moments = 1024;
  static constexpr std::size_t most_places = 1024, most_silences = 100;

  /// A rank is called silent after so many periods in which it should have said something.
  static constexpr double quiet_periods = 4;

  /// `begun`: the history before the run, with its names and hosts. Precondition: there is a host for each rank.
  explicit history_recorder(run_history begun);

  /// The run begins by this plan, in words, with stations on `ranks`; `first_items` passed before, while stages were
  /// measured.
  void begin(std::string plan, std::uint64_t first_items, std::vector<std::vector<int>> const& ranks);
  /// Takes a report of a rank. When rank 0 reports, the moment of its last report is kept: by now all ranks have
  /// reported before and after it, and their totals at it are between these reports.
  void hear(rank_progress const& said);
  /// The forecasts of the hosts of the ranks from now on.
  void expect(std::vector<share_forecast> of_ranks);
  /// The places of stations by the present plan.
  void place(double seconds, std::vector<std::vector<int>> const& ranks);
  void add(remap_record const& what);
  /// The announcements so far; refuse() has the reasons of refused ones.
  void announce(std::vector<heard_announcement> heard, std::uint64_t all);
  /// Sets the decisions so far.
  void decide(move_history made) { history_.decisions = std::move(made); }
  void refuse(std::vector<std::string> announcements);

  /// The run has ended with this record.
  void complete(run_record const& run);
  /// The run has ended before its stream. Does nothing if it has ended already.
  void fail(std::string why);

  run_history const& history() const { return history_; }

 private:
  /// The totals of a rank, by all its reports until then.
  struct rank_totals {
    double seconds = 0;
    std::vector<station_moment> stations;
    rank_moment threads;
  };
  struct rank_state {
    rank_totals before, latest;
    std::optional<std::size_t> quiet;  // number of its silence, while it is silent
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

/// A rate covers at least the last second, since ranks report at different times of a period [s].
inline constexpr double rate_window = 1;

/// Items of the source that a station took, per second, at each moment.
time_series rate_of(run_history const& run, std::size_t station);
/// Part of their time in which a station's workers were in the user's function.
time_series busy_of(run_history const& run, std::size_t station);
/// Items of the source that the station before had taken, and this one had not. Precondition: the station is not first.
time_series under_way_before(run_history const& run, std::size_t station);
/// Part of the time in which a rank's threads wanted to run that they did; nothing if they did not want to.
time_series share_got(run_history const& run, std::size_t rank);

}  // namespace skel::record
