#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <skel/detail/cost/bsp/superstep_time.hpp>
#include <skel/detail/mapping/decision_problem.hpp>

/// Costs of a migration beside its state, measured by programs on these ranks, for later ones.
namespace skel::mapping {

struct migration_price {
  double fixed = 0;     ///< of one, whatever its state [s]
  double per_byte = 0;  ///< of its state, beside the path that it takes [s/B]

  friend bool operator==(migration_price const&, migration_price const&) = default;
};

/// Nothing if no program's processes have migrated, or if the entries hold no times. O(entries).
std::optional<migration_price> known_migration_price(decision_entries const& known);

/// The price as an entry to keep.
decision_entries::value_type kept_migration_price(migration_price const& price);

}  // namespace skel::mapping

namespace skel::mapping::migration {

/// Learns the cost of migrations beside the paths of their states, seconds = fixed * moves + per_byte * bytes. Uses the
/// last barriers with moves. Moves and bytes are those of the host that has most of them.
///
/// If states of several sizes have moved, a resistant line through the means of barriers gives both prices (Tukey 1977,
/// Exploratory Data Analysis, chapter 5). Its slope joins the medians of the barriers with the smallest and with the
/// largest states, a third of them each. The line counts if the larger median is twice the smaller one, and if its
/// states take longer to cross than messages of a migration. Otherwise medians are one size with one time. If such a
/// state takes longer to cross than those messages, the time beyond the known fixed price is priced by bytes. If not,
/// the time beyond the known price of bytes is fixed.
class migration_learner {
 public:
  /// `machine`: with the known prices. `messages`: time of the messages of a migration [s].
  migration_learner(cost::bsp::machine machine, double messages);

  /// Measured time of the moves of a barrier. O(moves + hosts). Precondition: there were some.
  void add(std::span<cost::bsp::migration const> moves, double seconds);
  bool has_any() const { return !barriers_.empty(); }
  /// The price by the machine if there was no barrier. O(1).
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
