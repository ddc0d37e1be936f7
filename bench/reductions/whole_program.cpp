#include "whole_program.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <type_traits>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/grid/irregular_reduction.hpp>

#include "train/trial_loop.hpp"

namespace bench::reductions {

namespace {

using skel::training::vec3;

/// A phase, with what its loop reads.
struct held_phase {
  skel::pattern of;
  std::size_t steps;
  std::vector<double> stream;
};

double length_of(double x) {
  return std::abs(x);
}
double length_of(vec3 const& x) {
  return std::abs(x[0]) + std::abs(x[1]) + std::abs(x[2]);
}
double difference(double a, double b) {
  return std::abs(a - b);
}
double difference(vec3 const& a, vec3 const& b) {
  return length_of(vec3{a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

/// Runs all phases in one way. Returns the sums.
template <class Value, class Op, class Body>
std::vector<Value> run_phases(std::vector<held_phase> const& phases, std::size_t other_work,
                              skel::reduction_settings const& settings, setting const& how, Op op,
                              skel::reduction_report& report) {
  constexpr skel::reduction_rules rules{.replayable = true};
  skel::irregular_reduction<Op, rules> reduction(settings, op, workers_for(how));
  std::vector<Value> x;
  for (auto const& now : phases) {
    x.resize(now.of.elements(), Value{});
    Body const body{skel::training::make_body(now.of, other_work, now.stream)};
    for (std::size_t step = 0; step < now.steps; ++step) reduction.run(now.of, std::span{x}, body);
  }
  report = reduction.report();
  return x;
}

template <class Value, class Op, class Body>
void run_rounds(std::vector<held_phase> const& phases, std::size_t other_work, setting const& how,
                std::string const& model, Op op, program_run& into) {
  std::vector<Value> expected;
  for (std::size_t round = 0; round < how.rounds; ++round)
    for (std::size_t k = 0; k < into.ways.size(); ++k) {
      auto& way = into.ways[round % 2 == 0 ? k : into.ways.size() - 1 - k];
      skel::reduction_settings settings;
      settings.threads = how.threads;
      settings.model_file = model;
      settings.forced = way.fixed;
      auto const x = run_phases<Value, Op, Body>(phases, other_work, settings, how, op, way.report);
      way.totals.push_back(way.report.total());
      if (expected.empty()) expected = x;
      double scale = 0;
      for (auto const& value : expected) scale = std::max(scale, length_of(value));
      for (std::size_t e = 0; e < x.size(); ++e)
        if (difference(x[e], expected[e]) > 1e-9 * scale)
          throw skel::error("the sums of " + way.name() + " differ from those of " + into.ways.front().name() +
                            " at element " + std::to_string(e));
    }
}

}  // namespace

way_of_program const& program_run::best_fixed() const {
  SKEL_EXPECTS(ways.size() > 1);
  return *std::min_element(ways.begin() + 1, ways.end(), [](auto const& a, auto const& b) {
    return skel::statistics::median(a.totals) < skel::statistics::median(b.totals);
  });
}

double program_run::over_best() const {
  return skel::statistics::median(ways.front().totals) / skel::statistics::median(best_fixed().totals);
}

program_run run_program(program const& of, setting const& how, std::size_t most_steps, std::string const& model) {
  SKEL_EXPECTS(how.rounds >= 1 && most_steps >= 1);
  std::vector<held_phase> phases;
  program_run result;
  while (auto now = of.next()) {
    std::size_t const steps = std::min(now->steps, most_steps);
    auto stream = skel::training::make_stream(now->pattern.iterations());
    phases.push_back({std::move(now->pattern), steps, std::move(stream)});
    ++result.phases;
    result.executions += steps;
  }
  result.ways.push_back({});
  for (auto const& traits : skel::plan::reduction_catalogue()) result.ways.push_back({traits.algorithm, {}, {}});
  auto const other_work = static_cast<std::size_t>(std::llround(of.other_work / 2));
  if (of.value == value_kind::real) {
    run_rounds<double, std::plus<>, skel::training::number_body>(phases, other_work, how, model, {}, result);
  } else {
    auto const op = skel::componentwise(std::plus<>{});
    using op_type = std::remove_const_t<decltype(op)>;
    run_rounds<vec3, op_type, skel::training::vector_body>(phases, other_work, how, model, op, result);
  }
  return result;
}

}  // namespace bench::reductions
