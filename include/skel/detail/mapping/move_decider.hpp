#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/mapping/decider.hpp>
#include <skel/detail/mapping/decision_problem.hpp>
#include <skel/detail/platform/forecast.hpp>
#include <skel/detail/record/move_record.hpp>

namespace skel::mapping {

/// A program that may go on by another plan.
struct remap_request {
  std::uint64_t program = 0;           ///< the same for each run of it; 0: not known
  double passed = 0;                   ///< time of the run so far, in units of remap_family
  std::vector<record::move_way> ways;  ///< one at least; names differ
  double uses = 0;                     ///< items, iterations or supersteps for which they are compared, >= 0
  std::uint64_t number = 0;            ///< of the decision in move_history
};

/// Programs of one kind: the problem as users name it, the model of prices, the word for repeated steps, and the unit
/// of progress.
struct remap_family {
  std::string_view problem, model, repeats, unit;
};
inline constexpr remap_family of_lines{"remap", "line simulation", "items", "s"},  // cost::simulate_line()
    of_meshes{"remap", "iteration time", "iterations", "s"},                       // cost::mesh::time_of()
    of_bsp{"migration", "superstep time", "supersteps", "supersteps"};  // expected_time, cost::bsp::time_of()

/// Decides if a program stays as it is or goes on by another placement. A way other than staying counts with its doubt:
/// it must be better even if forecasts are as wrong as they usually are.
class remap_choice {
 public:
  using request = remap_request;
  using plan = record::move_way;
  using key = std::string;
  using key_hash = std::hash<std::string>;

  static constexpr std::string_view name = of_lines.problem;
  static constexpr double tolerance = 0;

  explicit remap_choice(remap_family const& of) : models_{{std::string(of.model), {.error = 0}}}, of_(of) {}

  std::span<candidate_model const> models() const { return models_; }
  key key_of(request const& asked) const { return describe(asked); }
  static decision_context context_of(request const& asked) {
    return {static_cast<std::int64_t>(asked.program), 0, 0, 0};
  }
  static std::vector<candidate<plan>> candidates(request const& asked, std::size_t model, bool all);
  static double price(request const&, std::size_t, candidate<plan> const& one) { return one.per_use; }
  static std::string const& name_of(candidate<plan> const& one) { return one.plan.name; }
  std::string_view problem_of(request const&) const { return of_.problem; }
  std::string describe(request const& asked) const;
  static std::size_t bytes_of(candidate<plan> const& one) { return one.plan.name.capacity(); }
  static constexpr bool uses_are_known = true;
  static double expected_uses(request const& asked) { return asked.uses; }
  static std::optional<std::uint64_t> phase_of(request const&) { return std::nullopt; }

 private:
  // Prices are compared with each other only, and the caller corrects errors that all have in common. Nothing is
  // observed, so the error acts as one factor of all prices.
  std::vector<candidate_model> models_;
  remap_family of_;
};

/// Loss of a program by staying, beside the best way known, or at the most [s].
class staying_loss {
 public:
  void add(double seconds) { since_move_ += seconds, since_look_ += seconds; }

  /// True if a look for a better way is due; `cost` of a look [s]. It is due when as much was lost since the last look,
  /// and as much again for each look in a row that was in vain.
  bool pays_look(double cost) const { return since_look_ > cost * static_cast<double>(1 + in_vain_); }
  void looked(bool in_vain) { since_look_ = 0, in_vain_ = in_vain ? in_vain_ + 1 : 0; }
  std::size_t in_vain() const { return in_vain_; }
  /// The results of earlier looks say nothing any more.
  void has_changed() { in_vain_ = 0; }

  double since_move() const { return since_move_; }
  /// The program has moved, or no way is better any more.
  void forget() { since_move_ = 0; }

