#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/cost/reduction/mechanisms.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/host_probe.hpp>
#include <skel/detail/platform/kept_files.hpp>
#include <skel/detail/platform/reduction_model.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/threads/memory.hpp>

#include "options.hpp"
#include "train/experiment.hpp"
#include "train/report.hpp"
#include "train/samples.hpp"
#include "verbs.hpp"

namespace skel::tools {
namespace {

namespace fs = std::filesystem;

struct train_command {
  std::string output, samples, report, plot;
  std::vector<std::string> patterns, without;
  std::optional<double> seconds;
  std::optional<std::string> bandwidth;
  bool json = false, progress = true;
};

/// Points of files are numbered from here on, those of the experiment below.
constexpr std::size_t first_point_of_files = 1'000'000;

/// Fewer patterns than mechanisms would not determine their constants.
constexpr std::size_t fewest_patterns = cost::mechanisms;

training::reduction_samples empty_samples() {
  auto const here = platform::this_processor();
  training::reduction_samples result;
  result.machine = here.name;
  result.threads = here.threads;
  if (here.caches[0] > 0) result.caches.first = here.caches[0];
  if (here.caches[1] > 0) result.caches.second = here.caches[1];
  if (here.caches[2] > 0) result.caches.last = here.caches[2];
  result.date = platform::utc_now();
  result.compiler = SKEL_COMPILER;
  return result;
}

/// The samples of a file, or none yet. Samples of another machine can be fitted, but not be added to.
training::reduction_samples open_samples(std::string const& file, bool add) {
  auto const here = empty_samples();
  if (!fs::exists(file)) return here;
  auto const kept = training::read_reduction_samples(file);
  if (!add) return kept;
  if (kept.machine != here.machine || kept.threads != here.threads)
    throw input_error(
        file, "machine",
        fmt::format("was measured on '{}' with {} threads; this is '{}' with {}: write to another file (--samples), or "
                    "fit what it has (--seconds 0)",
                    kept.machine, kept.threads, here.machine, here.threads));
  if (kept.compiler != here.compiler)
    throw input_error(file, "compiler",
                      fmt::format("was measured with {}; this is {}: write to another file (--samples), or fit what it "
                                  "has (--seconds 0)",
                                  kept.compiler, here.compiler));
  return kept;
}

/// Takes points that are expected to need no more than a part of the time, and of the memory.
class point_filter {
 public:
  explicit point_filter(double limit)
      // A fiftieth, so that a short run has patterns enough; a few seconds at most.
      : most_seconds_(std::clamp(limit / 50, 0.005, 3.0)),
        most_bytes_(0.25 * static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE))) {}

  bool takes(training::trial_point const& point) {
    bool const fits = training::bytes_of(point) <= most_bytes_;
    bool const soon = point.work() * seconds_ / work_ <= most_seconds_;
    // If no point is so fast, a slower one is measured all the same.
    if (fits && !soon) ++refused_;
    if (!fits || (!soon && refused_ < 1000)) return false;
    refused_ = 0;
    return true;
  }

  /// Corrects the expectation. Times of small points are not in proportion to their work.
  void took(training::trial_point const& point, double seconds) {
    if (point.work() < 1e5) return;
    seconds_ += seconds, work_ += point.work();
  }

 private:
  double most_seconds_, most_bytes_;
  double seconds_ = 0.25, work_ = 1e6;  // a first guess; the first points outweigh it
  std::size_t refused_ = 0;
};

class progress_line {
 public:
  progress_line(bool wanted, double limit) : over_(::isatty(STDERR_FILENO) == 1), shown_(wanted), limit_(limit) {
    if (shown_)
      std::fprintf(stderr, "skel: timing reductions for %.0f s (Ctrl-C ends it and keeps what was measured)\n", limit);
  }
  ~progress_line() {
    if (shown_ && over_) std::fprintf(stderr, "\r\033[K");
  }
  progress_line(progress_line const&) = delete;
  progress_line& operator=(progress_line const&) = delete;

  void show(std::size_t patterns, double elapsed) {
    auto const tenth = static_cast<int>(std::min(10.0, elapsed / limit_ * 10));
    if (!shown_ || (!over_ && tenth == tenth_)) return;
    tenth_ = tenth;
    std::fprintf(stderr, over_ ? "\r\033[Kskel: %zu patterns, %.0f of %.0f s" : "skel: %zu patterns, %.0f of %.0f s\n",
                 patterns, elapsed, limit_);
  }

