#include <skel/detail/mapping/reduction_mapper.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <string_view>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/pages.hpp>
#include <skel/detail/record/clock.hpp>

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

/// A kind's errors, with rows and columns for all algorithms of the catalogue: those that it does not know are never
/// candidates.
std::array<std::array<known_errors, 3>, 2> errors_from(platform::fitted_kind const& kind) {
  // Timings that never differ would be believed for ever.
  constexpr double least_noise = 0.005;
  std::vector<std::size_t> places;
  for (auto const& one : kind.algorithms)
    places.push_back(static_cast<std::size_t>(*plan::find_reduction(one.algorithm)));
  std::array<std::array<known_errors, 3>, 2> all;
  for (std::size_t t = 0; t < 2; ++t)
    for (std::size_t s = 0; s < 3; ++s) {
      auto const& from = kind.errors[t][s];
      if (from.covariance.size() != places.size() * places.size() || places.empty()) continue;
      auto& to = all[t][s];
      to.noise = std::max(least_noise, from.noise);
      to.covariance.assign(plan::reduction_algorithms * plan::reduction_algorithms, 0);
      for (std::size_t i = 0; i < places.size(); ++i)
        for (std::size_t j = 0; j < places.size(); ++j)
          to.covariance[places[i] * plan::reduction_algorithms + places[j]] = from.covariance[i * places.size() + j];
    }
  return all;
}

/// What taking an algorithm begins with.
struct entry {
  double setup;    ///< that it will take [s]
  double charged;  ///< to this pattern [s]
};

entry entry_of(cost::reduction_time const& time, reduction_request const& request,
               plan::reduction_algorithm algorithm) {
  auto const is_in = [&](reduction_set set) { return (set >> static_cast<unsigned>(algorithm) & 1) != 0; };
  if (is_in(request.prepared)) return {0, 0};
  if (is_in(request.buffered)) return {time.setup_again, time.setup_again};
  return {time.setup, time.setup_again + (time.setup - time.setup_again) / (1 + request.patterns_to_come)};
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

}  // namespace

std::string reduction_decision::why() const {
  std::string text(plan::name_of(algorithm));
  char times[32];
  std::snprintf(times, sizeof times, "%.3g%s", uses, uses == 1 ? " execution" : " executions");
  if (model == rule_model)
    return text + " is what a rule takes for " + times + ", which predicting times would not pay for";
  if (model == model_of_before) return text + " was chosen for the pattern before, which was about as large";
  if (candidates.size() < 2) return text + " is all that may be used";
  if (trial) return text + " is tried once more, as its time is hardly known";
  auto const& next = candidates[1];
  return text + " takes " + in_words(candidates.front().total) + " for " + times + " with its share of the setup, " +
         std::string(plan::name_of(next.algorithm)) + " " + in_words(next.total);
}

