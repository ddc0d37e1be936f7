#include <skel/detail/runtime/reduction/characterise.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/pattern/pattern_features.hpp>
#include <skel/detail/pattern/sampled_features.hpp>
#include <skel/detail/plan/block.hpp>
#include <skel/detail/runtime/reduction/pattern_parts.hpp>

#include "random_pattern.hpp"

namespace {

using namespace skel;
using runtime::reduction::characterise;
using runtime::reduction::extent_of;

/// The first or the last part that touches an element.
std::size_t writer_of(std::vector<std::set<std::size_t>> const& touched, std::size_t element, bool lowest) {
  std::size_t kept = touched.size();
  for (std::size_t t = 0; t < touched.size(); ++t)
    if (touched[t].contains(element) && (!lowest || kept == touched.size())) kept = t;
  return kept;
}

/// The definitions, word for word, with sets.
pattern_features by_definition(pattern const& of, std::size_t parts) {
  pattern_features f;
  f.elements = of.elements(), f.iterations = of.iterations(), f.subscripts = of.subscripts(), f.parts = parts;
  double const n = double(of.elements()), m = double(of.iterations());
  std::vector<std::set<std::size_t>> touched(parts);
  for (std::size_t t = 0; t < parts; ++t) {
    auto const mine = plan::block_of(of.iterations(), parts, t);
    for (std::size_t i = mine.begin; i < mine.end; ++i) touched[t].insert(of.row(i).begin(), of.row(i).end());
  }
  std::size_t sum = 0, runs = 0, copies = 0, crossing = 0, private_subscripts = 0;
  std::vector<std::size_t> threads(of.elements(), 0), loads(parts, 0);
  runtime::reduction::writers const turns(of.elements(), parts);
  auto const lowest_writes = [&](std::size_t e) { return turns.lowest_writes(e / 64); };
  for (auto const& set : touched) {
    sum += set.size();
    for (std::size_t const e : set) ++threads[e], runs += e == 0 || !set.contains(e - 1);
  }
  for (std::size_t t = 0; t < parts; ++t) {
    auto const mine = plan::block_of(of.iterations(), parts, t);
    for (std::size_t i = mine.begin; i < mine.end; ++i) {
      std::set<std::size_t> owners;
      for (auto const e : of.row(i)) {
        owners.insert(plan::owner_of(of.elements(), parts, e));
        private_subscripts += writer_of(touched, e, lowest_writes(e)) != t;
      }
      copies += std::max<std::size_t>(1, owners.size()), crossing += owners.size() > 1;
      for (auto const owner : owners) ++loads[owner];
      if (owners.empty()) ++loads[t];
    }
  }
  auto const ratio = [](double a, double b) { return b == 0 ? 0 : a / b; };
  f.sparsity = ratio(double(sum), double(parts) * n);
  f.clusters = double(runs) / double(parts);
  f.copies = m == 0 ? 1 : double(copies) / m;
  f.load = m == 0 ? 0 : double(*std::max_element(loads.begin(), loads.end())) * double(parts) / m;
  f.crossing = ratio(double(crossing), m);
  f.private_subscripts = ratio(double(private_subscripts), double(of.subscripts()));
  f.contended = ratio(double(std::count_if(threads.begin(), threads.end(), [](auto k) { return k > 1; })), n);
  std::size_t privates = 0;
  for (auto const k : threads) privates += k > 0 ? k - 1 : 0;
  f.privates = ratio(double(privates), n);
  return f;
}

TEST(Characterise, CountsWhatTheDefinitionsSay) {
  unsigned seed = 0;
  for (auto const& shape : tests::odd_shapes()) {
    auto const of = tests::random_pattern(shape, ++seed);
    for (std::size_t const parts : {1u, 2u, 3u, 7u, 32u}) {
      runtime::thread_team workers(parts);
      auto const found = characterise(of, workers);
      auto expected = by_definition(of, parts);
      expected.turnover = found.turnover;  // tested below
      auto const sampled = sampled_features(of, parts, 8);
      expected.mixing = sampled.mixing;
      EXPECT_DOUBLE_EQ(found.sparsity, expected.sparsity);
      EXPECT_EQ(found, expected) << "shape " << seed << ", " << parts << " parts: SP " << found.sparsity << " "
                                 << expected.sparsity << " CLUS " << found.clusters << " " << expected.clusters
                                 << " rho " << found.copies << " " << expected.copies << " privates " << found.privates
                                 << " " << expected.privates << " private " << found.private_subscripts << " "
                                 << expected.private_subscripts;
    }
  }
}

TEST(Characterise, KnowsHowManyLinesAWindowTouches) {
  runtime::thread_team workers(1);
  std::vector<std::uint32_t> far, near, same(2048, 77);
  for (std::uint32_t k = 0; k < 2048; ++k) far.push_back(8 * k), near.push_back(k);
  EXPECT_DOUBLE_EQ(characterise(pattern(2048, 20000, far), workers).turnover, 1);
  EXPECT_DOUBLE_EQ(characterise(pattern(2048, 20000, near), workers).turnover, 1.0 / 8);
  EXPECT_DOUBLE_EQ(characterise(pattern(2048, 20000, near), workers, {.line = 1}).turnover, 1);
  EXPECT_DOUBLE_EQ(characterise(pattern(2048, 20000, same), workers).turnover, 1.0 / 512);
}

/// That what is estimated is near to what was counted.
void expect_near(pattern_features const& found, pattern_features const& counted) {
  EXPECT_NEAR(found.sparsity, counted.sparsity, 0.05 * counted.sparsity);
  EXPECT_NEAR(found.clusters, counted.clusters, 0.1 * counted.clusters + 5);
  EXPECT_NEAR(found.privates, counted.privates, 0.1 * counted.privates + 0.01);
  EXPECT_NEAR(found.contended, counted.contended, 0.1 * counted.contended + 0.01);
  EXPECT_NEAR(found.private_subscripts, counted.private_subscripts, 0.1 * counted.private_subscripts + 0.01);
  EXPECT_NEAR(found.copies, counted.copies, 0.05 * counted.copies);
  EXPECT_NEAR(found.crossing, counted.crossing, 0.05);
  EXPECT_NEAR(found.load, counted.load, 0.1 * counted.load);
  EXPECT_NEAR(found.turnover, counted.turnover, 0.1);
}

TEST(Characterise, EstimatesFromSomeElementsAndIterations) {
  for (auto const& wanted :
       {synthetic_pattern{300000, 4, 2, 4, 0.4, 30, 0.5, 0.02}, synthetic_pattern{300000, 4, 2, 4, 1, 1, 0, 0},
        synthetic_pattern{20000, 60, 3, 8, 0.3, 5, 0.9, 0.1}}) {
    auto const of = make_pattern(wanted, 5);
    runtime::thread_team workers(wanted.parts);
    auto const counted = characterise(of, workers), estimated = characterise(of, workers, extent_of(of, 8));
    EXPECT_NE(estimated, counted) << "everything was counted";
    expect_near(estimated, counted);
    EXPECT_EQ(estimated.subscripts, counted.subscripts);
    EXPECT_EQ(estimated.mixing, counted.mixing);
  }
}

TEST(Characterise, FewerElementsAndIterationsStillTell) {
  auto const of = make_pattern({200000, 10, 2, 4, 0.5, 1, 0, 0}, 5);
  runtime::thread_team workers(4);
  auto const counted = characterise(of, workers), few = characterise(of, workers, {.elements = 20000, .owners = 20000});
  EXPECT_NEAR(few.sparsity, counted.sparsity, 0.05);
  EXPECT_NEAR(few.privates, counted.privates, 0.1);
  EXPECT_NEAR(few.copies, counted.copies, 0.05);
  auto const least = characterise(of, workers, {.elements = 1, .owners = 1});  // perhaps nothing is followed
  for (auto const& feature : feature_list) EXPECT_TRUE(std::isfinite(feature.value(least))) << feature.name;
  EXPECT_GE(least.copies, 1);
}

TEST(ExtentOf, IsAllOfASmallPatternAndAPartOfALargeOne) {
  auto const small = tests::random_pattern({1000, 300, 3, true}, 4);
  runtime::thread_team workers(3);
  EXPECT_EQ(characterise(small, workers, extent_of(small, 8)), characterise(small, workers));
  auto const all = extent_of(small, 8);
  EXPECT_GE(all.elements, small.elements());
  EXPECT_GE(all.owners, small.subscripts());
  EXPECT_EQ(extent_of(small, 2).line, 2u);
  auto const large = make_lattice(synthetic_lattice{1 << 21, 1, 2, 2, 1}, 1);
  auto const part = extent_of(large, 8);
  EXPECT_LT(part.elements, large.elements() / 4);
  EXPECT_LT(part.owners, large.subscripts() / 4);
}

}  // namespace
