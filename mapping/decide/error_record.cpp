#include <skel/detail/mapping/error_record.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>

namespace skel::mapping {
namespace {

/// Reach of Huber's estimator for 95 % of the mean's efficiency on normal numbers, and their E[min(|z|, 1.345)^2].
constexpr double reach = 1.345, reached = 0.7102;

/// A mean over the prior's observations and the real ones. The part of the prior's that is no longer its own counts as
/// the observations do.
double mean_with(error_record const& of, double prior, double sum) {
  double const weight = of.observed.weight;
  if (weight == 0) return prior;
  double const assumed = of.prior_share * prior + (1 - of.prior_share) * sum / weight;
  return (prior_weight * assumed + sum) / (prior_weight + weight);
}

double mean_square(error_record const& of) {
  return mean_with(of, of.prior * of.prior, of.observed.second);
}

/// The last observations by their median and median deviation.
error_record::sums recent(error_record const& of, unsigned long long count) {
  count = std::min<unsigned long long>(count, of.last.size());
  std::vector<double> errors;
  for (auto k = of.total - count; k < of.total; ++k) errors.push_back(of.last[k % of.last.size()]);
  double const centre = statistics::median(errors), deviation = statistics::deviation(errors);
  auto const weight = static_cast<double>(count);
  return {weight, weight * centre, weight * (centre * centre + deviation * deviation)};
}

}  // namespace

double widening(double freedom) {
  return std::sqrt(freedom / (2 * std::numbers::pi)) * std::beta((freedom - 1) / 2, 0.5);
}

double error_record::expected_error() const {
  return widening(prior_weight + observed.weight) * std::sqrt(mean_square(*this));
}

double error_record::lately() const {
  SKEL_EXPECTS(observed.weight > 0);
  auto const since =
      std::min({static_cast<std::size_t>(std::ceil(observed.weight)), static_cast<std::size_t>(total), last.size()});
  double const believed = observed.first / observed.weight;
  if (since == 0) return believed;  // the record was made without single ones
  if (since == 1) return std::min(last[(total - 1) % last.size()], believed);
  std::vector<double> errors;
  for (auto k = total - since; k < total; ++k) errors.push_back(last[k % last.size()]);
  auto const middle = errors.begin() + static_cast<std::ptrdiff_t>((since - 1) / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  return *middle;
}

double error_record::bias() const {
  return mean_with(*this, 0, observed.first);
}

double error_record::scatter() const {
  double const mean = bias();
  return widening(prior_weight + observed.weight) * std::sqrt(std::max(0.0, mean_square(*this) - mean * mean));
}

void error_record::observe(double error, record_options const& options) {
  SKEL_EXPECTS(std::isfinite(error) && prior >= 0 && options.memory >= 1);
  double const centre = bias(), spread = scatter(), off = error - centre;
  last[total++ % last.size()] = error;
  test.interval = options.false_alarms;
  auto const alarm = test.add(off == 0 ? 0 : off / spread);
  if (alarm != cusum::alarm::none) {
    observed = recent(*this, total - (alarm == cusum::alarm::up ? up_from : down_from));
    up_from = down_from = total;
    prior_share = 1;
    ++changes;
    return;
  }
  if (test.up == 0) up_from = total;
  if (test.down == 0) down_from = total;
  double const keep = 1 - 1 / options.memory, moved = std::clamp(off, -reach * spread, reach * spread);
  prior_share *= keep;
  observed = {keep * observed.weight, keep * observed.first, keep * observed.second};
  observed.add(centre + moved, (centre + moved) * (centre + moved) + moved * moved * (1 / reached - 1));
}

}  // namespace skel::mapping