 private:
  bool over_, shown_;
  double limit_;
  int tenth_ = 0;
};

/// Bandwidth of all cores together, shared by virtual threads [B/s]; 0 (no bound) if it cannot be measured. Measured
/// once for a file of samples, so that the bound is the same for all of them.
double bandwidth_of_memory() {
  platform::host_probe_options nothing;
  nothing.repeats = 0;
  auto const host = platform::probe_host(nothing);
  double const cache = std::ranges::max(platform::this_processor().caches);
  try {
    return runtime::measure_bandwidth(host.cores, cache, host.memory).bytes_per_second;
  } catch (error const& problem) {
    std::fprintf(stderr, "skel train: %s; virtual threads are not bound by it\n", problem.what());
    return 0;
  }
}

/// Goes on with the experiment and writes each problem behind the others. Returns the time for this [s].
double measure(training::reduction_samples& into, std::string const& file, std::vector<std::string> const& patterns,
               double limit, bool progress, std::stop_token const& stop) {
  double const begin = record::now();
  auto const elapsed = [&] { return record::now() - begin; };
  std::ofstream out(file, std::ios::app);
  point_filter filter(limit);
  progress_line line(progress, limit);
  std::set<std::size_t> const there(into.points.begin(), into.points.end());
  auto const first_of_files = there.lower_bound(first_point_of_files);
  std::size_t next = first_of_files == there.begin() ? 0 : *std::prev(first_of_files) + 1;
  std::size_t count = into.problems();
  auto const is_too_few = [&] { return count < fewest_patterns; };
  auto const add = [&](std::size_t number, training::trial_point const& point) {
    auto const samples = training::time_point(point, into.bandwidth);
    out << training::to_text(number, samples) << std::flush;
    if (!out) throw error(file + ": cannot be written; make room, then go on with the same file");
    into.samples.insert(into.samples.end(), samples.begin(), samples.end());
    into.points.insert(into.points.end(), samples.size(), number);
    count += !samples.empty();
    line.show(count, elapsed());
  };
  std::map<std::string, std::set<std::size_t>> timed;  // points of each file, timed in their order
  std::size_t number = first_point_of_files;
  for (std::size_t k = 0; k < into.points.size(); ++k) {
    if (into.points[k] < first_point_of_files) continue;
    timed[into.samples[k].program].insert(into.points[k]);
    number = std::max(number, into.points[k] + 1);
  }
  for (auto const& named : patterns) {
    auto const points = training::points_of(named, into.threads);
    for (std::size_t k = timed[points.front().cell].size(); k < points.size() && !stop.stop_requested(); ++k)
      add(number++, points[k]);
  }
  double const of_files = elapsed();
  for (; !stop.stop_requested() && (elapsed() - of_files < limit || is_too_few()); ++next) {
    auto const point = training::point_of(next, into.threads);
    if (!filter.takes(point)) continue;
    double const start = record::now();
    add(next, point);
    filter.took(point, record::now() - start);
  }
  return elapsed();
}

platform::reduction_model model_of(training::reduction_samples const& samples,
                                   std::vector<training::fitted_samples> const& fits) {
  platform::reduction_model model;
  model.machine = samples.machine;
  model.threads = samples.threads;
  model.caches = {samples.caches.first, samples.caches.second, samples.caches.last};
  model.date = platform::utc_now();
  model.compiler = samples.compiler;
  model.algorithms = training::algorithm_names();
  for (auto const& one : fits) model.fits.push_back(one.fit.fitted);
  model.reading = training::time_reading(model);
  return platform::rounded(std::move(model));
}

/// Removes the samples of some kinds. Throws skel::input_error for an unknown kind.
training::reduction_samples only_others(training::reduction_samples all, std::vector<std::string> const& kinds) {
  std::set<std::string> there;
  for (auto const& sample : all.samples) there.insert(training::kind_of(sample.program));
  for (std::string const& kind : kinds)
    if (!there.contains(kind))
      throw input_error("command line", "--without",
                        fmt::format("no sample is of the kind '{}'; there are {}{}", kind, fmt::join(there, ", "),
                                    did_you_mean(kind, there)));
  auto kept = all;
  kept.samples.clear(), kept.points.clear();
  for (std::size_t k = 0; k < all.samples.size(); ++k) {
    if (std::ranges::find(kinds, training::kind_of(all.samples[k].program)) != kinds.end()) continue;
    kept.samples.push_back(std::move(all.samples[k]));
    kept.points.push_back(all.points[k]);
  }
  return kept;
}

