#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/pattern/pattern_features.hpp>
#include <skel/detail/pattern/sampled_features.hpp>
#include <skel/detail/runtime/reduction/characterise.hpp>

#include "random_pattern.hpp"

namespace {

using namespace skel;
using runtime::reduction::characterise;

pattern_features counted(pattern const& of, std::size_t parts) {
  runtime::thread_team team(parts);
  return characterise(of, team);
}

TEST(Sample, CountsWhatItSeesWhereItSeesAll) {
  // 24 windows of 4 iterations with two subscripts each are all that there is.
  for (std::size_t const parts : {1u, 2u, 7u, 32u}) {
    auto const of = make_pattern(synthetic_pattern{100, 0.96, 2, parts, 0.5, 4, 0.5, 0.1}, 3);
    ASSERT_EQ(of.subscripts(), sampled_subscripts);
    auto const seen = sampled_features(of, parts, 8), all = counted(of, parts);
    EXPECT_DOUBLE_EQ(seen.copies, all.copies) << parts;
    EXPECT_DOUBLE_EQ(seen.crossing, all.crossing) << parts;
    EXPECT_EQ(seen.elements, all.elements);
    EXPECT_EQ(seen.iterations, all.iterations);
    EXPECT_EQ(seen.subscripts, all.subscripts);
    EXPECT_EQ(seen.parts, all.parts);
  }
}

TEST(Sample, IsNearWhereSubscriptsAreDrawnAtRandom) {
  for (std::size_t const parts : {2u, 8u, 32u})
    for (double const connectivity : {0.5, 2.0, 8.0}) {
      auto const of = make_pattern(synthetic_pattern{40000, connectivity, 2, parts, 1, 1, 0, 0}, 9);
      auto const seen = sampled_features(of, parts, 8), all = counted(of, parts);
      // Of a hundred iterations shares are known to 0.05, of 24 samples to 0.1: three standard deviations.
      EXPECT_NEAR(seen.copies, all.copies, 0.15);
      EXPECT_NEAR(seen.crossing, all.crossing, 0.15);
      EXPECT_NEAR(seen.load, all.load, 0.3 * all.load);
      EXPECT_NEAR(seen.mixing, 1 - 1 / double(parts), 0.3);
      EXPECT_NEAR(seen.sparsity, all.sparsity, 0.3);
      EXPECT_NEAR(seen.contended, all.contended, 0.3);
      EXPECT_NEAR(seen.privates, all.privates, 0.3 * std::max(1.0, all.privates));
      EXPECT_NEAR(seen.private_subscripts, all.private_subscripts, 0.3);
    }
}

TEST(Sample, TellsRegionsOfThreadsFromElementsThatAllShare) {
  synthetic_lattice wanted{40000, 3, 2, 2, 1};
  auto const in_order = make_lattice(wanted, 1);
  wanted.iteration_run = 1;
  auto const mixed = make_lattice(wanted, 1);
  wanted.element_run = 1;
  auto const random = make_lattice(wanted, 1);
  for (std::size_t const parts : {2u, 16u}) {
    auto const a = sampled_features(in_order, parts, 8), b = sampled_features(mixed, parts, 8),
               c = sampled_features(random, parts, 8);
    EXPECT_LT(a.mixing, b.mixing);  // with 16 threads there are 15 borders between 24 samples
    EXPECT_LT(a.mixing, c.mixing);
    EXPECT_LT(a.contended, b.contended);
    EXPECT_LT(a.turnover, b.turnover);
  }
}

TEST(Sample, HasAnAnswerForEveryPattern) {
  std::vector<pattern> all{pattern(),
                           pattern(0, 10, std::vector<subscript>{}),
                           pattern(1, 1, std::vector<subscript>{0}),
                           pattern(3, 5, std::vector<subscript>{4, 4, 0, 1, 2, 3}),
                           pattern::rows(7, {0, 0, 0, 3}, std::vector<subscript>{1, 2, 6}),
                           pattern::rows(7, {0, 0, 0}, std::vector<subscript>{}),
                           tests::random_pattern({500, 70, 3, true}, 3)};
  all.push_back(pattern(1, 2000, std::vector<subscript>(3000, 7)));  // one long iteration
  std::vector<subscript> far(400);
  for (std::size_t k = 0; k < far.size(); ++k) far[k] = k % 2 == 0 ? 0 : (1u << 31) - 1;
  all.push_back(pattern(200, std::size_t{1} << 31, far));
  for (auto const& of : all)
    for (std::size_t const parts : {1u, 3u, 64u, 65u, 1000u}) {
      auto const seen = sampled_features(of, parts, 8);
      for (auto const& feature : feature_list) {
        double const value = feature.value(seen);
        EXPECT_TRUE(std::isfinite(value)) << feature.name;
        EXPECT_GE(value, 0) << feature.name;
      }
      EXPECT_LE(seen.crossing, 1);
      EXPECT_LE(seen.contended, 1);
      EXPECT_LE(seen.sparsity, 1 + 1e-9);
      EXPECT_LE(seen.mixing, 1);
      EXPECT_LE(seen.turnover, 1);
      EXPECT_GE(seen.copies, seen.iterations == 0 ? 0 : 1);
    }
}

TEST(Sample, IsPartOfACount) {
  auto const of = tests::random_pattern({5000, 700, 3, true}, 3);
  auto const features = counted(of, 4), seen = sampled_features(of, 4, 8);
  EXPECT_EQ(features.mixing, seen.mixing);
}

}  // namespace
