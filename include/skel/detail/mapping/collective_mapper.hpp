#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/mapping/collective_decision.hpp>
#include <skel/detail/mapping/decision_setup.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel::mapping {

/// Prices that differ by less are a tie: predictions of one kind of model for routes that differ in little else than
/// their segments are not better than this (`bench_grid`: the median error of what was chosen).
inline constexpr double price_tolerance = 0.03;

/// What a mapper may choose from.
struct collective_options {
  /// Trees that a message may be spread over (plan::grid_tree); 1: one tree, as in the literature.
  std::size_t most_stripes = SIZE_MAX;
  /// Algorithms of the catalogue that alone may be taken, in segments too, and no routes; empty: all, and routes.
  std::vector<plan::collective_algorithm const*> only{};
  double tolerance = price_tolerance;  ///< 0: the least price is taken, however many messages that takes
};

/// Expected size of ln(measured / predicted) of a choice before anything was measured: the root mean square for
/// broadcasts of 1 KiB to 4 MiB on the simulated Grid'5000 (`bench_grid bench/grid/platforms/grid5000.json`).
inline constexpr double usual_error = 0.07;

/// Bytes of decisions that a mapper keeps, and of steps; one of either is kept whatever it takes.
inline constexpr std::size_t most_kept_bytes = std::size_t{8} << 20;

/// Chooses how collectives run among ranks on a platform: the plan with the least time by the model that is believed.
/// Every kind of model that the platform has parameters of is asked (mapping/poly_model.hpp); of plans whose
/// prices are within the options' tolerance, the one with the fewest messages is taken. Decisions are kept and used
/// again until measured times say that they no longer hold. What is kept takes at most `most_kept_bytes` for decisions
/// and as much for steps, however many requests there are. Not for several threads at once.
class collective_mapper {
 public:
  /// Rank r is on host host_of_rank[r] of the machine. Throws skel::input_error where parameters of models cannot be
  /// accepted, skel::error where hosts of the ranks have no link between them.
  collective_mapper(platform::description machine, std::vector<plan::host_id> host_of_rank,
                    collective_options const& options = {});
  ~collective_mapper();
  collective_mapper(collective_mapper&&) noexcept;
  collective_mapper& operator=(collective_mapper&&) noexcept;

  std::size_t ranks() const;

  /// Before the first decision: who is told of decisions, what is forced, what is known. All ranks must force and know
  /// the same.
  void set_up(decision_setup const& as);
  /// What is known by now of the machine that it began with, for a later process on a machine with parameters of the
  /// same kinds of models.
  decision_entries learnt() const;

  /// From now on the machine is this one, with the same hosts in the same clusters; 0 is the picture that the mapper
  /// began with, and then it must be as it was. All decisions are made again, by what is learnt of this picture alone
  /// (decider::turn_to). All ranks must do it between the same requests. O(clusters^2). Throws as the constructor does,
  /// and changes nothing then.
  void turn_to(std::uint64_t picture, platform::description const& machine);

  /// The decision for a request, valid until the next call of a function that is not const. The same on every rank that
  /// was told the same. Known: O(1), some ten nanoseconds; new: about a millisecond for 16 clusters
  /// (`bench_collective_decisions`). Throws skel::error where the bytes are not whole elements, and where an operation
  /// that has no way over other clusters lacks a link; it names the clusters. Precondition: the root is a rank, gamma
  /// is not negative.
  collective_decision const& decide(collective_request const& request);

  /// What the decision for a request is predicted to take, without an explanation [s]. As decide().
  double predicted(collective_request const& request);
  /// What the best way takes by the prices of the first kind of model alone, whatever was learnt or is forced [s]. Not
  /// kept: takes as long as a new decision. Throws as decide().
  double unlearnt(collective_request const& request);

  /// A use of a request begins: the decision for its class is made again where that is due (mapping::decider), and
  /// steps() and decide() give it until the next use. True: observe() wants its time. All ranks must call it alike.
  /// Known: O(1). Throws as decide().
  bool begin(collective_request const& request);

  /// What the use that has begun last of the class of this request took [s], from the start on all ranks to the end on
  /// the last. All ranks must be told the same, and tell it after the same requests. Nothing happens where there is no
  /// decision for it, or for a time that is not positive and finite. O(models).
  void observe(collective_request const& request, double seconds);

  /// The steps of one rank for a request, by the decision for its class, valid until the next call of a function that
  /// is not const; those used last are kept. Known: O(1); new: as plan::steps_of(), and where nothing of the class is
  /// known a decision. Throws as decide(). Precondition: rank < ranks().
  plan::rank_schedule const& steps(collective_request const& request, std::size_t rank);

 private:
  class implementation;
  std::unique_ptr<implementation> self_;
};

}  // namespace skel::mapping