double reduction_bytes(plan::reduction_algorithm algorithm, cost::reduction_problem const& problem) {
  auto const& of = problem.pattern;
  double const n = static_cast<double>(of.elements), parts = static_cast<double>(of.parts);
  double const subscripts = static_cast<double>(of.subscripts), iterations = static_cast<double>(of.iterations);
  auto const kept = [](double bytes) { return static_cast<double>(kept_bytes(static_cast<std::size_t>(bytes))); };
  double const copies = (parts - 1) * kept(n * problem.value_bytes);
  switch (algorithm) {
    case sequential:
    case atomic:
      return 0;
    case replicated_buffer:
      return copies;
    case replicated_links:
      return copies + 8 * parts * (of.clusters + parts);
    case lazy_blocks: {
      // Blocks of 2 to 4 KiB of the widest array, 128 B of which say where one is; the last one is whole.
      double const blocks = n * problem.value_bytes / 2048 + 1;
      return (parts - 1) * (n * problem.value_bytes + 4096 + blocks * 128);
    }
    case selective_privates:
      return parts * kept(of.privates * n / parts * problem.value_bytes) + of.privates * n * 4 +
             4 * (subscripts + iterations) * std::min(1.0, of.private_subscripts * std::max(1.0, of.mobility()));
    case local_write:
      return 8 * iterations * of.copies;
    case segmented_gather:
      return subscripts * 4 + kept(subscripts * problem.value_bytes) + 8 * n;
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
    : kinds_(predictors(model, source)), rules_(model.rules, source), models_(candidates_of(kinds_)) {
  for (auto const& kind : model.kinds) errors_.push_back(errors_from(kind));
}

known_errors const* reduction_mapper::errors_of(std::size_t kind, cost::reduction_problem const& problem) const {
  auto const& known = errors_[kind][problem.virtual_threads ? 1 : 0][static_cast<std::size_t>(problem.seen_by)];
  return known.covariance.empty() ? nullptr : &known;
}

std::optional<rule_choice> reduction_mapper::choose_by_rule(reduction_request const& request) const {
  SKEL_EXPECTS(request.legal != 0 && request.uses > 0);
  if (rules_.empty(request.problem.seen_by)) return std::nullopt;
  auto const answer = rules_.ask(request.problem, request.uses);
  constexpr auto no_cap = std::numeric_limits<std::size_t>::max();
  std::optional<rule_choice> best;
  double least = 0;
  for (std::size_t k = 0; k < answer.late.size(); ++k) {
    if ((request.legal >> k & 1) == 0 || !answer.late[k]) continue;
    auto const algorithm = static_cast<plan::reduction_algorithm>(k);
    if (request.memory_cap != no_cap &&
        reduction_bytes(algorithm, request.problem) > static_cast<double>(request.memory_cap))
      continue;
    if (best && *answer.late[k] >= least) continue;
    least = *answer.late[k];
    best = rule_choice{algorithm, answer.seconds, answer.gain};
  }
  return best;
}

std::optional<cost::reduction_time> reduction_mapper::estimate(plan::reduction_algorithm algorithm,
                                                               cost::reduction_problem const& problem) const {
  return kinds_.front().estimate(algorithm, problem);
}

std::array<double, plan::reduction_algorithms> reduction_mapper::advice_of_rules(
    reduction_request const& request,
    std::array<std::optional<cost::reduction_time>, plan::reduction_algorithms> const& times) const {
  std::array<double, plan::reduction_algorithms> advice{};
  if (rules_.empty(request.problem.seen_by)) return advice;
  auto const total = [&](std::size_t k) { return times[k]->setup + request.uses * times[k]->run; };
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < times.size(); ++k)
    if (times[k] && total(k) > 0) least = std::min(least, total(k));
  auto const answer = rules_.ask(request.problem, request.uses);
  for (std::size_t k = 0; k < times.size(); ++k)
    if (times[k] && answer.late[k] && total(k) > 0)
      advice[k] = (*answer.late[k] - std::min(std::numbers::ln2, std::log(total(k) / least))) / 2;
  return advice;
}

reduction_mapper::times_of_all const& reduction_mapper::predicted(std::size_t kind,
                                                                  cost::reduction_problem const& problem) const {
  if (!remembers(problem)) {
    last_times_.assign(kinds_.size(), std::nullopt);
    last_problem_ = problem;
  }
  auto& times = last_times_[kind];
  if (!times) times = kinds_[kind].predict(problem), ++predictions_;
  return *times;
}

reduction_decision reduction_mapper::decide(reduction_request const& request) const {
  SKEL_EXPECTS(request.legal != 0 && request.uses > 0 && request.trial_uses > 0 && request.patterns_to_come >= 0);
  context const here = context_of(request.problem);
  reduction_decision made;
  auto const first = estimate(sequential, request.problem);
  double const about = first ? first->run / static_cast<double>(request.problem.pattern.parts) : 1;
  auto const& known = models_.known(here);
  std::size_t const number = most_trusted(known, {request.uses, std::max(1e-9, about)});
  auto const& kind = kinds_[number];
  auto const& records = known.records[number];
  std::optional<expected_errors> errors;
  if (auto const* const of_kind = errors_of(number, request.problem)) errors = given(*of_kind, records);
  made.model = kind.name();
  made.uses = request.uses;

  std::vector<candidate_time> times;
  times.reserve(plan::reduction_algorithms);
  made.candidates.reserve(plan::reduction_algorithms);
  auto const& all = predicted(number, request.problem);
  auto const advice = advice_of_rules(request, all);
  for (auto const& traits : plan::reduction_catalogue()) {
    if ((request.legal >> static_cast<unsigned>(traits.algorithm) & 1) == 0) continue;
    if (reduction_bytes(traits.algorithm, request.problem) > static_cast<double>(request.memory_cap)) {
      made.over_cap.push_back(traits.algorithm);
      continue;
    }
    auto const& of_kind = all[static_cast<std::size_t>(traits.algorithm)];
    if (!of_kind || !(of_kind->run > 0) || !std::isfinite(of_kind->run)) continue;
    auto time = *of_kind;
    auto const [setup, charged] = entry_of(time, request, traits.algorithm);
    if (!std::isfinite(setup) || !std::isfinite(charged)) continue;
    auto const candidate = static_cast<std::uint64_t>(traits.algorithm);
    double run = errors ? time.run * std::exp(errors->mean[candidate])
                        : correct(known.priors[number].error, records, candidate, time.run).seconds;
    bool const is_measured = std::ranges::find(records, candidate, &candidate_record::candidate) != records.end();
    if (!is_measured) {
      double const advised = std::exp(advice[static_cast<std::size_t>(traits.algorithm)]);
      run *= advised;
      time.run *= advised;
    }
    if (!std::isfinite(run)) continue;
    made.candidates.push_back({traits.algorithm, {setup, run, time.setup_again}, charged + request.uses * run});
    times.push_back({candidate, time.run, charged});
  }
  if (made.candidates.empty()) {
    if (made.over_cap.empty())
      throw error("the model of reductions knows none of the algorithms that may be used; train anew");
    throw error("no algorithm that may be used for this reduction keeps less than " +
                std::to_string(request.memory_cap) + " bytes; raise the cap, or allow atomic updates");
  }
  auto const choice = errors ? choose(*errors, times, request.uses, request.trial_uses)
                             : choose(known.priors[number].error, records, times, request.uses, request.trial_uses);
  made.trial = choice.trial;
  std::swap(made.candidates.front(), made.candidates[choice.index]);
  std::sort(made.candidates.begin() + 1, made.candidates.end(),
            [](auto const& a, auto const& b) { return a.total < b.total; });
  made.algorithm = made.candidates.front().algorithm;
  return made;
}

void reduction_mapper::observe(cost::reduction_problem const& problem, plan::reduction_algorithm algorithm,
                               double seconds) {
  if (!(seconds > 0)) return;
  context const here = context_of(problem);
  for (std::size_t k = 0; k < kinds_.size(); ++k)
    if (auto const& time = predicted(k, problem)[static_cast<std::size_t>(algorithm)]; time && time->run > 0)
      models_.observe(here, k, static_cast<std::uint64_t>(algorithm), time->run, seconds);
}

}  // namespace skel::mapping
