#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/mapping/decider.hpp>
#include <skel/detail/mapping/decision_setup.hpp>
#include <skel/detail/mapping/remap_choice.hpp>
#include <skel/detail/mapping/remap_search.hpp>

namespace skel::mapping {

/// What a line that runs is like at one moment.
struct remap_conditions {
  double seconds = 0;               ///< since the run began [s]
  running_line line;                ///< with speeds and work as they are forecast
  plan::placement present;          ///< by the last plan that has begun
  std::vector<double> speed_error;  ///< per processor: of the forecast of its speed, relative; empty: none
  double model_error = 0;           ///< of a price beside another one's: expected size of ln(measured / predicted)
  double batch = 1;                 ///< items of the source that are one of the line's
  double measured = 0;              ///< time per item of the source lately [s]; 0: not known
  double remaining = std::numeric_limits<double>::infinity();  ///< items of the source to come
  /// What moving there costs [s], and what such a placement is called.
  std::function<double(plan::placement const&)> entry;
  std::function<std::string(plan::placement const&)> name;
};

/// What was decided, with its figures.
struct remap_decision {
  std::uint64_t number = 0;     ///< of the decisions of this run, from 1
  std::vector<remap_way> ways;  ///< what there was to choose from; where it can stay, that first
  std::size_t chosen = 0;       ///< of them
  double items = 0;             ///< for which they were compared
  double lost = 0;              ///< by not moving since something better is known [s]
  /// When staying will have cost what going to the best place costs, if nothing changes [s].
  double pays_at = std::numeric_limits<double>::infinity();
  std::optional<plan::placement> go_to;  ///< nothing: it stays
};

/// Decides again and again whether a line that runs should go on somewhere else: searches near where it is
/// (search_near()), prices what is found, and gives the decider the ways with what they cost.
///
/// A gain counts for no longer than it is known to last. What staying has cost so far beside the best way known (each
/// moment with the doubt of the forecasts taken off; from the beginning where no way is better any more) is the
/// horizon: a line moves when it has lost by staying what moving costs, and never where the remaining work does not pay
/// for it. So it loses at most twice what somebody would who knows the future, however loads change, and a slowdown
/// that is shorter than what moving costs moves nothing (ski rental: Karlin, Manasse, Rudolph, Sleator 1988,
/// Algorithmica 3(1):79-119). A better place that was not known when it was asked last has cost nothing yet.
///
/// Where the line began counts without doubt: it was chosen among all places, at leisure. So a line that left it for
/// what did not last does not stay for good where it is only a little worse, as no gain there would be beyond doubt.
///
/// A value without clock. Not for several threads at once.
class remapper {
 public:
  /// `program`: the same for each run of it.
  remapper(std::uint64_t program, decision_setup const& setup);

  /// What to do now; nothing where there is nothing to choose from, as no better place is known. Conditions of one run,
  /// in the order of their times. O(search_near()).
  std::optional<remap_decision> decide(remap_conditions const& now);

 private:
  std::size_t way_home(remap_conditions const& now, double price, std::vector<near_placement>& found);

  std::uint64_t program_;
  bool stays_;  // whatever happens: it is forced
  decider<remap_choice> decider_;
  std::uint64_t decisions_ = 0;
  double before_ = 0;                    // when it was asked last [s]
  double lost_ = 0;                      // [s]
  bool gained_ = false;                  // a better place was known then
  std::optional<plan::placement> home_;  // where the line began
};

}  // namespace skel::mapping
