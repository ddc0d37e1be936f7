#include "train/positive_fit.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace {

using skel::training::fit_positive;

struct planted_rows {
  std::vector<std::vector<double>> rows;
  std::vector<double> times;
};

planted_rows plant(std::vector<double> const& coefficients, std::size_t count, double noise, unsigned seed) {
  std::mt19937_64 dice(seed);
  std::lognormal_distribution<> amount(0, 2), error(0, noise);
  planted_rows result;
  for (std::size_t r = 0; r < count; ++r) {
    std::vector<double> row;
    double sum = 0;
    for (double const c : coefficients) {
      row.push_back(amount(dice));
      sum += c * row.back();
    }
    result.rows.push_back(row);
    result.times.push_back(noise > 0 ? sum * error(dice) : sum);
  }
  return result;
}

TEST(PositiveFit, FindsTheCoefficientsThatMadeTheTimes) {
  std::vector<double> const planted{2e-9, 0, 5e-7, 3e-8};
  auto const data = plant(planted, 200, 0, 1);
  auto const found = fit_positive(data.rows, data.times);
  for (std::size_t k = 0; k < planted.size(); ++k) EXPECT_NEAR(found[k], planted[k], 1e-3 * planted[k] + 1e-13) << k;
}

TEST(PositiveFit, IsNeverNegativeAlsoWhereTimesFallWithATerm) {
  std::mt19937_64 dice(2);
  std::uniform_real_distribution<> amount(0.1, 1);
  std::vector<std::vector<double>> rows;
  std::vector<double> times;
  for (int r = 0; r < 100; ++r) {
    rows.push_back({1, amount(dice), 0});
    times.push_back(2 - rows.back()[1]);
  }
  auto const found = fit_positive(rows, times);
  for (double const c : found) EXPECT_GE(c, 0);
  EXPECT_NEAR(found[1], 0, 1e-6);
  EXPECT_EQ(found[2], 0) << "a term that never occurs";
}

TEST(PositiveFit, RowsOfLittleWeightHardlyCount) {
  auto data = plant({1e-9, 4e-9}, 100, 0, 3);
  std::vector<double> weights(100, 1);
  for (std::size_t r = 0; r < 100; r += 4) data.times[r] *= 50, weights[r] = 1e-9;
  auto const found = fit_positive(data.rows, data.times, weights);
  EXPECT_NEAR(found[0], 1e-9, 1e-11);
  EXPECT_NEAR(found[1], 4e-9, 4e-11);
}

}  // namespace
