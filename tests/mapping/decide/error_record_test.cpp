#include <cmath>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/mapping/error_record.hpp>

namespace skel::mapping {
namespace {

error_record after(double prior, std::vector<double> const& errors, record_options const& options = {}) {
  error_record result;
  result.prior = prior;
  for (double error : errors) result.observe(error, options);
  return result;
}

std::vector<double> normal(unsigned seed, int count, double mean, double deviation) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> draw(mean, deviation);
  std::vector<double> result;
  for (int i = 0; i < count; ++i) result.push_back(draw(random));
  return result;
}

TEST(ErrorRecord, KnowsOnlyThePriorAtFirst) {
  auto const fresh = after(0.2, {});
  EXPECT_NEAR(fresh.expected_error(), 0.2 * std::sqrt(std::acos(-1.0)), 1e-12);  // Gamma(1/2) / Gamma(1)
  EXPECT_EQ(fresh.bias(), 0);
  EXPECT_EQ(fresh.scatter(), fresh.expected_error());
}

TEST(ErrorRecord, ExpectsWhatTheInverseChiSquareDistributionDoes) {
  // M nu s^2 / chi^2_nu for nu = 2 + 5 and s^2 = (2 0.3^2 + sum) / 7, drawn.
  std::vector<double> const errors{0.1, -0.2, 0.15, 0.05, -0.1};
  record_options const for_ever{.memory = 1e9};
  auto const record = after(0.3, errors, for_ever);
  double const sum = record.observed.second;
  std::mt19937_64 random(3);
  std::chi_squared_distribution<> chi_square(7);
  double expected = 0;
  int const draws = 200'000;
  for (int i = 0; i < draws; ++i) expected += std::sqrt((2 * 0.09 + sum) / chi_square(random));
  EXPECT_NEAR(record.expected_error(), expected / draws, 0.005 * record.expected_error());
}

TEST(ErrorRecord, ConvergesToTheErrorsThatThereAre) {
  for (double prior : {0.01, 0.3, 3.0}) {
    auto const record = after(prior, normal(4, 3000, 0.3, 0.1), {.memory = 300, .false_alarms = 1e9});
    EXPECT_NEAR(record.bias(), 0.3, 0.03) << prior;
    EXPECT_NEAR(record.expected_error(), std::hypot(0.3, 0.1), 0.04) << prior;
    EXPECT_GT(record.scatter(), 0.09) << prior;
  }
}

TEST(ErrorRecord, KnowsWhatWasObservedLatelyHoweverFarItWasFromThePrior) {
  EXPECT_DOUBLE_EQ(after(0.1, {-1.5}).lately(), -1.5);          // nothing makes a measurement early
  EXPECT_LT(after(0.1, {1.5}).lately(), 0.4);                   // one that is late may have been held up
  EXPECT_DOUBLE_EQ(after(0.1, {1.5, 1.4}).lately(), 1.4);       // two have not
  EXPECT_DOUBLE_EQ(after(0.1, {0.2, 1.5, 0.1}).lately(), 0.2);  // one of three was
  auto const steady = after(0.1, normal(6, 200, 0.5, 0.02), {.memory = 300, .false_alarms = 1e9});
  EXPECT_NEAR(steady.lately(), 0.5, 0.03);
}

TEST(ErrorRecord, OneLuckyPredictionIsNotWorthManyGoodOnes) {
  auto const lucky = after(0.3, {0.0});
  auto const good = after(0.3, normal(5, 60, 0, 0.15));
  EXPECT_LT(good.expected_error(), lucky.expected_error());
  EXPECT_LT(after(0.3, std::vector(60, 0.0)).expected_error(), good.expected_error());
}

TEST(ErrorRecord, IsNotMovedByAnOutlier) {
  auto errors = normal(6, 100, 0, 0.1);
  double const before = after(0.1, errors).expected_error();
  errors.push_back(std::log(1000.0));
  auto const hit = after(0.1, errors);
  EXPECT_LT(hit.expected_error(), 1.05 * before);
  EXPECT_EQ(hit.changes, 0);
}

TEST(ErrorRecord, ForgetsEverythingWhenErrorsHaveMoved) {
  auto errors = normal(7, 200, 0, 0.05);
  ASSERT_EQ(after(0.05, errors).changes, 0);
  for (double error : normal(8, 5, 0.7, 0.05)) errors.push_back(error);
  auto const record = after(0.05, errors);
  EXPECT_EQ(record.changes, 1);
  EXPECT_GT(record.expected_error(), 0.45);
  EXPECT_LT(record.observed.weight, 8);  // the five, and what may have been taken for the beginning of the move
}

TEST(ErrorRecord, FollowsASlowChange) {
  std::vector<double> errors;
  for (int i = 0; i < 2000; ++i) errors.push_back(normal(static_cast<unsigned>(i), 1, i * 0.0005, 0.1).front());
  EXPECT_NEAR(after(0.1, errors).bias(), 0.98, 0.1);
}

TEST(ErrorRecord, TakesASteadyRecordForAChangedOneAsRarelyAsStated) {
  record_options const options{.memory = 64, .false_alarms = 500};
  unsigned long long changes = 0;
  int const observations = 200'000;
  changes = after(0.1, normal(9, observations, 0.1, 0.1), options).changes;
  // The record has to estimate what the test takes for known: twice as often is what that costs at most.
  EXPECT_LE(changes, 2 * observations / 500);
  EXPECT_GT(changes, 0);
}

TEST(ErrorRecord, BearsPredictionsThatAreExact) {
  auto const record = after(0, {0, 0, 0, 0.1, 0.1, 0.1, 0.1});
  EXPECT_GT(record.expected_error(), 0.03);
  EXPECT_EQ(after(0, {0, 0, 0}).expected_error(), 0);
}

TEST(ErrorRecord, IsAValue) {
  auto const errors = normal(10, 50, 0.2, 0.3);
  auto const first = after(0.2, {errors.begin(), errors.begin() + 25});
  auto copy = first;
  for (auto error = errors.begin() + 25; error != errors.end(); ++error) copy.observe(*error);
  EXPECT_EQ(copy, after(0.2, errors));
}

}  // namespace
}  // namespace skel::mapping
