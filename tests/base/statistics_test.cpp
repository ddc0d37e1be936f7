#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/base/statistics.hpp>

namespace {

namespace statistics = skel::statistics;

TEST(Statistics, QuantilesInterpolateBetweenOrderStatistics) {
  std::vector<double> const samples{4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(statistics::quantile(samples, 0), 1);
  EXPECT_DOUBLE_EQ(statistics::quantile(samples, 1), 4);
  EXPECT_DOUBLE_EQ(statistics::median(samples), 2.5);
  EXPECT_DOUBLE_EQ(statistics::quantile(samples, 0.25), 1.75);
}

TEST(Statistics, NoSamplesGiveNotANumber) {
  EXPECT_TRUE(std::isnan(statistics::median({})));
  EXPECT_TRUE(std::isnan(statistics::mean({})));
}

TEST(Statistics, DeviationEstimatesTheStandardDeviationAndIgnoresAMinority) {
  EXPECT_NEAR(statistics::deviation({1, 2, 3, 4, 5, 6, 7, 8, 9}), 1.4826 * 2, 1e-12);
  EXPECT_NEAR(statistics::deviation({1, 2, 3, 4, 5, 6, 7, 8, 1e9}), 1.4826 * 2, 1e-12);
}

TEST(Statistics, MedianIntervalHasTheTabulatedRanks) {
  auto const ranks = [](std::size_t n) {
    std::vector<double> samples;
    for (std::size_t i = n; i > 0; --i) samples.push_back(static_cast<double>(i));
    auto const found = statistics::median_interval(samples);
    return std::pair(found.low, found.high);
  };
  // Conover 1999, Practical Nonparametric Statistics: 95 % intervals of the median by the sign test.
  EXPECT_EQ(ranks(1), std::pair(1.0, 1.0));
  EXPECT_EQ(ranks(5), std::pair(1.0, 5.0)) << "too few: everything";
  EXPECT_EQ(ranks(6), std::pair(1.0, 6.0));
  EXPECT_EQ(ranks(9), std::pair(2.0, 8.0));
  EXPECT_EQ(ranks(21), std::pair(6.0, 16.0));
}

TEST(Statistics, MedianIntervalHoldsTheMedianAsOftenAsItSays) {
  std::mt19937_64 random(5);
  std::lognormal_distribution<> skewed(0, 1);
  int missed = 0;
  constexpr int draws = 2000;
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<double> samples(15);
    for (double& sample : samples) sample = skewed(random);
    auto const [low, high] = statistics::median_interval(samples);
    if (low > 1 || high < 1) ++missed;
  }
  EXPECT_LE(missed, draws / 20);
}

TEST(Student, HasTheTabulatedQuantiles) {
  // Abramowitz and Stegun 1964, table 26.10, to the digits that are printed there.
  EXPECT_NEAR(statistics::student_reach(0.9, 1), 6.314, 5e-4);
  EXPECT_NEAR(statistics::student_reach(0.9, 2), 2.920, 5e-4);
  EXPECT_NEAR(statistics::student_reach(0.9, 7), 1.895, 5e-4);
  EXPECT_NEAR(statistics::student_reach(0.95, 10), 2.228, 5e-4);
  EXPECT_NEAR(statistics::student_reach(0.99, 30), 2.750, 5e-4);
  EXPECT_NEAR(statistics::student_reach(0.999, 6), 5.959, 5e-4);
}

TEST(Student, NormalNumbersLieWhereTablesSay) {
  // Abramowitz and Stegun 1964, table 26.6, to the digits that are printed there; ever more degrees of freedom lead
  // there.
  EXPECT_NEAR(statistics::normal_reach(0.95), 1.95996, 5e-6);
  EXPECT_NEAR(statistics::normal_reach(0.999), 3.29053, 5e-6);
  EXPECT_NEAR(statistics::student_reach(0.9, 100000), statistics::normal_reach(0.9), 1e-4);
}

TEST(Student, IsTheInverseOfTheProbability) {
  for (int freedom : {1, 2, 3, 8, 15, 63})
    for (double probability : {0.01, 0.5, 0.9, 0.999})
      EXPECT_NEAR(statistics::student_within(statistics::student_reach(probability, freedom), freedom), probability,
                  1e-12)
          << freedom;
}

}  // namespace
