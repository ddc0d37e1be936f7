#include "fit.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include <Eigen/Dense>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/cost/reduction/predictor.hpp>

namespace skel::training {

namespace {

/// min |J c - z| with c >= 0, from a first c: one coordinate after the other.
void least_squares(Eigen::MatrixXd const& j, Eigen::VectorXd const& z, Eigen::VectorXd& c) {
  Eigen::MatrixXd const gram = j.transpose() * j;
  Eigen::VectorXd slope = gram * c - j.transpose() * z;
  double const tolerance = 1e-10 * (j.transpose() * z).cwiseAbs().maxCoeff();
  for (int sweep = 0; sweep < 2000; ++sweep) {
    double most = 0;
    for (Eigen::Index k = 0; k < c.size(); ++k) {
      if (gram(k, k) <= 0) continue;
      double const next = std::max(0.0, c[k] - slope[k] / gram(k, k));
      double const step = next - c[k];
      if (step == 0) continue;
      slope += step * gram.col(k);
      c[k] = next;
      most = std::max(most, std::abs(step) * gram(k, k));
    }
    if (most <= tolerance) return;
  }
}

}  // namespace

std::vector<double> fit_positive(std::vector<std::vector<double>> const& rows, std::vector<double> const& times,
                                 std::vector<double> const& weights) {
  SKEL_EXPECTS(!rows.empty() && rows.size() == times.size());
  SKEL_EXPECTS(weights.empty() || weights.size() == rows.size());
  auto const count = static_cast<Eigen::Index>(rows.size()), terms = static_cast<Eigen::Index>(rows.front().size());
  Eigen::MatrixXd x(count, terms);
  for (Eigen::Index r = 0; r < count; ++r)
    for (Eigen::Index k = 0; k < terms; ++k) x(r, k) = rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(k)];
  Eigen::VectorXd const y = Eigen::Map<Eigen::VectorXd const>(times.data(), count);
  Eigen::ArrayXd w = Eigen::ArrayXd::Ones(count);
  if (!weights.empty()) w = Eigen::Map<Eigen::ArrayXd const>(weights.data(), count);
  Eigen::ArrayXd const root = w.sqrt();
  Eigen::VectorXd scale = x.colwise().maxCoeff().transpose();
  for (double& one : scale) one = one > 0 ? one : 1;
  x = (x.array().rowwise() / scale.transpose().array()).matrix();

  auto const error_of = [&](Eigen::VectorXd const& c) {
    Eigen::ArrayXd const sums = (x * c).array();
    return sums.minCoeff() <= 0 ? HUGE_VAL : (w * (sums.log() - y.array().log()).square()).sum();
  };
  // First, relative errors: sum/y - 1 is about the logarithm where it is small.
  Eigen::VectorXd c = Eigen::VectorXd::Zero(terms);
  least_squares((x.array().colwise() * (root / y.array())).matrix(), root.matrix(), c);
  c.array() += 1e-9 * std::max(c.maxCoeff(), 1e-300);  // no sum is 0
  double error = error_of(c);
  for (int step = 0; step < 60; ++step) {
    Eigen::ArrayXd const sums = (x * c).array();
    Eigen::MatrixXd const j = (x.array().colwise() * (root / sums)).matrix();
    // ln(sum) at c + d is about ln(sum at c) + J d, and J c = 1.
    Eigen::VectorXd const z = (root * (1 + y.array().log() - sums.log())).matrix();
    Eigen::VectorXd next = c;
    least_squares(j, z, next);
    bool better = false;
    for (double length = 1; length > 1e-3 && !better; length /= 2) {
      Eigen::VectorXd const tried = c + length * (next - c);
      double const there = error_of(tried);
      if (there < error) {
        better = error - there > 1e-9 * error;
        c = tried;
        error = there;
        if (!better) break;
      }
    }
    if (!better) break;
  }
  std::vector<double> result(static_cast<std::size_t>(terms));
  for (Eigen::Index k = 0; k < terms; ++k)
    if (x.col(k).maxCoeff() > 0) result[static_cast<std::size_t>(k)] = c[k] / scale[k];
  return result;
}

namespace {

using constants = std::vector<double>;  // by mechanism

double sum_of(cost::mechanism_amounts const& amounts, constants const& seconds) {
  double sum = 0;
  for (std::size_t k = 0; k < amounts.size(); ++k) sum += amounts[k] * seconds[k];
  return std::max(sum, shortest);
}

/// Two rows for each sample: of an execution, and of the first use.
struct rows {
  std::vector<std::vector<double>> amounts;
  std::vector<double> seconds;

