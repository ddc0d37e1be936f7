#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/mapping/collective_decision.hpp>
#include <skel/detail/mapping/decision_problem.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel::mapping {

/// Prices that differ by less are a tie. Predictions of one kind of model are not better than this for routes that
/// differ in little else than their segments (`bench_grid`: the median error of the chosen ones).
inline constexpr double price_tolerance = 0.03;

/// The choices of a mapper.
struct collective_options {
  /// Most trees over which a message may be spread (plan::grid_tree); 1: one tree, as in the literature.
  std::size_t most_stripes = SIZE_MAX;
  /// The only algorithms of the catalogue to take, in segments too, and no routes; empty: all, and routes.
  std::vector<plan::collective_algorithm const*> only{};
  double tolerance = price_tolerance;  ///< 0: the least price is taken, however many messages that takes
};

/// Expected size of ln(measured / predicted) of a choice before anything was measured: the root mean square for
/// broadcasts of 1 KiB to 4 MiB on the simulated Grid'5000 (`bench_grid bench/grid/platforms/grid5000.json`).
inline constexpr double usual_error = 0.07;

/// Most bytes of decisions that a mapper keeps, and of steps; one of either is kept, however large.
inline constexpr std::size_t most_kept_bytes = std::size_t{8} << 20;

/// Chooses how collectives run among ranks on a platform: the plan with the least time by the believed model. It asks
/// every kind of model of which the platform has parameters (mapping/poly_model.hpp). Among plans whose prices are
/// within the options' tolerance it takes the one with the fewest messages. Decisions are kept and used again until
/// measured times refute them. They take at most `most_kept_bytes`, and steps as much, however many requests there are.
/// Not for several threads at once.
class collective_mapper {
 public:
  /// Rank r is on host host_of_rank[r] of the machine. Throws skel::input_error if parameters of models cannot be
  /// accepted, skel::error if hosts of the ranks have no link between them.
  collective_mapper(platform::description machine, std::vector<plan::host_id> host_of_rank,
                    collective_options const& options = {});
  ~collective_mapper();
  collective_mapper(collective_mapper&&) noexcept;
  collective_mapper& operator=(collective_mapper&&) noexcept;

  std::size_t ranks() const;

  /// Before the first decision: the log, the forced choices and the knowledge. All ranks must force and know the same.
  void set_up(decision_setup const& as);
  /// Knowledge so far of the machine of the beginning, for a later process on a machine with parameters of the same
  /// kinds of models.
  decision_entries learnt() const;

  /// From now on the machine is this one, with the same hosts in the same clusters. Picture 0 is the one of the
  /// beginning, with the machine as it was then. All decisions are made again, by knowledge of this picture alone
  /// (decider::turn_to). All ranks must do it between the same requests. O(clusters^2). Throws as the constructor does,
  /// and changes nothing then.
  void turn_to(std::uint64_t picture, platform::description const& machine);

  /// The decision for a request, valid until the next call of a function that is not const. All ranks that were told
  /// the same get the same one. Known: O(1), some ten nanoseconds; new: about a millisecond for 16 clusters
  /// (`bench_collective_decisions`). Throws skel::error if the bytes are not whole elements. Also throws it, naming the
  /// clusters, if a link is missing for an operation that has no way over others. Precondition: the root is a rank,
  /// gamma >= 0.
  collective_decision const& decide(collective_request const& request);

  /// The predicted time of the decision for a request, without an explanation [s]. As decide().
  double predicted(collective_request const& request);
  /// Time of the best way by the prices of the first kind of model alone, without knowledge or forced choices [s]. Not
  /// kept: takes as long as a new decision. Throws as decide().
  double unlearnt(collective_request const& request);

  /// A use of a request begins. The decision for its class is made again if that is due (mapping::decider); steps() and
  /// decide() give it until the next use. True: observe() wants its time. All ranks must call it alike. Known: O(1).
  /// Throws as decide().
  bool begin(collective_request const& request);

  /// The time of the last begun use of this request's class [s], from the start on all ranks to the end on the last.
  /// All ranks must be told the same time, after the same requests. Does nothing if there is no decision for it, or for
  /// a time that is not positive and finite. O(models).
  void observe(collective_request const& request, double seconds);

  /// The steps of one rank for a request, by the decision for its class; the last used ones are kept. Valid until the
  /// next call of a function that is not const. Known: O(1). New: as plan::steps_of(), with a decision if the class is
  /// new. Throws as decide(). Precondition: rank < ranks().
  plan::rank_schedule const& steps(collective_request const& request, std::size_t rank);

 private:
  class implementation;
  std::unique_ptr<implementation> self_;
};

}  // namespace skel::mapping
