#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/cost/pepa/model.hpp>

namespace skel::cost::pepa {

namespace detail {
struct derivation;
}

/// A labelled transition of the state space.
struct transition {
  std::uint32_t target;
  std::uint32_t action;  ///< index into state_space::actions()
  double rate;           ///< [1/s], > 0
};

/// The states that a model can reach and the transitions between them: the derivation graph. States that differ only by
/// exchanging identical components in parallel count once. (The PEPA tools call this canonical form aggregation. It is
/// a strong equivalence, so throughputs, utilisations and populations are exact.)
/// An immutable value; copies share.
class state_space {
 public:
  explicit state_space(std::shared_ptr<detail::derivation const> graph) : graph_(std::move(graph)) {}

  /// Number of states; state 0 is the system equation.
  std::size_t states() const;
  /// Number of distinct (source, action, target). Activities of one action between the same two states count once, and
  /// their rates add up. Different actions between the same two states count each. Activities that do not change the
  /// state count too.
  std::size_t transitions() const;
  /// Transitions that leave a state, ordered by action and target.
  std::vector<transition> from(std::size_t state) const;
  /// Names of the action types; actions()[0] is "tau", the trace of a hidden action.
  std::vector<std::string> const& actions() const;
  /// A state in words: "(Stage1, 2 * Worker, 3 * (process2, mu).Worker)". O(number of components).
  std::string describe(std::size_t state) const;
  std::string const& source() const;

  detail::derivation const& graph() const { return *graph_; }

 private:
  std::shared_ptr<detail::derivation const> graph_;
};

struct derive_options {
  std::size_t max_states = 1'000'000;            ///< more states than this are an error
  std::size_t max_bytes = std::size_t{2} << 30;  ///< more memory than this for states and transitions is an error
};

/// The state space of a model. An active rate of a cooperation over action a is
///
///     r1/ra(P) * r2/ra(Q) * min(ra(P), ra(Q))
///
/// Here ra is the apparent rate: the sum of the rates at which a component performs a. A passive activity has no rate
/// but a weight w. Any active rate is less than any passive one. Passive activities of one action share by weight. Time
/// and memory are linear in the number of transitions (about 60 bytes for each).
/// Throws skel::input_error, located at the activity or the system equation, for a state without a transition
/// (deadlock) or an activity that is still passive in the whole system (unbounded rate). Also for an action that is
/// active and passive in one component, and for more than max_states states or max_bytes bytes.
/// Source: Hillston 1996, sections 3.3 (apparent rates) and 3.5 (operational semantics).
state_space derive(model const& model, derive_options const& options = {});

}  // namespace skel::cost::pepa