 private:
  double since_move_ = 0, since_look_ = 0;
  std::size_t in_vain_ = 0;
};

/// A program that runs, at a moment at which it may move.
struct ways_to_go_on {
  double passed = 0;                                           ///< time of the run so far [s]
  std::uint64_t after = 0;                                     ///< uses so far
  double stays = 0;                                            ///< expected time of a use where it is [s]
  double period = 0;                                           ///< time of a use now, in all [s]
  std::vector<record::move_way> elsewhere{};                   ///< none: nothing was looked for, and it stays
  bool must_go = false;                                        ///< staying is out of question
  double remaining = std::numeric_limits<double>::infinity();  ///< uses to come
  /// The most that may be won in a use [s], if the caller adds it to lost(). Without it, the gain of the best way is
  /// added here, for the `since` uses since the last call.
  std::optional<double> possible{};
  double since = 0;
};

/// A decision, with figures for the caller.
struct decided_move : record::move_decision {
  double gain = 0;  ///< gain of the best way in a use, less its doubt [s]; 0: none is better
  /// Time until staying will have cost as much as going to the best place, if nothing changes [s].
  double pays_at = std::numeric_limits<double>::infinity();
};

/// Decides for a running program of any family if it goes on elsewhere. Learns the cost of moves beside their model.
/// Keeps decisions and their outcomes, and tells the log.
///
/// A gain counts for no longer than it is known to last. The horizon is what staying has cost so far beside the best
/// way known. Each moment counts with the doubt of the forecasts taken off, and the account begins anew when no way is
/// better. A program moves once staying has cost as much as moving does, if the remaining work pays for that. So it
/// loses at most twice as much as with knowledge of the future. A slowdown that is shorter than the cost of moving
/// moves nothing (ski rental: Karlin, Manasse, Rudolph, Sleator 1988, Algorithmica 3(1):79-119). A better way that was
/// unknown at the last call has cost nothing yet.
///
/// Without clock. Not for several threads at once.
class move_decider {
 public:
  /// `program`: the same for each run of it; 0: not known.
  move_decider(remap_family const& of, std::uint64_t program);

  /// Takes the log that it tells, and the forced choices.
  void decide_by(decision_setup const& how);
  bool stays() const { return stays_; }  ///< whatever happens, because that is forced

  staying_loss& lost() { return lost_; }
  staying_loss const& lost() const { return lost_; }

  /// The price of a way with modelled price `modelled`, corrected by the costs of ways of its kind in this run [s].
  double entry(std::string const& kind, double modelled) const { return modelled + besides(kind); }

  /// No way elsewhere is known.
  void stays_without_choice() { lost_.forget(), gained_ = false; }
  /// O(ways + decisions kept).
  decided_move decide(ways_to_go_on now);
  /// The same if the caller knows for how many uses to compare ways. `passed`: as in remap_request.
  record::move_decision const& choose(double passed, record::move_decision now);
  record::move_history const& history() const { return history_; }
  /// The last decision, so that the caller can add its moves. Precondition: there is one.
  record::move_decision& last() { return history_.kept.back(); }

  /// So many uses took so long [s] with the placement since the last choice. Not told while a move is under way.
  void used(double uses, double seconds);
  /// The first move that was chosen and not yet told has been made, and took so long [s].
  void moved(double seconds);
  /// The last chosen move is not made, or was taken back.
  void stayed(std::string const& why = {});

 private:
  double besides(std::string const& kind) const;

  std::uint64_t program_;
  bool stays_ = false;
  std::string_view problem_;
  decider<remap_choice> decider_;
  staying_loss lost_;
  bool gained_ = false;                                  // a better way was known at the last call
  std::map<std::string, platform::forecaster> besides_;  // of a kind: cost of moves beside their models [s]
  record::move_history history_;
  std::optional<remap_request> asked_;  // last, and the measurements since then
  std::uint64_t move_ = 0;              // number of the last decision to move
  double uses_ = 0, seconds_ = 0;       // [s]
  std::uint64_t times_ = 0;
  std::deque<remap_request> under_way_;  // a BSP program may choose a move before the previous one has been made
};

}  // namespace skel::mapping
