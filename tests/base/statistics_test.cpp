#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <skel/base/statistics.hpp>

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
  EXPECT_TRUE(std::isnan(statistics::robust_mean({})));
}

TEST(Statistics, DeviationEstimatesTheStandardDeviationAndIgnoresAMinority) {
  EXPECT_NEAR(statistics::deviation({1, 2, 3, 4, 5, 6, 7, 8, 9}), 1.4826 * 2, 1e-12);
  EXPECT_NEAR(statistics::deviation({1, 2, 3, 4, 5, 6, 7, 8, 1e9}), 1.4826 * 2, 1e-12);
}

TEST(Statistics, RobustMeanLeavesSpikesOut) {
  EXPECT_NEAR(statistics::robust_mean({1.0, 1.1, 0.9, 1.05, 0.95, 100}), 1.0, 1e-12);
  EXPECT_NEAR(statistics::robust_mean({2, 2, 2, 500}), 2, 1e-12) << "samples that are all alike";
}

}  // namespace
