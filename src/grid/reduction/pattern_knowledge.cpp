#include "pattern_knowledge.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <skel/detail/mapping/poly_model.hpp>
#include <skel/detail/pattern/sampled_features.hpp>
#include <skel/detail/runtime/reduction/characterise.hpp>

namespace skel {

namespace {

using cost::knowledge;

/// Elements that share a line of the cache.
std::size_t line_of(double value_bytes) {
  return std::bit_floor(std::max<std::size_t>(1, static_cast<std::size_t>(64 / std::max(1.0, value_bytes))));
}

/// The share of a use that a choice among legal algorithms loses by predictions from so much knowledge.
double loss(cost::reduction_problem problem, knowledge how, cost::reduction_predictor const& by,
            plan::reduction_set legal) {
  problem.known_by = how;
  auto const& errors = by.errors_of(problem);
  double variances = 0, known = 0;
  for (std::size_t k = 0; k < plan::reduction_algorithms; ++k)
    if (errors.known[k] && (legal >> k & 1) != 0)
      variances += errors.covariance[k * plan::reduction_algorithms + k], ++known;
  return known == 0 ? 0 : mapping::choice_loss(std::sqrt(variances / known));
}

/// Moves the expected time half of the way to a measured one. One that was held up raises it by half at most.
void learn(double& expected, double took) {
  expected += (std::min(took, 2 * expected) - expected) / 2;
}

}  // namespace

void pattern_knowledge::find_out(pattern const& of, cost::reduction_problem& problem,
                                 cost::reduction_predictor const& by, plan::reduction_set legal, double seconds) {
  if (of.subscripts() == 0 || problem.known_by == knowledge::counted) return;
  double const now = loss(problem, problem.known_by, by, legal), sampled = loss(problem, knowledge::sampled, by, legal),
               counted = loss(problem, knowledge::counted, by, legal);
  double const by_counting = (now - counted) * seconds - counting_seconds(problem),
               by_sampling = (now - sampled) * seconds - times_.sample;
  double const begin = clock_();
  if (by_counting > std::max(0.0, by_sampling))
    count(of, problem);
  else if (problem.known_by == knowledge::sizes && by_sampling > 0)
    sample(of, problem);
  else if (problem.known_by == knowledge::sizes)
    return assume_as_before(problem);
  else
    return;
  seconds_ += clock_() - begin;
  last_ = problem.pattern;
  has_last_ = true;
}

void pattern_knowledge::sample(pattern const& of, cost::reduction_problem& problem) {
  double const begin = clock_();
  problem.pattern = sampled_features(of, workers_->parts(), line_of(problem.value_bytes));
  problem.known_by = knowledge::sampled;
  learn(times_.sample, clock_() - begin);
  subscripts_ = std::min(of.subscripts(), sampled_subscripts);
}

void pattern_knowledge::count(pattern const& of, cost::reduction_problem& problem) {
  double const begin = clock_(), expected = std::max(1e-9, counting_seconds(problem));
  problem.pattern =
      runtime::reduction::characterise(of, *workers_, runtime::reduction::extent_of(of, line_of(problem.value_bytes)));
  problem.known_by = knowledge::counted;
  double ratio = 1;
  learn(ratio, (clock_() - begin) / expected);
  times_.start *= ratio, times_.count *= ratio;
  subscripts_ = of.subscripts();
}

void pattern_knowledge::assume_as_before(cost::reduction_problem& problem) const {
  if (!has_last_) return;
  auto now = last_;
  if (last_.elements > 0)
    now.clusters *= static_cast<double>(problem.pattern.elements) / static_cast<double>(last_.elements);
  now.iterations = problem.pattern.iterations;
  now.elements = problem.pattern.elements;
  now.subscripts = problem.pattern.subscripts;
  problem.pattern = now;
  problem.known_by = knowledge::sampled;
}

/// Each thread reads its subscripts, and passes its words of elements twice.
double pattern_knowledge::counting_seconds(cost::reduction_problem const& problem) const {
  auto const& of = problem.pattern;
  double const words = 2 * static_cast<double>(of.elements) / 64;
  return times_.start + times_.count * (static_cast<double>(of.subscripts) / static_cast<double>(of.parts) + words);
}

}  // namespace skel
