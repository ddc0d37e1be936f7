#include <skel/detail/cost/reduction/disturbed.hpp>

#include <cmath>
#include <cstddef>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "planted.hpp"

namespace {

namespace cost = skel::cost;
using skel::plan::reduction_algorithm;

/// Planted samples whose times scatter by 5 %; where `disturbs(problem)`, algorithms with several threads take 2.5
/// times as long.
template <class Disturbs>
cost::reduction_samples scattered(std::size_t problems, Disturbs disturbs) {
  cost::reduction_samples all;
  all.samples = skel::testing_cost::planted_samples(problems);
  std::mt19937_64 dice(3);
  std::normal_distribution<> normal(0, 0.05);
  for (std::size_t k = 0; k < all.samples.size(); ++k) {
    std::size_t const problem = k / skel::plan::reduction_algorithms;
    auto& sample = all.samples[k];
    all.points.push_back(problem);
    sample.measured.run *= std::exp(normal(dice));
    if (sample.algorithm != reduction_algorithm::sequential && disturbs(problem)) sample.measured.run *= 2.5;
  }
  return all;
}

TEST(DisturbedSamples, AreLeftOutAndHardlyAnyOther) {
  auto const all = scattered(300, [](std::size_t problem) { return problem % 20 == 0; });
  std::size_t planted = 0, real = 0, found = 0, wrongly = 0;
  auto const quiet = cost::without_disturbed(all);
  std::set<std::size_t> const kept(quiet.kept.points.begin(), quiet.kept.points.end());
  for (std::size_t k = 0; k < all.samples.size(); k += skel::plan::reduction_algorithms) {
    std::size_t const problem = all.points[k];
    bool const is_left_out = kept.count(problem) == 0;
    if (all.samples[k].problem.virtual_threads) {
      EXPECT_FALSE(is_left_out) << "on virtual threads";
      continue;
    }
    ++real;
    bool const is_planted = problem % 20 == 0;
    planted += is_planted;
    found += is_planted && is_left_out;
    wrongly += !is_planted && is_left_out;
  }
  EXPECT_EQ(quiet.left_out, found + wrongly);
  EXPECT_GE(found, planted * 3 / 4) << "of " << planted;
  EXPECT_LE(wrongly, real / 20) << "of " << real;
  EXPECT_EQ(quiet.kept.samples.size(), quiet.kept.points.size());
  EXPECT_EQ(quiet.kept.problems() + quiet.left_out, all.problems());
}

TEST(DisturbedSamples, NothingIsLeftOutOfAFew) {
  auto const all = scattered(10, [](std::size_t) { return false; });
  auto const quiet = cost::without_disturbed(all);
  EXPECT_EQ(quiet.left_out, 0U);
  EXPECT_EQ(quiet.kept, all);
}

}  // namespace
