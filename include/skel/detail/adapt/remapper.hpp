#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/mapping/decision_problem.hpp>
#include <skel/detail/mapping/move_decider.hpp>
#include <skel/detail/mapping/remap_search.hpp>

namespace skel {

/// The state of a running line at one moment.
struct remap_conditions {
  double seconds = 0;               ///< since the run began [s]
  std::uint64_t after = 0;          ///< items of the source, since then
  mapping::running_line line;       ///< with forecast speeds and work
  plan::placement present;          ///< by the last plan that has begun
  std::vector<double> speed_error;  ///< per processor: of the forecast of its speed, relative; empty: none
  double model_error = 0;           ///< of a price beside another one's: expected size of ln(measured / predicted)
  double batch = 1;                 ///< items of the source that are one of the line's
  double measured = 0;              ///< time per item of the source lately [s]; 0: not known
  double remaining = std::numeric_limits<double>::infinity();  ///< items of the source to come
  /// Cost of moving there by its model [s], and the name of such a placement.
  std::function<double(plan::placement const&)> entry;
  std::function<std::string(plan::placement const&)> name;
};

/// A decision with its figures.
struct remap_decision : mapping::decided_move {
  std::optional<plan::placement> go_to{};  ///< nothing: it stays
};

/// Decides again and again whether a running line should go on somewhere else: searches near its placement
/// (mapping::search_near()), prices the alternatives, and lets a mapping::move_decider choose.
///
/// The line's first placement counts without doubt: it was chosen among all places, at leisure. A line may leave it for
/// a reason that does not last. It then returns even for a small gain, which would otherwise never be beyond doubt.
///
/// A value without clock. Not for several threads at once.
class remapper {
 public:
  /// `program`: the same for each run of it.
  remapper(std::uint64_t program, mapping::decision_setup const& setup);

  /// The decision now; nothing if there is no alternative, because no better place is known. Call it with conditions of
  /// one run, in the order of their times. O(mapping::search_near()).
  std::optional<remap_decision> decide(remap_conditions const& now);
  /// The decider; tell it the outcome of each decision.
  mapping::move_decider& mover() { return mover_; }
  mapping::move_decider const& mover() const { return mover_; }

 private:
  std::size_t way_home(remap_conditions const& now, double price, std::vector<mapping::near_placement>& found);

  mapping::move_decider mover_;
  double before_ = 0;                    // time of the last call [s]
  std::optional<plan::placement> home_;  // the first placement of the line
};

}  // namespace skel
