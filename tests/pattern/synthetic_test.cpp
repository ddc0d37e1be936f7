#include <skel/pattern/synthetic.hpp>

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace {

using skel::make_pattern;
using skel::pattern;
using skel::synthetic_pattern;

/// The elements that a part's iterations touch.
std::set<std::size_t> touched(pattern const& of, std::size_t parts, std::size_t part) {
  std::set<std::size_t> found;
  for (std::size_t i = of.iterations() * part / parts; i < of.iterations() * (part + 1) / parts; ++i)
    found.insert(of.row(i).begin(), of.row(i).end());
  return found;
}

std::size_t runs_of(std::set<std::size_t> const& set) {
  return static_cast<std::size_t>(
      std::count_if(set.begin(), set.end(), [&](std::size_t e) { return e == 0 || !set.contains(e - 1); }));
}

TEST(SyntheticPattern, HasTheFeaturesThatAreWanted) {
  for (double const sparsity : {0.02, 0.2, 0.75, 1.0})
    for (std::size_t const clusters : {1u, 4u, 20u})
      for (double const reach : {0.0, 0.05}) {
        synthetic_pattern const wanted{1000, 50, 2, 4, sparsity, clusters, 0.5, reach};
        auto const of = make_pattern(wanted, 7);
        EXPECT_EQ(of.iterations(), 50000u);
        EXPECT_EQ(of.width(), 2u);
        for (std::size_t part = 0; part < 4; ++part) {
          auto const set = touched(of, 4, part);  // so many draws that nearly everything is drawn
          EXPECT_NEAR(double(set.size()) / 1000, sparsity, 0.02);
          if (sparsity < 1) {
            EXPECT_LE(runs_of(set), clusters + 1) << "the last one may wrap around";
          }
        }
      }
}

TEST(SyntheticPattern, SetsPartsApart) {
  for (double const apart : {0.0, 1.0}) {
    auto const of = make_pattern({4000, 50, 2, 4, 0.25, 4, apart, 0}, 7);
    std::set<std::size_t> all;
    std::size_t sum = 0;
    for (std::size_t part = 0; part < 4; ++part) {
      auto const set = touched(of, 4, part);
      sum += set.size();
      all.insert(set.begin(), set.end());
    }
    EXPECT_EQ(all.size() == sum, apart == 1);
  }
}

TEST(SyntheticPattern, IsTheSameForTheSameSeed) {
  synthetic_pattern const wanted{100, 3, 2, 2, 0.5, 2, 0, 0.1};
  auto const one = make_pattern(wanted, 1), same = make_pattern(wanted, 1), other = make_pattern(wanted, 2);
  EXPECT_TRUE(std::ranges::equal(one.index(), same.index()));
  EXPECT_FALSE(std::ranges::equal(one.index(), other.index()));
}

TEST(SyntheticPattern, MayBeSmallerThanItsParts) {
  EXPECT_EQ(make_pattern({1, 3, 2, 8, 0.02, 20, 0, 0}, 1).subscripts(), 6u);
  EXPECT_EQ(make_pattern({5, 0, 2, 2, 1, 1, 0, 0.1}, 1).subscripts(), 0u);
}

}  // namespace
