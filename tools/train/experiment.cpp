#include "experiment.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include <fmt/format.h>

#include <skel/detail/base/statistics.hpp>
#include <skel/detail/cost/reduction/predictor.hpp>
#include <skel/detail/formats/mesh_files.hpp>
#include <skel/detail/pattern/sampled_features.hpp>
#include <skel/detail/platform/host_probe.hpp>
#include <skel/detail/platform/reduction_model.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/reduction/characterise.hpp>
#include <skel/detail/runtime/threads/team.hpp>

namespace skel::training {
namespace {

/// Coordinate of a point in [0, 1): multiples of the square root of a prime, without their whole parts.
/// Source: Richtmyer 1951, LA-1342, Los Alamos.
class coordinates {
 public:
  explicit coordinates(std::size_t number) : number_(static_cast<double>(number + 1)) {}

  double next() {
    static constexpr std::array primes{2.,  3.,  5.,  7.,  11., 13., 17., 19., 23., 29.,
                                       31., 37., 41., 43., 47., 53., 59., 61., 67., 71.};
    double const x = number_ * std::sqrt(primes.at(next_++));
    return x - std::floor(x);
  }
  /// As evenly in the logarithm.
  double between(double low, double high) { return low * std::pow(high / low, next()); }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[static_cast<std::size_t>(next() * static_cast<double>(values.size()))];
  }

 private:
  double number_;
  std::size_t next_ = 0;
};

/// The level that a value is nearest to, as a ratio.
double level_of(double value, std::initializer_list<double> levels) {
  return *std::min_element(levels.begin(), levels.end(), [&](double a, double b) {
    return std::abs(std::log(value / a)) < std::abs(std::log(value / b));
  });
}

std::string cell_of(trial_point const& point) {
  auto const& of = point.pattern;
  return fmt::format(
      "N{}-CON{}-MOB{}-{}",
      level_of(static_cast<double>(of.elements), {1024., 4096., 16384., 65536., 262144., 1048576., 4194304.}),
      level_of(of.connectivity, {0.2, 2., 16., 128.}), of.mobility,
      point.lattice ? fmt::format("lattice{}", point.lattice->dimensions)
                    : fmt::format("SP{}", level_of(of.sparsity, {0.02, 0.2, 0.45, 0.75, 0.99})));
}

}  // namespace

pattern trial_point::made() const {
  if (cells) return pattern_of(renumber(*cells, numbered, numbered, 1));
  return lattice ? make_lattice(*lattice, seed) : make_pattern(pattern, seed);
}

double trial_point::work() const {
  double const n = static_cast<double>(pattern.elements);
  return n * pattern.connectivity * static_cast<double>(pattern.mobility) + n * static_cast<double>(pattern.parts);
}

std::vector<trial_point> points_of(std::filesystem::path const& file, std::size_t threads) {
  auto const cells = std::make_shared<mesh const>(read_mesh(file));
  std::string const name = file.stem().string();
  std::mt19937_64 dice(std::hash<std::string>{}(name));
  std::vector<trial_point> points;
  for (auto const& how : numberings().names())
    for (std::size_t const parts :
         {threads, std::size_t{16}, std::array<std::size_t, 4>{4, 8, 16, 32}.at(dice() % 4)}) {
      trial_point point;
      point.cell = name;
      point.cells = cells;
      point.numbered = numbering_named(how);
      auto& settings = point.settings;
      settings.parts = parts;
      settings.virtual_threads = parts != threads;
      settings.value = dice() % 3 == 0 ? trial_value::vector : trial_value::number;
      settings.other_work = dice() % 2 == 0 ? 0 : std::size_t{1} << dice() % 7;
      settings.rounds = settings.virtual_threads ? 7 : 15;
      settings.seconds = 1;
      settings.seconds_of_more = settings.virtual_threads ? 0.25 : 0.5;
      points.push_back(std::move(point));
    }
  return points;
}

trial_point point_of(std::size_t number, std::size_t threads) {
  coordinates at(number);
  trial_point point;
  auto& pattern = point.pattern;
  auto& settings = point.settings;
  pattern.elements = static_cast<std::size_t>(at.between(500, 4e6));
  pattern.connectivity = at.between(0.2, 128);
  pattern.mobility = at.one_of<std::size_t>({1, 2, 2, 3, 4, 8});
  bool const real = at.next() < 0.4;
  std::size_t const many = at.one_of<std::size_t>({2, 4, 8, 16, 32});
  settings.parts = pattern.parts = real ? threads : many;
  settings.virtual_threads = !real;
  double const share = 1 / static_cast<double>(pattern.parts);
  double const usual = at.one_of({share, std::min(1.0, 1.3 * share), 1.0}), any = at.between(0.02, 1);
  pattern.sparsity = at.next() < 0.5 ? usual : any;
  pattern.clusters = static_cast<std::size_t>(at.between(1, std::max(2.0, static_cast<double>(pattern.elements) / 64)));
  pattern.apart = at.one_of({0.0, 0.9, 1.0, 1.0});
  double const reach = at.between(0.0005, 0.3);
  pattern.reach = at.next() < 1.0 / 3 ? 0 : reach;
  settings.value = at.next() < 1.0 / 3 ? trial_value::vector : trial_value::number;
  double const other = at.between(1.0 / 64, 64);  // half of them none
  settings.other_work = static_cast<std::size_t>(other);
  settings.rounds = real ? 15 : 7;
  settings.seconds = 1;
  settings.seconds_of_more = real ? 0.5 : 0.25;
  bool const is_lattice = at.next() < 1.0 / 3;
  synthetic_lattice lattice{pattern.elements, pattern.connectivity, pattern.mobility};
  lattice.dimensions = at.one_of<std::size_t>({1, 2, 2, 3, 3});
  lattice.distance = at.one_of<std::size_t>({1, 1, 2, 4});
  // A run as long as the lattice: all is in order. A run of one: nothing is.
  double const elements = static_cast<double>(pattern.elements), iterations = elements * pattern.connectivity;
  auto const run = [&](double all) {
    double const length = at.between(0.1, std::max(1.0, all) * 10);
    return length >= all ? 0 : std::max<std::size_t>(1, static_cast<std::size_t>(length));
  };
  lattice.element_run = run(elements);
  lattice.iteration_run = run(iterations);
  // A third of all patterns are as in most programs: numbered as the lattice is, or sorted.
  if (number % 3 == 2) {
    lattice.iteration_run = 0;
    if (number % 2 == 0) lattice.element_run = 0;
    lattice.sorted = number % 2 == 1;
  }
  if (is_lattice || number % 3 == 2) point.lattice = lattice;
  point.seed = number;
  point.cell = cell_of(point);
  return point;
}