/// Fails if a file could not be written after all the timing. Reports the folders that will be made.
void expect_places(std::vector<std::string> const& files) {
  std::set<fs::path> missing;
  for (std::string const& file : files) {
    if (file.empty()) continue;
    platform::check_writable(file);
    fs::path const folder = fs::path(file).parent_path();
    if (!folder.empty() && !fs::exists(folder)) missing.insert(folder);
  }
  for (fs::path const& folder : missing) complain("the folder " + folder.string() + " does not exist and is made");
}

void expect_enough(training::reduction_samples const& samples, std::string const& file) {
  if (samples.problems() < fewest_patterns)
    throw error(fmt::format("{}: has {} patterns, and a model needs {}; go on: skel train --samples {}", file,
                            samples.problems(), fewest_patterns, file));
}

std::vector<training::fitted_samples> fits_of(training::reduction_samples const& samples, std::string const& file) {
  expect_enough(samples, file);
  auto fits = training::fit_all(samples);
  if (fits.empty())
    throw error(
        fmt::format("{}: has no two kinds of patterns with timings of all algorithms, so that a fit could be "
                    "judged by what it has not seen; go on: skel train --samples {}",
                    file, file));
  return fits;
}

int report(train_command const& command, std::ostream& out) {
  std::string file = command.report;
  std::string const text = read_text(file);
  if (std::size_t const first = text.find_first_not_of(" \t\r\n"); first != std::string::npos && text[first] == '{') {
    auto const model = platform::parse_reduction_model(text, file);
    file = command.samples.empty() ? fs::path(file).replace_extension(".csv").string() : command.samples;
    if (!fs::exists(file))
      throw input_error(file, "",
                        "does not exist; a report needs the samples that the model of " + model.date +
                            " was fitted to: name their file (--samples)");
  } else if (!command.samples.empty()) {
    refuse_option("--samples", "cannot stand together with a --report that has samples itself");
  }
  std::string const plot =
      command.plot.empty() ? fs::path(command.report).replace_extension(".svg").string() : command.plot;
  for (auto const& input : {command.report, file}) expect_not_read("--plot", plot, input);
  auto const samples = training::read_reduction_samples(file);
  auto const fits = fits_of(samples, file);
  platform::write_file(plot, prediction_plot(fits.back()));
  if (command.json) {
    auto answer = report_json(samples, fits);
    answer["plot"] = plot;
    out << line_of(answer);
  } else {
    out << report_text(samples, fits) << "\npredicted against measured: " << shown_file(plot) << '\n';
  }
  return done;
}

int train(train_command command, std::ostream& out) {
  if (!command.report.empty()) return report(command, out);
  if (command.output.empty() && command.samples.empty())
    refuse_option("-o", "is missing: the file to write the models to (or --samples, the file to collect timings in)");
  if (command.seconds && !(std::isfinite(*command.seconds) && *command.seconds >= 0))
    refuse_option("--seconds", "is a time in seconds, 0 or more");
  std::optional<double> bandwidth;
  if (command.bandwidth) bandwidth = size_of("--bandwidth", *command.bandwidth);
  if (bandwidth && !(std::isfinite(*bandwidth) && *bandwidth >= 0))
    refuse_option("--bandwidth", "is in bytes per second, 0 or more");
  double const limit = command.seconds.value_or(60);
  if (command.samples.empty()) command.samples = fs::path(command.output).replace_extension(".csv").string();
  if (command.samples == command.output)
    refuse_option("--samples", "is the file that the models go to; choose another for the timings");
  if (!command.plot.empty() && (command.plot == command.samples || command.plot == command.output))
    refuse_option("--plot", "is a file that something else goes to; choose another for the plot");
  expect_not_read("--plot", command.plot, command.samples);
  expect_not_read("-o", command.output, command.samples);
  for (auto const& pattern : command.patterns) {
    expect_not_read("--plot", command.plot, pattern);
    expect_not_read("-o", command.output, pattern);
    expect_not_read("--samples", command.samples, pattern);
  }
  auto samples = open_samples(command.samples, limit > 0);
  expect_places({command.output, command.plot, limit > 0 ? command.samples : ""});
  double seconds = 0;
  if (limit == 0 && !command.patterns.empty())
    refuse_option("--pattern", "is for timing; with --seconds 0 nothing is timed");
  if (limit == 0 && bandwidth) refuse_option("--bandwidth", "is for timing; with --seconds 0 nothing is timed");
  if (limit > 0) {
    if (bandwidth && !samples.points.empty() && samples.bandwidth != *bandwidth)
      throw input_error(command.samples, "bandwidth",
                        fmt::format("is {:g} B/s for the samples that are there: go on without --bandwidth, or write "
                                    "to another file (--samples)",
                                    samples.bandwidth));
    run_interruptible("skel train", false, [&](std::stop_token const& stop) {
      if (samples.points.empty()) samples.bandwidth = bandwidth ? *bandwidth : bandwidth_of_memory();
      // A file whose last line was cut is whole again.
      std::string text = training::head_text(samples);
      for (std::size_t k = 0; k < samples.samples.size(); ++k)
        text += training::to_text(samples.points[k], {samples.samples[k]});
      platform::write_file(command.samples, text);
      seconds = measure(samples, command.samples, command.patterns, limit, command.progress, stop);
    });
  }
  samples = only_others(std::move(samples), command.without);
  auto const fits = fits_of(samples, command.samples);
  if (!command.output.empty()) platform::write_file(command.output, to_text(model_of(samples, fits)));
  if (!command.plot.empty()) platform::write_file(command.plot, prediction_plot(fits.back()));
  if (command.json) {
    auto answer = report_json(samples, fits);
    answer["file"] = command.output.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(command.output);
    answer["samples"] = command.samples;
    out << line_of(answer);
  } else {
    out << report_text(samples, fits) << "\ntimings are in " << shown_file(command.samples) << '\n';
    if (!command.output.empty()) out << "written to " << shown_file(command.output) << '\n';
  }
  return done;
}

