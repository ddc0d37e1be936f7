#include <skel/detail/mapping/poly_model.hpp>

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Dense>

namespace skel::mapping {
namespace {

/// Errors of n candidates, each of standard deviation `size`, with the same share in common.
known_errors alike(std::size_t n, double size, double common, double noise) {
  known_errors errors{std::vector<double>(n * n, common * size * size), noise};
  for (std::size_t k = 0; k < n; ++k) errors.covariance[k * n + k] = size * size;
  return errors;
}

/// Records of candidates 0, 1, ... that were measured once, with these errors.
std::vector<candidate_record> measured_once(std::vector<double> const& errors) {
  std::vector<candidate_record> records;
  for (std::size_t k = 0; k < errors.size(); ++k) {
    candidate_record one{k, {}};
    one.errors.prior = 1;  // nothing is an outlier
    one.errors.observe(errors[k]);
    records.push_back(one);
  }
  return records;
}

TEST(KnownErrors, AreConditionedAsNormalNumbersAre) {
  std::mt19937_64 dice(3);
  std::normal_distribution<> normal;
  for (int turn = 0; turn < 50; ++turn) {
    std::size_t const n = 5, measured = 1 + dice() % 4;
    auto const size = static_cast<Eigen::Index>(n), seen = static_cast<Eigen::Index>(measured);
    Eigen::MatrixXd factor(size, size);
    for (auto& one : factor.reshaped()) one = 0.2 * normal(dice);
    Eigen::MatrixXd const covariance = factor * factor.transpose();
    known_errors known{std::vector<double>(n * n), 0.05};
    for (Eigen::Index i = 0; i < size; ++i)
      for (Eigen::Index j = 0; j < size; ++j)
        known.covariance[static_cast<std::size_t>(i * size + j)] = covariance(i, j);
    std::vector<double> errors;
    for (std::size_t k = 0; k < measured; ++k) errors.push_back(0.3 * normal(dice));
    Eigen::VectorXd const told = Eigen::Map<Eigen::VectorXd>(errors.data(), seen);
    Eigen::MatrixXd const noisy =
        covariance.topLeftCorner(seen, seen) + 0.05 * 0.05 * Eigen::MatrixXd::Identity(seen, seen);
    Eigen::MatrixXd const gain = covariance.leftCols(seen) * noisy.inverse();
    Eigen::VectorXd const mean = gain * told;
    double const distance = told.dot(noisy.inverse() * told),
                 scale = (2 + distance) / (2 + static_cast<double>(measured));
    Eigen::MatrixXd const left = scale * (covariance - gain * covariance.topRows(seen));
    auto const now = given(known, measured_once(errors));
    for (Eigen::Index i = 0; i < size; ++i) {
      EXPECT_NEAR(now.mean[static_cast<std::size_t>(i)], mean(i), 1e-9);
      for (Eigen::Index j = 0; j < size; ++j)
        EXPECT_NEAR(now.covariance[static_cast<std::size_t>(i * size + j)], left(i, j), 1e-9);
    }
  }
}

TEST(KnownErrors, PassOverCandidatesThatTheyDoNotKnow) {
  auto records = measured_once({0.3});
  records.front().candidate = 77;
  auto const now = given(alike(2, 0.3, 0.5, 0.1), records);
  EXPECT_EQ(now.mean, (std::vector<double>{0, 0}));
}

TEST(KnownErrors, MeasurementsCountByTheirNoise) {
  auto const records = measured_once({0.4});
  auto const exact = given(alike(2, 0.2, 0.5, 1e-3), records), noisy = given(alike(2, 0.2, 0.5, 0.5), records);
  EXPECT_NEAR(exact.mean[0], 0.4, 1e-3);
  EXPECT_LT(exact.doubt(0), 0.01);
  EXPECT_NEAR(exact.mean[1], 0.2, 1e-3) << "half of it is in common";
  EXPECT_LT(noisy.mean[0], 0.1);
  EXPECT_GT(noisy.doubt(0), 0.1);
}

TEST(KnownErrors, ATrialTellsWhatCandidatesHaveNotInCommon) {
  for (double const common : {0.0, 0.5, 1.0}) {
    auto const now = given(alike(2, 0.3, common, 1e-6), {});
    EXPECT_NEAR(now.told(0, 1), (1 - common) * 0.3, 1e-9);
  }
  auto const after = given(alike(2, 0.3, 0.5, 1e-4), measured_once({0.0}));
  EXPECT_NEAR(after.told(1, 0), after.doubt(1), 1e-6) << "the other one is known";
}

TEST(KnownErrors, ChangesInTheDifferenceAreAsGreatAsATrialIsExpectedToTell) {
  // Draw errors and noise, measure candidate 1, and see how far its expected difference to candidate 0 moves: also
  // where it moves candidate 0 more than itself.
  std::mt19937_64 dice(5);
  std::normal_distribution<> normal;
  for (auto const& known :
       {known_errors{{0.04, 0.02, 0.02, 0.09}, 0.1}, known_errors{{0.25, 0.08, 0.08, 0.04}, 0.05}}) {
    double squares = 0;
    int const draws = 4000;
    for (int k = 0; k < draws; ++k) {
      double const measured = std::sqrt(known.covariance[3]) * normal(dice) + known.noise * normal(dice);
      candidate_record one{1, {}};
      one.errors.observed = {1, measured, measured * measured};
      auto const after = given(known, std::vector{one});
      squares += std::pow(after.mean[1] - after.mean[0], 2);
    }
    EXPECT_NEAR(std::sqrt(squares / draws), given(known, {}).told(1, 0), 0.03 * given(known, {}).told(1, 0));
  }
}

TEST(KnownErrors, WhatIsKnownWellIsNotToldAgain) {
  auto const once = given(alike(2, 0.3, 0.2, 0.05), measured_once({0.1, 0.1}));
  EXPECT_LT(once.told(0, 1), 0.05);
  EXPECT_GT(given(alike(2, 0.3, 0.2, 0.05), {}).told(0, 1), 0.2);
}

}  // namespace
}  // namespace skel::mapping
