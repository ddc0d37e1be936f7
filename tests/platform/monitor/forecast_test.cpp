#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/platform/forecast.hpp>

namespace {

using skel::platform::forecaster;

constexpr std::size_t length = 4000;

/// A kind of series; each seed is another one.
struct series {
  std::string name;
  std::function<std::vector<double>(unsigned)> make;
};

template <class Next>
std::function<std::vector<double>(unsigned)> values(Next next) {
  return [next](unsigned seed) {
    std::mt19937 random(seed);
    std::vector<double> out;
    double last = 0;
    for (std::size_t i = 0; i < length; ++i) out.push_back(last = next(random, i, last));
    return out;
  };
}

double normal(std::mt19937& random) {
  return std::normal_distribution<double>()(random);
}

std::vector<series> const kinds{
    {"noise", values([](auto& r, std::size_t, double) { return 10 + normal(r); })},
    {"autoregressive", values([](auto& r, std::size_t, double last) { return 0.9 * last + normal(r); })},
    {"randomwalk", values([](auto& r, std::size_t, double last) { return last + normal(r); })},
    {"steps",
     values([](auto& r, std::size_t i, double) { return 5.0 * static_cast<double>(i / 300 % 2) + 0.5 * normal(r); })},
    {"spikes", values([](auto& r, std::size_t i, double) { return 1 + 0.1 * normal(r) + (i % 37 == 5 ? 50 : 0); })},
    {"periodic",
     values([](auto& r, std::size_t i, double) { return std::sin(0.2 * static_cast<double>(i)) + 0.2 * normal(r); })},
    {"trend", values([](auto& r, std::size_t i, double) { return 0.01 * static_cast<double>(i) + normal(r); })},
    {"bursts", values([](auto& r, std::size_t, double last) {
       return std::uniform_int_distribution<int>(0, 29)(r) == 0 ? 1 - last : last;
     })},
    {"constant", values([](auto&, std::size_t, double) { return 3.0; })},
};

class Forecast : public testing::TestWithParam<series> {};

TEST_P(Forecast, IsHardlyWorseThanTheBestMethodInHindsight) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    forecaster of;
    double missed = 0;
    for (double value : GetParam().make(seed)) {
      if (of.values() > 0) missed += std::abs(value - of.next().value);
      of.add(value);
    }
    auto const all = of.errors();
    double const best =
        std::ranges::min_element(all, {}, &forecaster::method_error::mean_absolute_error)->mean_absolute_error;
    EXPECT_LE(missed / (length - 1), 1.02 * best) << "seed " << seed << ", " << of.next().method;
  }
}

TEST_P(Forecast, SaysHowFarOffItIs) {
  forecaster of;
  double missed = 0;
  auto const all = GetParam().make(7);
  for (std::size_t i = 0; i < length; ++i) {
    if (i >= length / 2) missed += std::abs(all[i] - of.next().value);
    of.add(all[i]);
  }
  missed /= length / 2;
  EXPECT_NEAR(of.next().error, missed, 0.4 * missed);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Forecast, testing::ValuesIn(kinds), [](auto const& one) { return one.param.name; });

std::vector<double> noise(std::size_t count, unsigned seed, double level = 10) {
  std::mt19937 random(seed);
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(level + normal(random));
  return out;
}

TEST(Forecaster, KnowsNothingAtFirst) {
  forecaster of;
  EXPECT_TRUE(std::isnan(of.next().value));
  EXPECT_TRUE(std::isinf(of.next().error));
  of.add(2);
  EXPECT_EQ(of.next().value, 2);
  EXPECT_TRUE(std::isinf(of.next().error));
}

TEST(Forecaster, IsNotMovedByOutliers) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    forecaster with, without;
    for (double value : noise(200, seed)) with.add(value), without.add(value);
    with.add(1e6);
    EXPECT_NEAR(with.next().value, without.next().value, 1) << seed;
    with.add(-1e6);
    EXPECT_NEAR(with.next().value, without.next().value, 1) << seed;
    for (double value : noise(5, seed + 100)) with.add(value), without.add(value);
    EXPECT_EQ(with.outliers(), without.outliers() + 2) << seed;
    EXPECT_EQ(with.steps(), without.steps()) << seed;
  }
}

TEST(Forecaster, RecognisesAStepAsOne) {
  std::size_t late = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    forecaster of;
    for (double value : noise(200, seed, 10)) of.add(value);
    auto const before = of.steps();
    std::size_t values = 1;
    for (double value : noise(50, seed + 1000, 20)) {
      of.add(value);
      if (of.steps() == before) ++values;
    }
    EXPECT_EQ(of.steps(), before + 1) << seed;
    EXPECT_NEAR(static_cast<double>(of.last_step()), 200, 2) << seed;
    EXPECT_NEAR(of.next().value, 20, 1) << seed;
    late += values > 4;
  }
  EXPECT_LE(late, 2U);
}

TEST(Forecaster, IsAsSureAfterAStepAsItWas) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 0.01);
    forecaster of;
    for (int i = 0; i < 60; ++i) of.add(1 + noise(random));
    double const before = of.next().usual;
    auto const steps = of.steps();
    int values = 0;
    for (; of.steps() == steps && values < 10; ++values) of.add(0.1 + noise(random));
    ASSERT_LT(values, 10) << seed;
    EXPECT_LT(of.next().usual, 2 * before) << seed;  // and not the 0.9 by which the step was missed
    EXPECT_GT(of.next().error, 2 * before) << seed;
  }
}

TEST(Forecaster, FollowsASeriesThatScattersMoreThanBefore) {
  forecaster of;
  for (double value : noise(200, 1)) of.add(value);
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) of.add(10 + 50 * normal(random));
  EXPECT_NEAR(of.next().error, 40, 15);
}

TEST(Forecaster, IsAValue) {
  forecaster one;
  for (double value : noise(300, 3)) one.add(value);
  forecaster two = one;
  two.add(99);
  EXPECT_EQ(one.values() + 1, two.values());
  one.add(99);
  EXPECT_EQ(one.next().value, two.next().value);
  forecaster three;
  three = std::move(two);
  EXPECT_EQ(three.next().value, one.next().value);
}

TEST(Forecaster, NamesEveryMethodOnce) {
  forecaster of;
  of.add(1);
  std::set<std::string> names;
  for (auto const& one : of.errors()) EXPECT_TRUE(names.insert(one.method).second) << one.method;
  EXPECT_TRUE(names.contains("AR(16)"));
  EXPECT_TRUE(names.contains("sliding median of 21 (cleaned)"));
}

}  // namespace