  void add(reduction_sample const& one, cost::cache_sizes const& caches) {
    auto const run = cost::amounts_of_run(one.algorithm, one.problem, caches);
    auto both = cost::amounts_of_setup(one.algorithm, one.problem);
    for (std::size_t k = 0; k < both.size(); ++k) both[k] += run[k];
    amounts.emplace_back(run.begin(), run.end());
    amounts.emplace_back(both.begin(), both.end());
    seconds.push_back(std::max(shortest, one.measured.run));
    seconds.push_back(std::max(shortest, one.measured.run + one.measured.setup));
  }
  double off(std::size_t row, constants const& by) const {
    double sum = 0;
    for (std::size_t k = 0; k < by.size(); ++k) sum += amounts[row][k] * by[k];
    return std::log(seconds[row] / std::max(sum, shortest));
  }
};

/// Two more fits, with less weight on samples far from the fit before.
constants fit_robustly(rows const& of) {
  constants found = fit_positive(of.amounts, of.seconds);
  constexpr double reach = 1.345;  // where the estimate is as good as least squares to 95 % for normal errors
  for (int round = 0; round < 2; ++round) {
    std::vector<double> off(of.seconds.size()), weights(of.seconds.size());
    for (std::size_t r = 0; r < off.size(); ++r) off[r] = of.off(r, found);
    double const near = reach * std::max(1e-6, statistics::deviation(off));
    for (std::size_t r = 0; r < off.size(); ++r) weights[r] = std::min(1.0, near / std::max(1e-12, std::abs(off[r])));
    found = fit_positive(of.amounts, of.seconds, weights);
  }
  return found;
}

constants fit_without(std::span<reduction_sample const> samples, cost::cache_sizes const& caches,
                      std::string const& kind) {
  rows all;
  for (auto const& one : samples)
    if (kind.empty() || kind_of(one.program) != kind) all.add(one, caches);
  return fit_robustly(all);
}

cost::reduction_time predicted(reduction_sample const& one, cost::knowledge how, constants const& by,
                               cost::cache_sizes const& caches) {
  auto const problem = one.known_by(how);
  return {sum_of(cost::amounts_of_setup(one.algorithm, problem), by),
          sum_of(cost::amounts_of_run(one.algorithm, problem, caches), by), 0};
}

}  // namespace

std::string kind_of(std::string const& program) {
  std::string const kind = program.substr(0, program.find('-'));
  bool const is_cell = kind.size() > 1 && kind[0] == 'N' && std::isdigit(static_cast<unsigned char>(kind[1])) != 0;
  if (!is_cell) return kind;
  std::size_t sum = 0;
  for (char const c : program) sum = sum * 31 + static_cast<unsigned char>(c);
  return "experiment " + std::to_string(sum % 4);
}

platform::fitted_errors errors_of(std::span<reduction_sample const> samples, std::vector<held_out> const& predictions,
                                  cost::knowledge how, std::vector<std::string> const& algorithms,
                                  std::string const& without) {
  std::size_t const n = algorithms.size();
  std::vector<std::vector<double>> runs(n), firsts(n);  // by algorithm, in the order of the problems
  std::vector<double> noise;
  for (auto const& one : predictions) {
    auto const& sample = samples[one.sample];
    if (!without.empty() && kind_of(sample.program) == without) continue;
    auto const place = std::ranges::find(algorithms, plan::name_of(sample.algorithm));
    if (place == algorithms.end()) continue;
    auto const k = static_cast<std::size_t>(place - algorithms.begin());
    auto const& guess = one.known_by(how);
    runs[k].push_back(std::log(std::max(shortest, sample.measured.run) / guess.run));
    firsts[k].push_back(
        std::log(std::max(shortest, sample.measured.setup + sample.measured.run) / (guess.setup + guess.run)));
    noise.push_back(sample.spread);
  }
  platform::fitted_errors errors;
  errors.covariance.assign(n * n, 0);
  for (std::size_t k = 0; k < n; ++k) {
    errors.mean.push_back(statistics::mean(runs[k]));
    errors.first_mean.push_back(statistics::mean(firsts[k]));
    double squares = 0;
    for (double const one : firsts[k]) squares += std::pow(one - errors.first_mean[k], 2);
    errors.first_deviation.push_back(std::sqrt(squares / static_cast<double>(firsts[k].size())));
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      SKEL_EXPECTS(runs[i].size() == runs[j].size());
      double sum = 0;
      for (std::size_t p = 0; p < runs[i].size(); ++p)
        sum += (runs[i][p] - errors.mean[i]) * (runs[j][p] - errors.mean[j]);
      errors.covariance[i * n + j] = errors.covariance[j * n + i] = sum / static_cast<double>(runs[i].size());
    }
  // Timings that never differ would be believed for ever.
  errors.noise = std::max(0.005, statistics::median(noise));
  return errors;
}

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (auto const& traits : plan::reduction_catalogue()) names.emplace_back(traits.name);
  return names;
}

constants_fit fit_constants(std::span<reduction_sample const> samples, cost::cache_sizes const& caches) {
  std::set<std::string> kinds;
  for (auto const& one : samples) kinds.insert(kind_of(one.program));
  SKEL_EXPECTS(kinds.size() > 1);
  constants_fit result;
  for (auto const& kind : kinds) {
    auto const by = fit_without(samples, caches, kind);
    for (std::size_t k = 0; k < samples.size(); ++k)
      if (kind_of(samples[k].program) == kind)
        result.predictions.push_back({k,
                                      {predicted(samples[k], cost::knowledge::sizes, by, caches),
                                       predicted(samples[k], cost::knowledge::sampled, by, caches),
                                       predicted(samples[k], cost::knowledge::counted, by, caches)}});
  }
  std::ranges::sort(result.predictions, {}, &held_out::sample);
  auto& fitted = result.fitted;
  auto const seconds = fit_without(samples, caches, {});
  for (std::size_t k = 0; k < seconds.size(); ++k)
    fitted.seconds.emplace(cost::name_of(static_cast<cost::mechanism>(k)), seconds[k]);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    fitted.most_parts = std::max(fitted.most_parts, samples[k].problem.pattern.parts);
    fitted.patterns += k == 0 || samples[k].problem != samples[k - 1].problem;
  }
  auto const names = algorithm_names();
  fitted.by_sizes = errors_of(samples, result.predictions, cost::knowledge::sizes, names);
  fitted.sampled = errors_of(samples, result.predictions, cost::knowledge::sampled, names);
  fitted.counted = errors_of(samples, result.predictions, cost::knowledge::counted, names);
  return result;
}

}  // namespace skel::training
