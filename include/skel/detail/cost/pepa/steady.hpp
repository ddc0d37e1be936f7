#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/detail/cost/pepa/chain.hpp>
#include <skel/detail/cost/pepa/space.hpp>

namespace skel::cost::pepa {

/// The fractions of time of one sequential component of the system in its states.
struct utilisation {
  struct local_state {
    std::string name;   ///< a constant, or the text of the activities that remain
    double population;  ///< mean number of copies in this state; for a single component the fraction of its time
  };
  std::string component;  ///< name of its initial state
  std::size_t copies;     ///< identical copies in parallel; the populations add up to it
  std::vector<local_state> states;
};

/// A state space with its stationary probabilities, and the figures that follow from them. An immutable value.
class steady_state {
 public:
  steady_state(state_space space, stationary_distribution distribution, std::size_t transient);

  /// Rate of an action [1/s]: sum over its transitions of probability of the source times rate. "tau" gives all hidden
  /// and internal activities together. Hidden occurrences of an action do not count.
  /// Throws skel::error for a name that is no action of the model. O(transitions) on first use.
  double throughput(std::string_view action) const;
  /// The throughput of every action, in the order of the text; tau last, if the model performs it.
  std::vector<std::pair<std::string, double>> const& throughputs() const { return throughputs_; }
  /// Every sequential component of the system equation, from left to right. O(transitions).
  std::vector<utilisation> utilisations() const;
  /// Mean number of components that are in the local state of this name, over the whole system.
  /// Throws skel::error for a name that is no local state of the model.
  double population(std::string_view local_state) const;

  std::vector<double> const& probabilities() const { return distribution_.probability; }
  solver used() const { return distribution_.used; }
  std::size_t iterations() const { return distribution_.iterations; }
  /// See stationary_distribution::residual.
  double residual() const { return distribution_.residual; }
  /// See stationary_distribution::error_estimate.
  double error_estimate() const { return distribution_.error_estimate; }
  /// States that the system leaves for ever; their probability is 0.
  std::size_t transient() const { return transient_; }
  state_space const& space() const { return space_; }

 private:
  state_space space_;
  stationary_distribution distribution_;
  std::size_t transient_;
  std::vector<std::pair<std::string, double>> throughputs_;
};

/// The steady state of a model. States that the system leaves for ever get probability 0, if the rest does not depend
/// on chance. Throws skel::input_error if the system can end in several ways: with several closed classes, chance
/// decides the long run. The message names a state of two. Throws skel::error if no solver converges.
steady_state solve(state_space const& space, solve_options const& options = {});

}  // namespace skel::cost::pepa
