#include "maxwell/oscillation.hpp"

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "maxwell/cavity_mode.hpp"

namespace maxwell {
namespace {

std::vector<double> samples_of(double frequency, double decay, double dt, std::size_t count, double noise = 0) {
  std::mt19937 random(1);
  std::normal_distribution<double> some;
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i) {
    double const t = dt * static_cast<double>(i);
    all.push_back(std::exp(-decay * t) * std::cos(frequency * t + 0.2) + noise * some(random));
  }
  return all;
}

TEST(Oscillation, IsFoundInItsSamples) {
  for (double const about : {5.4, 5.2, 5.7})
    for (double const decay : {0.0, 0.3}) {
      auto const found = fitted(samples_of(5.4414, decay, 0.01, 700), 0.01, about);
      ASSERT_TRUE(found);
      EXPECT_NEAR(found->frequency, 5.4414, 1e-4) << decay;
      EXPECT_NEAR(found->decay, decay, 1e-4);
    }
}

TEST(Oscillation, HardlyChangesWithNoiseOrOthersBesideIt) {
  EXPECT_NEAR(fitted(samples_of(5.4414, 0, 0.01, 1000, 1e-3), 0.01, 5.4)->frequency, 5.4414, 1e-3);
  auto both = samples_of(5.4414, 0, 0.01, 1000);
  auto const other = samples_of(9.4, 0, 0.01, 1000);
  for (std::size_t i = 0; i < both.size(); ++i) both[i] += 0.3 * other[i];
  EXPECT_NEAR(fitted(both, 0.01, 5.4)->frequency, 5.4414, 1e-3);
}

TEST(Oscillation, IsNothingWhereThereIsNone) {
  EXPECT_FALSE(fitted(samples_of(5.4, 0, 0.01, 450), 0.01, 5.4));
  EXPECT_FALSE(fitted(samples_of(9.4, 0, 0.01, 1000), 0.01, 5.4));
  EXPECT_FALSE(fitted(std::vector<double>(1000, 0.0), 0.01, 5.4));
  EXPECT_FALSE(fitted({}, 0.01, 5.4));
}

TEST(CavityMode, SolvesMaxwellSEquations) {
  material const matter{.permittivity = 2, .permeability = 1.5};
  double const h = 1e-4;
  for (auto const& numbers : {std::array{1U, 1U, 0U}, {0U, 2U, 1U}, {1U, 1U, 1U}, {2U, 1U, 3U}}) {
    cavity_mode const mode(numbers, matter);
    point const x{0.31, 0.57, 0.22};
    double const t = 0.4;
    auto const curl = [&](auto const& field) {
      std::array<point, 3> d{};  // of the field along each axis
      for (std::size_t a = 0; a < 3; ++a) {
        point up = x, down = x;
        up[a] += h, down[a] -= h;
        auto const f = field(up), g = field(down);
        for (std::size_t b = 0; b < 3; ++b) d[a][b] = (f[b] - g[b]) / (2 * h);
      }
      return point{d[1][2] - d[2][1], d[2][0] - d[0][2], d[0][1] - d[1][0]};
    };
    auto const of_H = curl([&](point const&at) { return mode.H(at, t); }),
               of_E = curl([&](point const&at) { return mode.E(at, t); });
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_NEAR(matter.permittivity * (mode.E(x, t + h)[a] - mode.E(x, t - h)[a]) / (2 * h), of_H[a], 1e-5);
      EXPECT_NEAR(matter.permeability * (mode.H(x, t + h)[a] - mode.H(x, t - h)[a]) / (2 * h), -of_E[a], 1e-5);
    }
    for (std::size_t a = 0; a < 3; ++a) {  // nothing along a wall
      point wall = x;
      wall[a] = 1;
      for (std::size_t b = 0; b < 3; ++b) EXPECT_NEAR(a == b ? 0 : mode.E(wall, t)[b], 0, 1e-15);
    }
  }
}

TEST(CavityMode, NeedsTwoNumbers) {
  EXPECT_THROW(cavity_mode({0, 3, 0}), skel::error);
  EXPECT_THROW(cavity_mode({0, 0, 0}), skel::error);
}

}  // namespace
}  // namespace maxwell
