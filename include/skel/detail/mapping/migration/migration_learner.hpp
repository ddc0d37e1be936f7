#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <skel/detail/cost/bsp/superstep_time.hpp>
#include <skel/detail/mapping/decision_setup.hpp>

/// What a migration takes beside its state, as programs on these ranks have found it, for those to come.
namespace skel::mapping {

struct migration_price {
  double fixed = 0;     ///< of one, whatever its state [s]
  double per_byte = 0;  ///< of its state, beside the path that it takes [s/B]

  friend bool operator==(migration_price const&, migration_price const&) = default;
};

/// Nothing where no program's processes have migrated, or what is kept are no times. O(entries).
std::optional<migration_price> known_migration_price(decision_entries const& known);

/// That, to be kept.
decision_entries::value_type kept_migration_price(migration_price const& price);

}  // namespace skel::mapping

namespace skel::mapping::migration {

/// Learns what migrations take beside the paths of their states, seconds = fixed * moves + per_byte * bytes, from the
/// last barriers at which some were made. Moves and bytes are those of the host that has most of them.
///
/// Where states of several sizes have moved, a resistant line through the means of barriers says both prices (Tukey
/// 1977, Exploratory Data Analysis, chapter 5): its slope is that of the medians of the barriers with the smallest and
/// with the largest states, a third of them each. It stands where the larger median is twice the smaller one, and its
/// states take longer to cross than messages of a migration. Otherwise medians are one size with one time, all of which
/// is priced: as bytes, beyond the fixed price that was known, where such a state takes longer to cross than those
/// messages; as fixed, beyond the price of bytes that was known, where it does not.
class migration_learner {
 public:
  /// `machine`: with the prices that are known. `messages`: what those of a migration take [s].
  migration_learner(cost::bsp::machine machine, double messages);

  /// What was measured of the moves of a barrier. O(moves + hosts). Precondition: there were some.
  void add(std::span<cost::bsp::migration const> moves, double seconds);
  bool has_any() const { return !barriers_.empty(); }
  /// What was known where there was none. O(1).
  migration_price learnt() const;

 private:
  struct of_a_move {
    double bytes = 0, crossing = 0, seconds = 0;  // the last is beside crossing
  };
  static of_a_move medians(std::span<of_a_move const> barriers);
  migration_price of_one_size(of_a_move const& usual) const;

  cost::bsp::machine machine_;
  double messages_;
  std::deque<of_a_move> barriers_;
};

}  // namespace skel::mapping::migration