double bytes_of(trial_point const& point) {
  double const n = static_cast<double>(point.pattern.elements), parts = static_cast<double>(point.pattern.parts);
  double const value = point.settings.value == trial_value::vector ? 24 : 8;
  double const subscripts = n * point.pattern.connectivity * static_cast<double>(point.pattern.mobility);
  // Copies of REPBUF, REPLINK and lazy blocks; contributions of the gather; index, schedules and a stream.
  return 3 * n * parts * value + subscripts * (value + 40);
}

std::vector<reduction_sample> time_point(trial_point point, double bandwidth) {
  auto const pattern = point.made();
  static double const own_cache = platform::this_processor().caches[1];
  if (point.settings.virtual_threads)
    point.settings.memory = {bandwidth, static_cast<double>(point.settings.parts) * own_cache};
  bool const vectors = point.settings.value == trial_value::vector;
  virtual_team team(point.settings.parts);
  cost::reduction_problem problem;
  problem.value_bytes = vectors ? 24 : 8;
  std::size_t const line = vectors ? 2 : 8;
  problem.pattern = runtime::reduction::characterise(pattern, team, {.line = line});
  auto const sampled = sampled_features(pattern, point.settings.parts, line);
  problem.other_seconds = other_seconds(pattern, point.settings);
  std::vector<reduction_sample> samples;
  for (auto const& trial : time_reductions(pattern, point.settings))
    samples.push_back({.algorithm = trial.algorithm,
                       .problem = problem,
                       .measured = {trial.setup, trial.run, trial.setup_again},
                       .spread = trial.spread,
                       .virtual_threads = point.settings.virtual_threads,
                       .program = point.cell,
                       .sampled = sampled});
  return samples;
}

namespace {

/// Start of counting features, and time of each thread for a subscript [s]. Elements are in no order: these take the
/// longest.
std::pair<double, double> counting_seconds() {
  platform::host_probe_options nothing;
  nothing.repeats = 0;
  runtime::thread_team team(std::max<std::size_t>(1, platform::probe_host(nothing).cores));
  constexpr std::uint32_t elements = 40000, iterations = 200000;
  std::mt19937 dice(1);
  std::vector<subscript> index(2 * std::size_t{iterations});
  for (auto& one : index) one = static_cast<subscript>(dice() % elements);
  pattern const tiny(4, 64, std::vector<subscript>{0, 1, 2, 3});
  auto const time = [&](pattern const& of) {
    double const begin = record::now();
    runtime::reduction::characterise(of, team, runtime::reduction::extent_of(of, 8));
    return record::now() - begin;
  };
  std::vector<double> starts, all;
  for (int round = 0; round < 5; ++round) {
    all.push_back(time(pattern(iterations, elements, index)));
    starts.push_back(time(tiny));
  }
  // Beside its subscripts each thread passes its words of elements.
  double const passed = static_cast<double>(index.size()) / static_cast<double>(team.parts()) + elements / 32.0;
  double const start = statistics::median(starts);
  return {start, std::max(0.0, statistics::median(all) - start) / passed};
}

}  // namespace

platform::reading_times time_reading(platform::reduction_model const& model) {
  cost::reduction_predictor const predictor(model, "the model");
  cost::reduction_problem problem;
  auto const pattern = make_lattice(synthetic_lattice{40000, 3, 2, 2, 1, 100}, 1);
  // More than the caches of a core hold.
  std::vector<char> other_data(std::size_t{64} << 20);
  std::vector<double> sample, decision;
  auto const time = [&](std::vector<double>& into, auto&& f) {
    for (std::size_t k = 0; k < other_data.size(); k += 64) ++other_data[k];
    double const begin = record::now();
    f();
    into.push_back(record::now() - begin);
  };
  for (int round = 0; round < 15; ++round) {
    time(sample, [&] { problem.pattern = sampled_features(pattern, 8, 8); });
    time(decision, [&] { static_cast<void>(predictor.predict(problem)); });
  }
  auto const [start, count] = counting_seconds();
  return {statistics::median(decision), statistics::median(sample), start, count};
}

}  // namespace skel::training
