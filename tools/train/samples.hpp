#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/cost/reduction/problem.hpp>

/// Fitting models of irregular reductions: an experiment on this machine, its samples, the fit, and its quality.
namespace skel::training {

/// A trial of one algorithm on one problem.
struct reduction_sample {
  plan::reduction_algorithm algorithm{};
  cost::reduction_problem problem;  ///< with counted features
  cost::reduction_time measured;
  double spread = 0;             ///< of the run: half of the range between the quartiles, over the median
  bool virtual_threads = false;  ///< its parts were timed alone, one after the other
  std::string program;           ///< the part before the first dash is its kind, the unit that a fit leaves out
  pattern_features sampled = {};  ///< estimated from a sample of its iterations

  /// The problem as seen with this knowledge of it.
  cost::reduction_problem known_by(cost::knowledge how) const {
    if (how == cost::knowledge::sizes) return cost::by_sizes(problem);
    auto known = problem;
    known.known_by = how;
    if (how == cost::knowledge::sampled) known.pattern = sampled;
    return known;
  }

  friend bool operator==(reduction_sample const&, reduction_sample const&) = default;
};

/// Samples as a text file keeps them: every line that does not start with # is one. New samples are written behind the
/// others (docs/formats.md).
struct reduction_samples {
  std::string machine;  ///< platform::processor_kind::name
  std::size_t threads = 1;
  cost::cache_sizes caches;
  std::string date;  ///< when the first was measured, ISO 8601
  std::string compiler;
  double bandwidth = 0;             ///< of the memory that virtual threads share [B/s]; 0: no bound
  std::vector<std::size_t> points;  ///< of each sample: the number of its problem in the experiment; those of one
                                    ///< problem follow each other
  std::vector<reduction_sample> samples;

  /// Problems that were timed.
  std::size_t problems() const;

  friend bool operator==(reduction_samples const&, reduction_samples const&) = default;
};

/// Everything before the first sample, and samples of one problem, as text that is read back to the same.
std::string head_text(reduction_samples const& of);
std::string to_text(std::size_t point, std::vector<reduction_sample> const& samples);

/// Reads them. A last line without an end is no error: writing it was interrupted, and the last problem is left out.
/// Throws skel::input_error with the line of the error.
reduction_samples parse_reduction_samples(std::string_view text, std::string const& source);
reduction_samples read_reduction_samples(std::filesystem::path const& path);

}  // namespace skel::training
