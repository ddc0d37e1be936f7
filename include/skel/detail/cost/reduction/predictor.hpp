#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/cost/reduction/mechanisms.hpp>
#include <skel/detail/cost/reduction/problem.hpp>
#include <skel/detail/platform/reduction_model.hpp>

namespace skel::cost {

/// Errors of predictions: ln(measured / predicted) on patterns that the constants were not fitted to, by algorithm as
/// the catalogue numbers them.
struct reduction_errors {
  std::array<bool, plan::reduction_algorithms> known{};
  std::array<double, plan::reduction_algorithms> mean{}, first_mean{}, first_deviation{};
  std::vector<double> covariance;  ///< of executions, about the mean, row by row
  double noise = 0;                ///< standard deviation of repeated measurements of an execution
};

/// Predicts times of algorithms: a setup and an execution are the sums of their mechanisms
/// (cost/reduction/mechanisms.hpp). It predicts the median of an execution and the mean of a setup. Errors of
/// predictions from as much knowledge of a pattern count as log-normal. A setup with existing buffers is one without
/// the mechanisms of fresh ones.
class reduction_predictor {
 public:
  /// Throws skel::input_error with the file and the missing mechanism or algorithm. `source`: the file's name.
  reduction_predictor(platform::reduction_model const& model, std::string const& source);

  using times = std::array<std::optional<reduction_time>, plan::reduction_algorithms>;
  /// Of all algorithms, in the order of the catalogue; nothing for one without a fit.
  /// O(algorithms mechanisms).
  times predict(reduction_problem const& problem) const;
  std::optional<reduction_time> predict(plan::reduction_algorithm algorithm, reduction_problem const& problem) const;

  /// The errors of these predictions.
  reduction_errors const& errors_of(reduction_problem const& problem) const;

 private:
  struct constants {
    std::size_t most_parts = 0;
    std::array<double, mechanisms> seconds{};
    std::array<reduction_errors, kinds_of_knowledge> errors;
    /// Factors of sums: of first uses, and of executions their medians and means.
    struct factors {
      double first = 1, median = 1, mean = 1;
    };
    std::array<std::array<factors, plan::reduction_algorithms>, kinds_of_knowledge> moved;
  };
  constants const& constants_for(std::size_t parts) const;
  std::optional<reduction_time> predict_by(constants const& fit, plan::reduction_algorithm algorithm,
                                           reduction_problem const& problem) const;

  cache_sizes caches_;
  std::vector<constants> fits_;
};

/// The model of irregular reductions that ships with skel, for programs on untrained machines: written by `skel train`
/// on the machine that it names. Read once.
platform::reduction_model const& default_reduction_model();

}  // namespace skel::cost
