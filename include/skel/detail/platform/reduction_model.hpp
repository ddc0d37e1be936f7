#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Models of irregular reductions as files keep them (docs/formats.md). cost/reduction knows the meaning of their
/// names.
namespace skel::platform {

/// Errors of predictions of executions and of first uses (setup and execution), ln(measured / predicted), on patterns
/// that the constants were not fitted to. Arrays have an entry for each algorithm, in the model's order.
struct fitted_errors {
  std::vector<double> mean;             ///< of executions
  std::vector<double> covariance;       ///< of executions, about the mean, row by row
  std::vector<double> first_mean;       ///< of first uses
  std::vector<double> first_deviation;  ///< standard, about the mean
  double noise = 0;                     ///< standard deviation of repeated measurements of an execution

  friend bool operator==(fitted_errors const&, fitted_errors const&) = default;
};

/// Constants, and the errors of predictions with them.
struct fitted_constants {
  std::size_t most_parts = 0;                ///< the most threads that any pattern was timed with
  std::size_t patterns = 0;                  ///< that were timed
  std::map<std::string, double> seconds;     ///< of each mechanism, >= 0 [s]
  fitted_errors by_sizes, sampled, counted;  ///< by how much is known of a pattern

  friend bool operator==(fitted_constants const&, fitted_constants const&) = default;
};

/// Time to find out about a pattern.
struct reading_times {
  double decision = 0;  ///< by features that are known [s]
  double sample = 0;    ///< of its iterations [s]
  double start = 0;     ///< counting the features of a pattern of a few subscripts [s]
  double count = 0;     ///< and each subscript of larger ones, on one thread [s]

  friend bool operator==(reading_times const&, reading_times const&) = default;
};

/// A model file.
struct reduction_model {
  std::string machine;  ///< processor_kind::name
  std::string date;     ///< of the fit, ISO 8601
  std::string compiler;
  std::size_t threads = 0;              ///< of the machine
  std::array<double, 3> caches{};       ///< first and second level of a core, last level [B]
  std::vector<std::string> algorithms;  ///< with known errors
  /// By the number of threads, rising: a problem takes the first with at least as many, or the last.
  std::vector<fitted_constants> fits;
  reading_times reading;

  friend bool operator==(reduction_model const&, reduction_model const&) = default;
};

/// The text of a model file, and its reader. `source` names the text in errors. Throws skel::input_error with the place
/// of the fault.
std::string to_text(reduction_model const& model);
reduction_model parse_reduction_model(std::string_view text, std::string const& source);

/// The model with four digits, as many as are worth keeping. Reads back as it is.
reduction_model rounded(reduction_model model);

/// Reads a file. Throws skel::input_error if it cannot be read or is no model file.
reduction_model read_reduction_model(std::filesystem::path const& path);

/// The processor of this machine as its system names it, and its caches as hwloc finds them (0: it has none).
struct processor_kind {
  std::string name = "unknown processor";
  std::size_t threads = 1;
  double caches[3] = {0, 0, 0};  ///< first and second level of a core, last level [B]
};
processor_kind this_processor();

}  // namespace skel::platform
