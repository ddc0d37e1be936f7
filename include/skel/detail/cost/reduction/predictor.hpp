#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/cost/reduction/mechanisms.hpp>
#include <skel/detail/cost/reduction/problem.hpp>
#include <skel/detail/platform/reduction_model.hpp>

namespace skel::cost {

/// How wrong predictions are: ln(measured / predicted) on patterns that the constants were not fitted to, by algorithm
/// as the catalogue numbers them.
struct reduction_errors {
  std::array<bool, plan::reduction_algorithms> known{};
  std::array<double, plan::reduction_algorithms> mean{}, first_mean{}, first_deviation{};
  std::vector<double> covariance;  ///< of executions, about the mean, row by row
  double noise = 0;                ///< standard deviation of repeated measurements of an execution
};

/// Predicts what algorithms take: a setup and an execution are the sums of what their mechanisms take
/// (cost/reduction/mechanisms.hpp). Of an execution the median is predicted, of a setup what is to be expected: errors
/// of predictions from as much knowledge of a pattern are taken for log-normal. A setup with buffers that are there is
/// one without what comes with fresh ones.
class reduction_predictor {
 public:
  /// Throws skel::input_error naming the file and what it lacks when a mechanism or an algorithm is not known.
  /// `source`: the file's name.
  reduction_predictor(platform::reduction_model const& model, std::string const& source);

  using times = std::array<std::optional<reduction_time>, plan::reduction_algorithms>;
  /// Of all algorithms, in the order of the catalogue; nothing for one that the model was not fitted for.
  /// O(algorithms mechanisms).
  times predict(reduction_problem const& problem) const;
  std::optional<reduction_time> predict(plan::reduction_algorithm algorithm, reduction_problem const& problem) const;

  /// How wrong that is.
  reduction_errors const& errors_of(reduction_problem const& problem) const;

 private:
  struct constants {
    std::size_t most_parts = 0;
    std::array<double, mechanisms> seconds{};
    std::array<reduction_errors, kinds_of_knowledge> errors;
    /// What sums are multiplied by: of first uses, and of executions their medians and means.
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

/// The model of irregular reductions that ships with skel, for programs on machines that were not trained on: written
/// by `skel train` on the machine that it names. Read once.
platform::reduction_model const& default_reduction_model();

}  // namespace skel::cost