constexpr char const* train_footer =
    R"(The command makes patterns of a factorial experiment and times every algorithm of irregular reductions on each of
them: with the threads of this machine, and with 2 to 32 virtual threads, whose parts it times alone, one after the
other. It fits the time of an update, a merged line, a private element ... to all algorithms at once. It judges the fit
on kinds of patterns that were left out of it. Leave the machine alone meanwhile.

A run that is stopped (Ctrl-C) keeps its measurements, and one with the same --samples file goes on.

Examples:
  skel train -o reductions.json                    a minute; timings go to reductions.csv
  skel train --seconds 600 -o reductions.json      ten more; goes on with reductions.csv
  skel train --seconds 0 --samples reductions.csv -o other.json      fits again without timing anything
  skel train --report reductions.json              right picks and slowdowns, and a plot in reductions.svg)";

action add_train(CLI::App& app) {
  auto const command = std::make_shared<train_command>();
  auto* const output = app.add_option("-o,--output", command->output, "Writes the model to this file.");
  auto* const seconds = app.add_option("--seconds", command->seconds,
                                       "Times for this long (default: 60); 0: only fits existing timings.");
  auto* const bandwidth = app.add_option("--bandwidth", command->bandwidth,
                                         "Sets the bandwidth of the memory that virtual threads share [B/s];\n0: it "
                                         "does not limit them (default: measured).");
  auto* const pattern =
      app.add_option(
             "--pattern", command->patterns,
             "Times this mesh, graph or matrix (docs/formats.md) too, in three numberings, before the experiment;\n"
             "you may repeat it.")
          ->type_name("FILE");
  auto* const without =
      app.add_option(
             "--without", command->without,
             "Leaves this kind of patterns out of the fit: the part before the first dash of\ntheir files' names; "
             "you may repeat it.")
          ->type_name("KIND");
  app.add_option("--samples", command->samples,
                 "Keeps the timings in this file (default: that of the model, as .csv).");
  auto* const report =
      app.add_option("--report", command->report,
                     "Reads a model or timings, and shows how well it chooses for kinds that were\nleft out.");
  app.add_option(
      "--plot", command->plot,
      "Plots predicted against measured times in this file (SVG;\ndefault with --report: its file as .svg).");
  app.add_flag("--progress,!--no-progress", command->progress, "Prints the progress on standard error, or does not.");
  app.add_flag("--json", command->json, "Prints one JSON object on standard output.");
  for (auto* const other : {output, seconds, bandwidth, pattern, without}) report->excludes(other);
  app.footer(train_footer);
  return [command](std::ostream& out) { return train(*command, out); };
}
a_verb const added_train({"train",
                          "Times irregular reductions on this machine, and fits models that choose their algorithms.",
                          add_train});

}  // namespace
}  // namespace skel::tools
