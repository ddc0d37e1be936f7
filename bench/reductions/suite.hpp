#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cases.hpp"
#include "measurement.hpp"

namespace bench::reductions {

/// A file with one JSON object in each line, which is written line by line, so that a run that was broken off goes on
/// where it stopped. Its first line says how everything in it was measured.
class result_file {
 public:
  /// Opens or begins the file. Throws skel::error when it was written for another `head`, or cannot be read or written.
  /// A last line that was broken off is taken away.
  result_file(std::filesystem::path file, nlohmann::ordered_json const& head);

  /// Opens a file to read it only, whatever it was written for. Throws skel::error when it cannot be read.
  explicit result_file(std::filesystem::path file);

  nlohmann::ordered_json const& head() const { return head_; }
  std::vector<nlohmann::ordered_json> const& rows() const { return rows_; }
  /// Whether a row has this "case".
  bool has(std::string const& name) const;
  /// Adds the rows of one case. Throws skel::error when they cannot be written.
  void add(std::vector<nlohmann::ordered_json> const& rows);

 private:
  /// Returns how many of the file's bytes are whole lines.
  std::size_t read();

  std::filesystem::path file_;
  nlohmann::ordered_json head_;
  std::vector<nlohmann::ordered_json> rows_;
};

/// Chooses for a loop what will run; nothing: nobody chooses.
using chooser =
    std::function<std::optional<choice>(skel::pattern const&, setting const&, double reuse, measurement const&)>;

/// Measures the cases that the file does not have, and judges each for each number of uses; a line of progress for each
/// on `progress`. `timings`: of a file that was measured for as many threads, whose cases are judged again; nothing is
/// measured then, and cases that it does not have are left out.
void run_suite(std::vector<suite_case> const& cases, setting const& how, std::vector<double> const& reuses,
               chooser const& choose, result_file& into, std::ostream& progress, result_file const* timings = nullptr);

/// What a row of a result file says was measured. Throws skel::error where it lacks something.
measurement measurement_of(nlohmann::ordered_json const& row);

/// Over all rows: share of cases in which the chosen was within 5 % of the best, mean, 95th percentile and worst
/// slowdown, charged for choosing ("chosen") and without that ("chosen_algorithm"); the geometric mean of each fixed
/// algorithm's cost over the best's; for each competitor the geometric mean and the least of its cost over the
/// chosen's (the best's, where nobody chose).
nlohmann::ordered_json summary_of(std::vector<nlohmann::ordered_json> const& rows);
std::string to_table(nlohmann::ordered_json const& summary);

}  // namespace bench::reductions
