#include "samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/platform/files.hpp>

namespace skel::training {

namespace {

/// A number of a sample: its name, and its place.
struct column {
  std::string_view name;
  bool whole;
  double (*get)(reduction_sample const&);
  void (*set)(reduction_sample&, double);
};

template <auto Member>
constexpr column feature(std::string_view name) {
  using type = std::remove_reference_t<decltype(std::declval<pattern_features&>().*Member)>;
  return {name, std::is_same_v<type, std::size_t>,
          [](reduction_sample const& s) { return static_cast<double>(s.problem.pattern.*Member); },
          [](reduction_sample& s, double x) { s.problem.pattern.*Member = static_cast<type>(x); }};
}

/// As estimated from a sample of its iterations.
template <auto Member>
constexpr column sampled(std::string_view name) {
  return {name, false, [](reduction_sample const& s) { return s.sampled.*Member; },
          [](reduction_sample& s, double x) { s.sampled.*Member = x; }};
}

using features = pattern_features;

/// Behind program, point and algorithm.
constexpr std::array columns{
    feature<&features::elements>("elements"),
    feature<&features::iterations>("iterations"),
    feature<&features::subscripts>("subscripts"),
    feature<&features::parts>("parts"),
    feature<&features::sparsity>("sparsity"),
    feature<&features::clusters>("clusters"),
    feature<&features::copies>("copies"),
    feature<&features::load>("load"),
    feature<&features::crossing>("crossing"),
    feature<&features::contended>("contended"),
    feature<&features::privates>("privates"),
    feature<&features::private_subscripts>("private_subscripts"),
    feature<&features::turnover>("turnover"),
    feature<&features::mixing>("mixing"),
    sampled<&features::sparsity>("sampled_sparsity"),
    sampled<&features::clusters>("sampled_clusters"),
    sampled<&features::copies>("sampled_copies"),
    sampled<&features::load>("sampled_load"),
    sampled<&features::crossing>("sampled_crossing"),
    sampled<&features::contended>("sampled_contended"),
    sampled<&features::privates>("sampled_privates"),
    sampled<&features::private_subscripts>("sampled_private_subscripts"),
    sampled<&features::turnover>("sampled_turnover"),
    column{"value_bytes", false, [](reduction_sample const& s) { return s.problem.value_bytes; },
           [](reduction_sample& s, double x) { s.problem.value_bytes = x; }},
    column{"other_seconds", false, [](reduction_sample const& s) { return s.problem.other_seconds; },
           [](reduction_sample& s, double x) { s.problem.other_seconds = x; }},
    column{"virtual", true, [](reduction_sample const& s) { return s.virtual_threads ? 1.0 : 0.0; },
           [](reduction_sample& s, double x) { s.virtual_threads = x != 0; }},
    column{"setup", false, [](reduction_sample const& s) { return s.measured.setup; },
           [](reduction_sample& s, double x) { s.measured.setup = x; }},
    column{"setup_again", false, [](reduction_sample const& s) { return s.measured.setup_again; },
           [](reduction_sample& s, double x) { s.measured.setup_again = x; }},
    column{"run", false, [](reduction_sample const& s) { return s.measured.run; },
           [](reduction_sample& s, double x) { s.measured.run = x; }},
    column{"spread", false, [](reduction_sample const& s) { return s.spread; },
           [](reduction_sample& s, double x) { s.spread = x; }},
};

constexpr std::string_view first_line = "# skel reduction samples 3";

std::string title_line() {
  std::string line = "# program,point,algorithm";
  for (auto const& one : columns) line += "," + std::string(one.name);
  return line;
}

/// A line with its place, for errors.
struct located_line {
  std::string_view text;
  std::string const& source;
  std::size_t number;

