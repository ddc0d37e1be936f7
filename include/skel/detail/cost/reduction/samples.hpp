#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/cost/reduction/problem.hpp>

namespace skel::cost {

/// Samples as a file keeps them: text in which every line that does not start with # is a sample, and new samples are
/// written behind the others (docs/formats.md).
struct reduction_samples {
  std::string machine;  ///< platform::processor_kind::name
  std::size_t threads = 1;
  cache_sizes caches;
  std::string date;  ///< when the first was measured, ISO 8601
  std::string compiler;
  double bandwidth = 0;             ///< of the memory that virtual threads share [B/s]; 0: they are not bound by it
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

/// Reads them. A last line that does not end is no error: writing it was interrupted, and the last problem is left out.
/// Throws skel::input_error with the line of what is wrong.
reduction_samples parse_reduction_samples(std::string_view text, std::string const& source);
reduction_samples read_reduction_samples(std::filesystem::path const& path);

}  // namespace skel::cost
