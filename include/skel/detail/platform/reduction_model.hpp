#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Models of irregular reductions that were fitted on a machine, as a file keeps them.
namespace skel::platform {

/// A tree of tests x[feature] < threshold, whose leaves say a number for each of several outputs: node 0 is the root,
/// and where x < threshold the next node follows.
struct regression_tree {
  struct node {
    int feature = -1;      ///< -1: a leaf
    double threshold = 0;  ///< of a test
    int next = 0;          ///< where x is not below it; of a leaf, the place of its first number in `leaves`

    friend bool operator==(node const&, node const&) = default;
  };
  std::vector<node> nodes;
  std::vector<double> leaves;  ///< of each leaf, in the order of the nodes, one number for each output

  friend bool operator==(regression_tree const&, regression_tree const&) = default;
};

/// How one time of one algorithm is computed.
struct fitted_time {
  std::vector<std::pair<std::string, double>> terms;  ///< coefficients, in the order of the names of their terms
  double residual = 0;  ///< root mean square of ln(measured / predicted), of samples that it was not fitted to

  friend bool operator==(fitted_time const&, fitted_time const&) = default;
};

/// The times of one algorithm.
struct fitted_reduction {
  std::string algorithm;
  fitted_time setup, run;
  /// Setup for another pattern where the buffers are there, by the terms of setup; of no terms: not known.
  fitted_time again = {};

  friend bool operator==(fitted_reduction const&, fitted_reduction const&) = default;
};

/// Trees whose sums correct, or are, the logarithms of times: an output for each of a kind's algorithms, in their
/// order.
struct fitted_trees {
  std::vector<regression_tree> setup, run;

  friend bool operator==(fitted_trees const&, fitted_trees const&) = default;
};

/// Errors ln(measured / predicted) of executions that a kind was not fitted to.
struct fitted_errors {
  /// Of each two of the kind's algorithms, row by row; empty: not known.
  std::vector<double> covariance;
  double noise = 0;  ///< standard deviation of repeated timings

  friend bool operator==(fitted_errors const&, fitted_errors const&) = default;
};

/// One way to predict, fitted for each algorithm: "analytic", "boosted", "polynomial", "tree".
struct fitted_kind {
  std::string name;
  std::vector<fitted_reduction> algorithms;
  /// For patterns that were looked at, that were glanced at, and others.
  fitted_trees seen = {}, glanced = {}, unseen = {};
  /// On real and on virtual threads, each by sizes alone, by a glance, by the features.
  std::array<std::array<fitted_errors, 3>, 2> errors = {};

  friend bool operator==(fitted_kind const&, fitted_kind const&) = default;
};

/// Trees that say at once which algorithm to take, for so many uses of a pattern. Their outputs: for each algorithm
/// ln(what it takes / what the best takes), ln 2 at the most, then 0.1 ln of what the best takes for an update of a
/// part [s], and the share of it that knowing more of the pattern saves.
struct fitted_rules {
  std::vector<std::string> algorithms;
  std::vector<regression_tree> sizes, glance, full;  ///< by sizes alone, by a glance, by the features

  friend bool operator==(fitted_rules const&, fitted_rules const&) = default;
};

/// What deciding took when the model was fitted, with nothing of it in a cache [s].
struct deciding_times {
  double glance = 0, prediction = 0;
  double look = 0;  ///< each subscript of a pattern whose features are counted, on each thread; 0: not known

  friend bool operator==(deciding_times const&, deciding_times const&) = default;
};

/// A model file.
struct reduction_model {
  std::string machine;  ///< processor_kind::name
  std::string date;     ///< of the fit, ISO 8601
  std::string compiler;
  std::size_t threads = 0;       ///< of the machine
  double caches[3] = {0, 0, 0};  ///< first and second level of a core, last level [B]
  std::size_t samples = 0;       ///< problems that were timed
  double seconds = 0;            ///< that timing them took
  double spread = 0;  ///< of repeated timings: median over samples of half the quartile range over the median
  std::vector<fitted_kind> kinds;  ///< that with the best choices first
  fitted_rules rules = {};
  deciding_times deciding = {};

  friend bool operator==(reduction_model const&, reduction_model const&) = default;
};

/// The text of a model file, and what it reads back to. `source` names the text in errors. Throws skel::input_error
/// with the place of what is wrong.
std::string to_text(reduction_model const& model);
reduction_model parse_reduction_model(std::string_view text, std::string const& source);

/// The model with as many digits as are worth keeping: 5, and 12 for coefficients. Reads back as it is.
reduction_model rounded(reduction_model model);

/// Reads a file. Throws skel::input_error when it cannot be read or is no model file.
reduction_model read_reduction_model(std::filesystem::path const& path);

/// The processor of this machine as its system names it, and its caches as hwloc finds them: 0 for those it does not
/// have.
struct processor_kind {
  std::string name = "unknown processor";
  std::size_t threads = 1;
  double caches[3] = {0, 0, 0};  ///< first and second level of a core, last level [B]
};
processor_kind this_processor();

}  // namespace skel::platform
