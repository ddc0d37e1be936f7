#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/adapt/announcement_log.hpp>
#include <skel/detail/adapt/line_watch.hpp>
#include <skel/detail/adapt/remapper.hpp>
#include <skel/detail/mapping/remap_search.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/platform/announcement.hpp>
#include <skel/detail/platform/monitor.hpp>
#include <skel/detail/record/move_record.hpp>
#include <skel/detail/record/run_history.hpp>
#include <skel/detail/record/run_record.hpp>

namespace skel {

/// A placed line with what the search for better places needs.
struct placed_line {
  mapping::running_line line;  ///< as it was placed; stages that must not move are pinned
  plan::placement where;
  std::vector<std::size_t> station_of;  ///< per stage of the model
  std::vector<double> work;             ///< per station, per item of the source, at the placement [work units]; 0 where
                                        ///< measurements while it runs do not show it
  double batch = 1;                     ///< items of the source in one of the model
  std::function<std::vector<std::vector<int>>(plan::placement const&)> ranks_of{};        ///< per station
  std::function<plan::placement(std::vector<std::vector<int>> const& ranks)> at_ranks{};  ///< a placement with these
  std::function<std::string(plan::placement const&)> name_of{};
};

/// The needs of a run that may be moved, besides its line.
struct remapping_setup {
  std::uint64_t program = 0;  ///< the same for each run of it
  placed_line placed;
  platform::monitor monitor;
  /// The processors of the line if ranks are such hosts: the same processors as those of placed.line.
  std::function<platform::description(platform::description const& of_ranks)> processors_at;
  std::size_t counted = 0;                      ///< station at which items have passed the line
  double model_error = 0;                       ///< forecast_doubt::between
  double horizon = 0;                           ///< least expected time of the run [s]
  std::vector<platform::announcement> stood{};  ///< before the run: the monitor and the plan know them
  /// Announcements since the last call.
  std::function<std::vector<platform::announcement>()> announced;
  mapping::decision_setup decisions;
};

/// Looks after a running line, on rank 0: hears the reports of ranks and the announcements, keeps the forecasts of
/// hosts, paths and work, and says when the line is to go on by another plan (remapper). Keeps decisions. For one
/// thread, the one that communicates.
class remapping {
 public:
  /// Time between reports of ranks, and least time between decisions [s].
  static constexpr double period = platform::monitor_options{}.period;

  explicit remapping(remapping_setup setup);

  /// The line begins by this plan, and these stations have to stay where it has them.
  void begin(plan::run_plan const& plan, std::map<std::size_t, std::string> const& stay);
  /// run_options::heard, next_plan and remapped.
  void hear(record::rank_progress const& said);
  std::optional<plan::run_plan> next_plan(plan::run_plan const& now, double seconds);
  void remapped(record::remap_record const& what);

  record::move_history const& decisions() const { return remapper_.mover().history(); }
  /// The announcements, and when hosts were left.
  announcement_log const& announcements() const { return log_; }
  /// Time in which the threads of the reporting rank were runnable but did not run because of others [s].
  double lost_to_others(record::rank_progress const& said) const;
  /// The forecast for the host of each rank.
  std::vector<record::share_forecast> shares() const;
  platform::monitor const& monitor() const { return of_.monitor; }

 private:
  struct moving {
    plan::placement from, to;
    std::vector<std::vector<int>> ranks;
    std::optional<std::uint32_t> epoch;  // result of the move; nothing: it is under way
  };

  mapping::running_line line_now() const;
  std::vector<double> errors_now() const;
  void follow(plan::run_plan const& now);
  bool is_moving() const;
  void pin(std::vector<std::uint32_t> const& stations);
  bool has_changed(mapping::running_line const& line) const;
  double price_of(plan::placement const& where, platform::description const& of_ranks) const;

  remapping_setup of_;
  line_watch watch_;
  remapper remapper_;
  announcement_log log_;
  plan::placement present_;
  std::optional<moving> moving_;  // the last one
  double search_at_ = 0, bound_ = 0;
};

}  // namespace skel
