#include <skel/detail/mapping/poly_model.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/number.hpp>

namespace skel::mapping {
namespace {

/// max x Phi(-x), at x = 0.7518.
constexpr double worst_gap = 0.169971;

/// "7.2 %", "0.013 s".
std::string with_unit(double value, char const* unit) {
  return shown(value, 2) + " " + unit;
}

std::string in_words(candidate_model const& model, model_loss const& loss) {
  std::string text = model.name + " (" + with_unit(100 * std::expm1(loss.error), "%") + " off";
  if (loss.candidates > 0) text += " after " + std::to_string(loss.candidates) + " candidates";
  text += ", loses " + with_unit(loss.mistakes, "s");
  if (loss.price > 0) text += ", measuring it takes " + with_unit(loss.price, "s");
  return text + ")";
}

model_loss loss_of(std::size_t model, context_memory const& known, expected_use const& use) {
  double const error = expected_error(known.priors[model].error, known.records[model]);
  return {model, error, known.records[model].size(), use.uses * use.seconds * choice_loss(error),
          known.priors[model].price};
}

}  // namespace

double choice_loss(double sigma) {
  return std::expm1(std::numbers::sqrt2 * worst_gap * sigma);
}

double expected_error(double prior, std::span<candidate_record const> records) {
  double sum = prior_weight * prior * prior;
  for (auto const& one : records) sum += one.errors.observed.second / one.errors.observed.weight;
  double const weight = prior_weight + static_cast<double>(records.size());
  return widening(weight) * std::sqrt(sum / weight);
}

corrected_time correct(double prior, std::span<candidate_record const> records, std::uint64_t candidate,
                       double predicted) {
  double means = 0;
  for (auto const& one : records) means += one.errors.observed.first / one.errors.observed.weight;
  double const common = means / (1 + static_cast<double>(records.size()));
  auto const here = std::ranges::find(records, candidate, &candidate_record::candidate);
  if (here == records.end()) {
    double const error = expected_error(prior, records);
    return {predicted * std::exp(common), common, error, error};
  }
  auto const& observed = here->errors.observed;
  double const weight = prior_weight + observed.weight, bias = (prior_weight * common + observed.first) / weight,
               scatter = here->errors.scatter();
  return {predicted * std::exp(bias), bias, scatter, scatter / std::sqrt(weight)};
}

std::size_t most_trusted(context_memory const& known, expected_use const& use) {
  SKEL_EXPECTS(!known.priors.empty() && known.records.size() == known.priors.size());
  std::size_t best = 0;
  double least = 0;
  for (std::size_t model = 0; known.priors.size() > 1 && model < known.priors.size(); ++model) {
    double const loss = loss_of(model, known, use).total();
    if (model == 0 || loss < least) best = model, least = loss;
  }
  return best;
}

belief believe(std::span<candidate_model const> models, context_memory const& known, expected_use const& use) {
  SKEL_EXPECTS(!models.empty() && known.priors.size() == models.size() && known.records.size() == models.size());
  SKEL_EXPECTS(use.uses >= 0 && use.seconds >= 0);
  belief result;
  for (std::size_t model = 0; model < models.size(); ++model) result.losses.push_back(loss_of(model, known, use));
  std::ranges::stable_sort(result.losses, {}, &model_loss::total);
  result.model = result.losses.front().model;
  result.why = "believes " + in_words(models[result.model], result.losses.front());
  if (result.losses.size() > 1)
    result.why += " rather than " + in_words(models[result.losses[1].model], result.losses[1]);
  return result;
}

std::size_t known_errors::candidates() const {
  return static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(covariance.size()))));
}

double expected_errors::doubt(std::size_t candidate) const {
  return std::sqrt(std::max(0.0, covariance[candidate * mean.size() + candidate]));
}

double expected_errors::told(std::size_t candidate, std::size_t other) const {
  std::size_t const row = candidate * mean.size();
  double const variance = std::max(0.0, covariance[row + candidate]);
  if (variance == 0) return 0;
  return std::abs(variance - covariance[row + other]) / std::sqrt(variance + noise * noise);
}

expected_errors given(known_errors const& known, std::span<candidate_record const> records) {
  std::size_t const n = known.candidates();
  SKEL_EXPECTS(known.covariance.size() == n * n && known.noise > 0);
  expected_errors now{std::vector<double>(n, 0), known.covariance, known.noise};
  double squares = prior_weight, count = prior_weight;  // of errors over their expectations
  std::vector<double> row(n);
  for (auto const& one : records) {
    std::size_t const a = one.candidate;
    if (a >= n) continue;
    double const weight = std::min(one.errors.observed.weight, static_cast<double>(one.errors.last.size()));
    double const noise = known.noise * known.noise / weight;
    double const variance = std::max(0.0, now.covariance[a * n + a]) + noise;
    double const surprise = one.errors.lately() - now.mean[a];
    squares += surprise * surprise / variance;
    ++count;
    std::copy_n(now.covariance.begin() + static_cast<std::ptrdiff_t>(a * n), n, row.begin());
    for (std::size_t i = 0; i < n; ++i) {
      now.mean[i] += row[i] / variance * surprise;
      for (std::size_t j = 0; j < n; ++j) now.covariance[i * n + j] -= row[i] * row[j] / variance;
    }
  }
  now.surprise = squares / count;
  for (double& one : now.covariance) one *= now.surprise;
  return now;
}

}  // namespace skel::mapping
