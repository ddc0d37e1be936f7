#include <skel/detail/pattern/pattern.hpp>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

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

TEST(SyntheticLattice, HasItsSizesAndLinksSitesThatAreNear) {
  for (std::size_t const dimensions : {1u, 2u, 3u}) {
    skel::synthetic_lattice const wanted{1000, 2.5, 3, dimensions, 2};
    auto const of = skel::make_lattice(wanted, 5);
    std::size_t const side = dimensions == 1 ? 1000 : dimensions == 2 ? 32 : 10, n = dimensions == 2 ? 1024 : 1000;
    ASSERT_EQ(of.elements(), n);
    EXPECT_EQ(of.iterations(), n * 5 / 2);
    EXPECT_EQ(of.width(), 3u);
    for (std::size_t i = 0; i < of.iterations(); ++i)
      for (auto const e : of.row(i)) {
        std::size_t a = of.row(i)[0], b = e;
        for (std::size_t d = 0; d < dimensions; ++d, a /= side, b /= side)
          ASSERT_LE((b % side + side - a % side) % side, wanted.distance) << "iteration " << i;
      }
    EXPECT_EQ(of.row(0)[0], 0u);  // in the lattice's order
    EXPECT_EQ(of.row(of.iterations() - 1)[0], n - 1);
  }
}

TEST(SyntheticLattice, SortsItsIterations) {
  skel::synthetic_lattice wanted{900, 1.7, 3, 2, 1, 5};
  auto const any = skel::make_lattice(wanted, 5);
  wanted.sorted = true;
  auto const sorted = skel::make_lattice(wanted, 5);
  std::multiset<std::vector<skel::subscript>> before, after;
  for (std::size_t i = 0; i < any.iterations(); ++i) {
    before.emplace(any.row(i).begin(), any.row(i).end());
    after.emplace(sorted.row(i).begin(), sorted.row(i).end());
    if (i > 0) {
      EXPECT_LE(sorted.row(i - 1)[0], sorted.row(i)[0]);
    }
  }
  EXPECT_EQ(before, after);
}

TEST(SyntheticLattice, ChangesNumbersAndOrderAndNothingElse) {
  skel::synthetic_lattice wanted{900, 1, 2, 2, 1};
  auto const in_order = skel::make_lattice(wanted, 5);
  auto const degrees = [](pattern const& of) {
    std::vector<std::size_t> count(of.elements(), 0);
    for (auto const e : of.index()) ++count[e];
    std::sort(count.begin(), count.end());
    return count;
  };
  for (std::size_t const run : {1u, 7u, 100u, 899u})
    for (bool const elements : {false, true}) {
      auto changed = wanted;
      (elements ? changed.element_run : changed.iteration_run) = run;
      auto const of = skel::make_lattice(changed, 5);
      EXPECT_EQ(degrees(of), degrees(in_order)) << run;
      EXPECT_FALSE(std::ranges::equal(of.index(), in_order.index())) << run;
      EXPECT_TRUE(std::ranges::equal(of.index(), skel::make_lattice(changed, 5).index()));
    }
}

TEST(Synthetic, RefusesValuesOutOfTheirRanges) {
  auto const refused = [](auto const& change) {
    skel::synthetic_pattern wanted{100, 2, 2};
    change(wanted);
    try {
      skel::make_pattern(wanted, 1);
    } catch (skel::input_error const& problem) {
      return problem.where();
    }
    return std::string("nothing was refused");
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refused([](auto& w) { w.elements = 0; }), "elements");
  EXPECT_EQ(refused([](auto& w) { w.elements = std::size_t{1} << 40; }), "elements");
  EXPECT_EQ(refused([](auto& w) { w.parts = 0; }), "parts");
  for (double const bad : {0.0, 1.5, nan}) EXPECT_EQ(refused([&](auto& w) { w.sparsity = bad; }), "sparsity");
  for (double const bad : {-0.5, 1.5, nan}) EXPECT_EQ(refused([&](auto& w) { w.apart = bad; }), "apart");
  for (double const bad : {-0.5, 3.0, nan}) EXPECT_EQ(refused([&](auto& w) { w.reach = bad; }), "reach");
  for (double const bad : {-1.0, 1e300, nan})
    EXPECT_EQ(refused([&](auto& w) { w.connectivity = bad; }), "connectivity");
  EXPECT_EQ(refused([](auto&) {}), "nothing was refused");
  for (auto const& [bad, where] : std::vector<std::pair<skel::synthetic_lattice, std::string>>{
           {{0}, "elements"}, {{9, 1, 0}, "mobility"}, {{9, 1, 2, 4}, "dimensions"}, {{9, 1, 2, 2, 0}, "distance"}}) {
    try {
      skel::make_lattice(bad, 1);
      ADD_FAILURE() << where;
    } catch (skel::input_error const& problem) {
      EXPECT_EQ(problem.where(), where);
    }
  }
}

}  // namespace
