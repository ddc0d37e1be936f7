#include "positive_fit.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include <skel/detail/base/contract.hpp>

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

}  // namespace skel::training
