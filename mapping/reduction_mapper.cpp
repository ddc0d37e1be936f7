#include <skel/mapping/reduction_mapper.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

#include <skel/base/contract.hpp>
#include <skel/base/error.hpp>
#include <skel/record/clock.hpp>

namespace skel::mapping {

namespace {

using enum plan::reduction_algorithm;

std::vector<cost::reduction_predictor> predictors(platform::reduction_model const& model, std::string const& source) {
  std::vector<cost::reduction_predictor> kinds;
  for (auto const& kind : model.kinds) kinds.emplace_back(model, kind, source);
  if (kinds.empty()) throw input_error(source, "kinds", "has no model of reductions; train anew");
  return kinds;
}

/// What predicting by a kind takes, the median of three times [s]. A program has other things in its caches when it
/// asks, which makes all kinds dearer.
double price_of(cost::reduction_predictor const& kind) {
  cost::reduction_problem some;
  some.pattern.elements = some.pattern.iterations = some.pattern.subscripts = 1000;
  std::array<double, 3> seconds{};
  for (double& one : seconds) {
    double const begin = record::now();
    static_cast<void>(kind.predict(some));
    one = record::now() - begin;
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[1];
}

/// The expected error of each kind, the residuals of the algorithms that it knows, and what asking it costs.
std::vector<candidate_model> candidates_of(std::vector<cost::reduction_predictor> const& kinds) {
  std::vector<candidate_model> models;
  for (auto const& kind : kinds) {
    double const price = price_of(kind);
    double squares = 0, known = 0;
    for (auto const& traits : plan::reduction_catalogue())
      if (kind.estimate(traits.algorithm, {})) squares += std::pow(kind.residual(traits.algorithm), 2), ++known;
    models.push_back({kind.name(), {std::sqrt(squares / std::max(1.0, known)), price}});
  }
  return models;
}

std::string in_words(double seconds) {
  char text[32];
  if (seconds < 1e-3)
    std::snprintf(text, sizeof text, "%.3g us", seconds * 1e6);
  else if (seconds < 1)
    std::snprintf(text, sizeof text, "%.3g ms", seconds * 1e3);
  else
    std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

std::string reason(reduction_decision const& made, double uses) {
  auto const name = [](reduction_candidate const& one) { return std::string(plan::name_of(one.algorithm)); };
  auto const& won = made.candidates.front();
  std::string text = name(won);
  if (made.candidates.size() == 1) return text + " is all that may be used";
  auto const& next = made.candidates[1];
  char times[32];
  std::snprintf(times, sizeof times, "%.3g", uses);
  if (made.trial) return text + " is tried once more, as its time is hardly known";
  return text + " takes " + in_words(won.total) + " for " + times + (uses == 1 ? " execution" : " executions") +
         " with its setup, " + name(next) + " " + in_words(next.total);
}

}  // namespace

double reduction_bytes(plan::reduction_algorithm algorithm, cost::reduction_problem const& problem) {
  auto const& of = problem.pattern;
  double const n = static_cast<double>(of.elements), parts = static_cast<double>(of.parts);
  double const subscripts = static_cast<double>(of.subscripts), iterations = static_cast<double>(of.iterations);
  double const copies = n * (parts - 1) * problem.value_bytes;
  switch (algorithm) {
    case sequential:
    case atomic:
      return 0;
    case replicated_buffer:
      return copies;
    case replicated_links:
      return copies + 8 * parts * (of.clusters + parts);
    case lazy_blocks:
      return copies + parts * n * problem.value_bytes / 4096 * 48;
    case selective_privates:
      return of.privates * n * (problem.value_bytes + 4) +
             4 * (subscripts + iterations) * std::min(1.0, of.private_subscripts * std::max(1.0, of.mobility()));
    case local_write:
      return 8 * iterations * of.copies;
    case segmented_gather:
      return subscripts * (4 + problem.value_bytes) + 8 * n;
  }
  return 0;
}

std::size_t reduction_mapper::hash::operator()(context const& of) const {
  std::size_t all = 0;
  for (int const one : of) all = all * 1'000'003 + static_cast<std::size_t>(one + 64);
  return all;
}

reduction_mapper::context reduction_mapper::context_of(cost::reduction_problem const& problem) {
  auto const class_of = [](std::size_t n) { return static_cast<int>(std::bit_width(n)) / 3; };
  auto const& of = problem.pattern;
  return {static_cast<int>(of.parts) * (problem.virtual_threads ? -1 : 1), static_cast<int>(problem.value_bytes),
          class_of(of.elements), class_of(of.subscripts)};
}

reduction_mapper::reduction_mapper(platform::reduction_model const& model, std::string const& source)
    : kinds_(predictors(model, source)), models_(candidates_of(kinds_)) {}

std::optional<cost::reduction_time> reduction_mapper::estimate(plan::reduction_algorithm algorithm,
                                                               cost::reduction_problem const& problem) const {
  return kinds_.front().estimate(algorithm, problem);
}

reduction_decision reduction_mapper::decide(reduction_request const& request) const {
  SKEL_EXPECTS(request.legal != 0 && request.uses > 0 && request.trial_uses > 0);
  context const here = context_of(request.problem);
  reduction_decision made;
  auto const first = estimate(sequential, request.problem);
  double const about = first ? first->run / static_cast<double>(request.problem.pattern.parts) : 1;
  auto const& kind = kinds_[models_.believe(here, {request.uses, std::max(1e-9, about)}).model];
  std::size_t const number = static_cast<std::size_t>(&kind - kinds_.data());
  made.model = kind.name();

  std::vector<candidate_time> times;
  auto const all = kind.predict(request.problem);
  for (auto const& traits : plan::reduction_catalogue()) {
    if ((request.legal >> static_cast<unsigned>(traits.algorithm) & 1) == 0) continue;
    if (reduction_bytes(traits.algorithm, request.problem) > static_cast<double>(request.memory_cap)) {
      made.over_cap.push_back(traits.algorithm);
      continue;
    }
    auto predicted = all[static_cast<std::size_t>(traits.algorithm)];
    if (!predicted || !(predicted->run > 0) || !std::isfinite(predicted->run + predicted->setup)) continue;
    if ((request.prepared >> static_cast<unsigned>(traits.algorithm) & 1) != 0) predicted->setup = 0;
    auto const candidate = static_cast<std::uint64_t>(traits.algorithm);
    double const run = models_.correct(here, number, candidate, predicted->run).seconds;
    made.candidates.push_back({traits.algorithm, {predicted->setup, run}, predicted->setup + request.uses * run});
    times.push_back({candidate, predicted->run, predicted->setup});
  }
  if (made.candidates.empty()) {
    if (made.over_cap.empty())
      throw error("the model of reductions knows none of the algorithms that may be used; train anew");
    throw error("no algorithm that may be used for this reduction keeps less than " +
                std::to_string(request.memory_cap) + " bytes; raise the cap, or allow atomic updates");
  }
  auto const choice = models_.choose(here, number, times, request.uses, request.trial_uses);
  made.trial = choice.trial;
  std::swap(made.candidates.front(), made.candidates[choice.index]);
  std::sort(made.candidates.begin() + 1, made.candidates.end(),
            [](auto const& a, auto const& b) { return a.total < b.total; });
  made.algorithm = made.candidates.front().algorithm;
  made.why = reason(made, request.uses);
  return made;
}

void reduction_mapper::observe(cost::reduction_problem const& problem, plan::reduction_algorithm algorithm,
                               double seconds) {
  if (!(seconds > 0)) return;
  context const here = context_of(problem);
  for (std::size_t k = 0; k < kinds_.size(); ++k)
    if (auto const predicted = kinds_[k].predict(algorithm, problem); predicted && predicted->run > 0)
      models_.observe(here, k, static_cast<std::uint64_t>(algorithm), predicted->run, seconds);
}

}  // namespace skel::mapping
