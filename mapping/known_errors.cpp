#include <skel/detail/mapping/known_errors.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <skel/detail/base/contract.hpp>

namespace skel::mapping {
namespace {

/// The first of the candidates by their corrected times, or one that it pays to try (mapping::choose()). `told(first,
/// i)`: standard deviation of what trying candidate i tells of its difference to the first.
template <class Told>
candidate_choice choose_by(std::vector<corrected_time> const& times, Told told,
                           std::span<candidate_time const> candidates, double uses, double trial_uses) {
  SKEL_EXPECTS(!candidates.empty() && uses >= 0 && trial_uses >= 0);
  auto const each = [&](std::size_t i) {  // of one use, with its share of the entry
    return times[i].seconds + (candidates[i].entry > 0 ? candidates[i].entry / uses : 0);
  };
  std::size_t first = 0;
  for (std::size_t i = 1; i < candidates.size(); ++i)
    if (each(i) < each(first)) first = i;
  double const least = each(first);
  candidate_choice result{first, times[first], false};
  double most = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (i == first) continue;
    double const sigma = told(first, i) * times[i].seconds / each(i), mean = std::log(each(i) / least);
    if (!(sigma > 0)) continue;
    double const z = mean / sigma, below = 0.5 * std::erfc(z / std::numbers::sqrt2),
                 density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    double const faster = sigma * (density - z * below), slower = faster + mean;
    double const gain = uses * faster - trial_uses * slower - candidates[i].entry / least * (1 - below);
    if (gain > most) most = gain, result = {i, times[i], true};
  }
  return result;
}

}  // namespace

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
  double squares = prior_weight, count = prior_weight;  // of errors over what they were expected to be
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
  for (double& one : now.covariance) one *= squares / count;
  return now;
}

candidate_choice choose(expected_errors const& errors, std::span<candidate_time const> candidates, double uses,
                        double trial_uses) {
  std::vector<corrected_time> times;
  times.reserve(candidates.size());
  for (auto const& one : candidates) {
    SKEL_EXPECTS(one.candidate < errors.mean.size());
    double const bias = errors.mean[one.candidate], doubt = errors.doubt(one.candidate);
    times.push_back({one.predicted * std::exp(bias), bias, doubt, doubt});
  }
  auto const told = [&](std::size_t first, std::size_t i) {
    return errors.told(candidates[i].candidate, candidates[first].candidate);
  };
  return choose_by(times, told, candidates, uses, trial_uses);
}

candidate_choice choose(double prior, std::span<candidate_record const> records,
                        std::span<candidate_time const> candidates, double uses, double trial_uses) {
  std::vector<corrected_time> times;
  for (auto const& one : candidates) times.push_back(correct(prior, records, one.candidate, one.predicted));
  auto const told = [&](std::size_t, std::size_t other) { return times[other].doubt; };
  return choose_by(times, told, candidates, uses, trial_uses);
}

}  // namespace skel::mapping