  [[noreturn]] void fail(std::string const& reason) const {
    throw input_error(source, "line " + std::to_string(number), reason);
  }
  double number_of(std::string_view field, std::string_view name) const {
    auto const x = number_in<double>(field);
    if (!x || !std::isfinite(*x) || *x < 0)
      fail(in_quotes(field) + " is no number for " + std::string(name) + ", which is 0 or more");
    return *x;
  }
  std::size_t count_of(std::string_view field, std::string_view name) const {
    double const x = number_of(field, name);
    if (x != std::floor(x) || x > 0x1p53)
      fail(in_quotes(field) + " is no number for " + std::string(name) + ", which is whole");
    return static_cast<std::size_t>(x);
  }
};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t const end = std::min(text.find(',', begin), text.size());
    fields.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

void read_head(reduction_samples& into, located_line const& line) {
  std::size_t const colon = line.text.find(": ");
  if (colon == std::string_view::npos) return;
  std::string_view const key = line.text.substr(2, colon - 2), value = line.text.substr(colon + 2);
  if (auto const fault = fault_of_name(value)) line.fail(*fault);
  if (key == "machine") into.machine = value;
  if (key == "date") into.date = value;
  if (key == "compiler") into.compiler = value;
  if (key == "bandwidth") into.bandwidth = line.number_of(value, "a bandwidth");
  if (key == "threads") into.threads = line.count_of(value, "threads");
  if (key == "caches") {
    auto const sizes = split(value);
    if (sizes.size() != 3) line.fail("has " + std::to_string(sizes.size()) + " caches; three capacities are wanted");
    into.caches = {line.number_of(sizes[0], "a cache"), line.number_of(sizes[1], "a cache"),
                   line.number_of(sizes[2], "a cache")};
  }
}

/// Copies the counted values that a sample does not estimate.
void take_over_sizes(reduction_sample& sample) {
  auto const& counted = sample.problem.pattern;
  auto& found = sample.sampled;
  found.elements = counted.elements, found.iterations = counted.iterations;
  found.subscripts = counted.subscripts, found.parts = counted.parts;
  found.mixing = counted.mixing;
}

void read_sample(reduction_samples& into, located_line const& line) {
  auto const fields = split(line.text);
  if (fields.size() != columns.size() + 3)
    line.fail("has " + std::to_string(fields.size()) + " fields; " + std::to_string(columns.size() + 3) +
              " are wanted: " + title_line().substr(2));
  reduction_sample sample;
  if (auto const fault = fault_of_name(fields[0])) line.fail("its program " + *fault);
  sample.program = fields[0];
  into.points.push_back(line.count_of(fields[1], "point"));
  auto const algorithm = plan::find_reduction(fields[2]);
  if (!algorithm) line.fail(in_quotes(fields[2]) + " is not an algorithm of reductions");
  sample.algorithm = *algorithm;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    auto const& one = columns[k];
    one.set(sample, one.whole ? static_cast<double>(line.count_of(fields[k + 3], one.name))
                              : line.number_of(fields[k + 3], one.name));
  }
  if (sample.problem.pattern.parts == 0) line.fail("has no parts; there is one at least");
  take_over_sizes(sample);
  into.samples.push_back(std::move(sample));
}

}  // namespace

std::size_t reduction_samples::problems() const {
  std::size_t count = 0;
  for (std::size_t k = 0; k < points.size(); ++k) count += k == 0 || points[k] != points[k - 1];
  return count;
}

std::string head_text(reduction_samples const& of) {
  return std::string(first_line) + "\n# machine: " + of.machine + "\n# threads: " + std::to_string(of.threads) +
         "\n# caches: " + exact(of.caches.first) + "," + exact(of.caches.second) + "," +
         exact(of.caches.last) + "\n# bandwidth: " + exact(of.bandwidth) + "\n# date: " + of.date +
         "\n# compiler: " + of.compiler + "\n" + title_line() + "\n";
}

std::string to_text(std::size_t point, std::vector<reduction_sample> const& samples) {
  std::string text;
  for (auto const& sample : samples) {
    text += sample.program + "," + std::to_string(point) + "," + std::string(plan::name_of(sample.algorithm));
    for (auto const& one : columns) text += "," + exact(one.get(sample));
    text += "\n";
  }
  return text;
}

reduction_samples parse_reduction_samples(std::string_view text, std::string const& source) {
  reduction_samples result;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t const end = text.find('\n', begin);
    if (end == std::string_view::npos && number > 0) {
      // Samples of a problem are written at once: those before the cut may belong to the problem that was cut.
      std::size_t const last = result.points.empty() ? 0 : result.points.back();
      while (!result.points.empty() && result.points.back() == last)
        result.points.pop_back(), result.samples.pop_back();
      break;
    }
    located_line const line{text.substr(begin, end - begin), source, ++number};
    if (number == 1 && line.text != first_line)
      line.fail("does not say '" + std::string(first_line) + "'; this is no file of samples that is known");
    begin = end == std::string_view::npos ? text.size() : end + 1;
    if (line.text.starts_with("#"))
      read_head(result, line);
    else if (!line.text.empty())
      read_sample(result, line);
  }
  if (number == 0) throw input_error(source, "line 1", "is missing; this is no file of samples");
  return result;
}

reduction_samples read_reduction_samples(std::filesystem::path const& path) {
  return parse_reduction_samples(read_text(path), path.string());
}

}  // namespace skel::training
