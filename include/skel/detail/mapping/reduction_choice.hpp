#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/cost/reduction/predictor.hpp>
#include <skel/detail/mapping/decision_problem.hpp>
#include <skel/detail/mapping/poly_model.hpp>
#include <skel/detail/mapping/reduction_decision.hpp>

namespace skel::mapping {

/// An irregular reduction whose algorithm is to be chosen.
struct reduction_request {
  std::uint64_t phase = 0;  ///< another one for another pattern
  cost::reduction_problem problem;
  plan::reduction_set legal = 0;     ///< algorithms to choose from, at least one
  double uses = 0;                   ///< executions with this pattern, as the user says; 0: not known
  plan::reduction_set prepared = 0;  ///< those whose plans exist: they cost no setup
  plan::reduction_set buffered = 0;  ///< those whose buffers exist, of an earlier pattern: they cost setup_again
  /// Later patterns like this one, >= 0. The time of a setup with fresh buffers beyond setup_again is divided among
  /// this pattern and them.
  double later_patterns = 0;
  std::size_t memory_cap = std::numeric_limits<std::size_t>::max();  ///< of plans and copies [B]
};

/// Memory of an algorithm's plan and copies, at most, if a pattern's features are right [B].
double reduction_bytes(plan::reduction_algorithm algorithm, cost::reduction_problem const& problem);

/// The choice of an algorithm for an irregular reduction, as a problem for the decider. Constants of the machine give
/// the time of an execution; its entry is the setup. How errors of the prices go together is known from other patterns
/// than those of the fit. Requests are alike if threads, bytes of an element and knowledge of the pattern are equal,
/// and elements and subscripts within a factor of 8.
class reduction_choice {
 public:
  using request = reduction_request;
  using plan = skel::plan::reduction_algorithm;
  using key = std::uint64_t;  // phase and legal algorithms
  using key_hash = std::hash<std::uint64_t>;

  static constexpr std::string_view name = "reduction";
  static constexpr double tolerance = 0;

  /// Throws skel::input_error naming `source` if the model has unknown mechanisms or algorithms.
  explicit reduction_choice(platform::reduction_model const& model,
                            std::string const& source = "the model that skel ships");

  /// One, named with the date of its fit: errors of its constants say nothing of others.
  std::span<candidate_model const> models() const { return {&model_, 1}; }
  static key key_of(request const& asked) { return asked.phase << skel::plan::reduction_algorithms | asked.legal; }
  static decision_context context_of(request const& asked);
  /// Throws skel::error if no legal algorithm stays under the cap. Precondition: one is legal.
  std::vector<candidate<plan>> candidates(request const& asked, std::size_t model, bool all) const;
  static std::string why_not(request const& asked, std::string_view forced);
  static double price(request const&, std::size_t, candidate<plan> const& one) { return one.per_use; }
  static std::string name_of(candidate<plan> const& one);
  static std::string_view problem_of(request const&) { return name; }
  static std::string describe(request const& asked);
  static std::size_t bytes_of(candidate<plan> const&) { return 0; }
  static double expected_uses(request const& asked) { return asked.uses; }
  static std::optional<std::uint64_t> phase_of(request const& asked) { return asked.phase; }
  known_errors const* errors_of(request const& asked) const;
  double deciding_seconds() const { return deciding_seconds_; }

  /// A decision took that long [s]. The next ones are expected to take the mean of this and of the expectation so far.
  /// A decision that was held up counts as half more at most.
  void decided_in(double seconds);

  /// By the constants, without corrections. The last prediction is remembered. O(mechanisms).
  cost::reduction_predictor::times const& predicted(cost::reduction_problem const& problem) const;

  /// Algorithms that the last call of candidates() left out because they would keep more than the cap.
  std::vector<plan> const& over_cap() const { return over_cap_; }

  cost::reduction_predictor const& predictor() const { return predictor_; }

 private:
  cost::reduction_predictor predictor_;
  candidate_model model_;
  double deciding_seconds_;
  mutable std::vector<plan> over_cap_;
  mutable cost::reduction_problem last_problem_;
  mutable std::optional<cost::reduction_predictor::times> last_times_;
  mutable known_errors errors_;                            // of the last problem for which they were asked
  mutable cost::reduction_errors const* shown_ = nullptr;  // from which they were made
};

}  // namespace skel::mapping
