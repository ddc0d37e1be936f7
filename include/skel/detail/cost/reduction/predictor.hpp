#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/cost/reduction/problem.hpp>
#include <skel/detail/cost/reduction/tree_sum.hpp>
#include <skel/detail/platform/reduction_model.hpp>

namespace skel::cost {

/// Subscripts of a part, mean, at least 1 / P.
double updates_of_a_part(reduction_problem const& problem);

/// What trees ask of a problem, logarithms where only ratios matter.
inline constexpr std::size_t reduction_traits_of_problem = 26;
std::array<double, reduction_traits_of_problem> traits_of(reduction_problem const& problem);
/// Their names, in the same order.
std::array<std::string_view, reduction_traits_of_problem> const& trait_names();

/// Predicts what algorithms take, by one kind of a fitted model.
///
/// analytic: setup and run are sums of terms (cost/reduction/terms.hpp) with fitted coefficients; of a pattern
/// that nobody looked at, corrected by a few trees.
/// boosted: the same, times e to the sum of trees that are fitted to what is left. All algorithms share the trees.
/// Others are fitted to the same problems as unseen(): they know what to expect of a pattern that nobody looked at.
/// tree: e to what one tree says, times the subscripts over the threads.
/// In both, setups with buffers that are there are a sum of the same terms, no more than those with fresh ones, and
/// corrected as these are. The other kinds do not tell them apart.
/// polynomial: the sequential algorithm as analytic; a run of the others is that over their speedup, a setup their run
/// times the paper's O, both polynomials (cost/reduction/polynomial.hpp). So choosing by setup + R run is
/// choosing by the paper's (R + O) / speedup.
class reduction_predictor {
 public:
  /// Throws skel::input_error naming the file and what it lacks when the kind is unknown, or has an algorithm, a term
  /// or a feature that is not known. `source`: the file's name.
  reduction_predictor(platform::reduction_model const& model, platform::fitted_kind const& kind,
                      std::string const& source);

  std::string const& name() const { return name_; }

  /// Setups with fresh buffers and with those of an earlier pattern, and an execution; nothing for an algorithm that
  /// the model was not fitted for.
  /// O(terms + trees depth).
  std::optional<reduction_time> predict(plan::reduction_algorithm algorithm, reduction_problem const& problem) const;
  /// Of all algorithms, in the order of the catalogue: takes hardly longer than of one.
  std::array<std::optional<reduction_time>, plan::reduction_algorithms> predict(reduction_problem const& problem) const;

  /// The same without trees, where the kind has sums: O(terms).
  std::optional<reduction_time> estimate(plan::reduction_algorithm algorithm, reduction_problem const& problem) const;

  /// Root mean square of ln(measured / predicted) of executions, on what the model was not fitted to.
  double residual(plan::reduction_algorithm algorithm) const;

 private:
  struct fitted {
    std::vector<double> coefficients;
    double residual = 0;
  };
  struct algorithm {
    fitted setup, run, again;
    bool knows_again = false;
  };
  struct trees {
    tree_sum setup, run;
  };

  /// By the sums that the kind begins with.
  reduction_time first_time(plan::reduction_algorithm which, reduction_problem const& problem) const;
  reduction_time predict_by_speedup(algorithm const& known, reduction_problem const& problem) const;

  std::string name_;
  cache_sizes caches_;
  std::array<std::optional<algorithm>, plan::reduction_algorithms> algorithms_;
  std::array<trees, 3> trees_;                      // by sight
  std::vector<plan::reduction_algorithm> outputs_;  // of the trees
};

}  // namespace skel::cost
