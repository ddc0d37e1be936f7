#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/mapping/decision_setup.hpp>
#include <skel/detail/mapping/move_decider.hpp>
#include <skel/detail/mapping/remap_search.hpp>

namespace skel {

/// What a line that runs is like at one moment.
struct remap_conditions {
  double seconds = 0;               ///< since the run began [s]
  std::uint64_t after = 0;          ///< items of the source, since then
  mapping::running_line line;       ///< with speeds and work as they are forecast
  plan::placement present;          ///< by the last plan that has begun
  std::vector<double> speed_error;  ///< per processor: of the forecast of its speed, relative; empty: none
  double model_error = 0;           ///< of a price beside another one's: expected size of ln(measured / predicted)
  double batch = 1;                 ///< items of the source that are one of the line's
  double measured = 0;              ///< time per item of the source lately [s]; 0: not known
  double remaining = std::numeric_limits<double>::infinity();  ///< items of the source to come
  /// What moving there costs by its model [s], and what such a placement is called.
  std::function<double(plan::placement const&)> entry;
  std::function<std::string(plan::placement const&)> name;
};

/// What was decided, with its figures.
struct remap_decision : mapping::decided_move {
  std::optional<plan::placement> go_to{};  ///< nothing: it stays
};

/// Decides again and again whether a line that runs should go on somewhere else: searches near where it is
/// (mapping::search_near()), prices what is found, and lets a mapping::move_decider choose.
///
/// Where the line began counts without doubt: it was chosen among all places, at leisure. So a line that left it for
/// what did not last does not stay for good where it is only a little worse, as no gain there would be beyond doubt.
///
/// A value without clock. Not for several threads at once.
class remapper {
 public:
  /// `program`: the same for each run of it.
  remapper(std::uint64_t program, mapping::decision_setup const& setup);

  /// What to do now; nothing where there is nothing to choose from, as no better place is known. Conditions of one run,
  /// in the order of their times. O(mapping::search_near()).
  std::optional<remap_decision> decide(remap_conditions const& now);
  /// What decides, to be told what came of it.
  mapping::move_decider& mover() { return mover_; }
  mapping::move_decider const& mover() const { return mover_; }

 private:
  std::size_t way_home(remap_conditions const& now, double price, std::vector<mapping::near_placement>& found);

  mapping::move_decider mover_;
  double before_ = 0;                    // when it was asked last [s]
  std::optional<plan::placement> home_;  // where the line began
};

}  // namespace skel
