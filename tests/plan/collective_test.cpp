#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/plan/collective.hpp>

#include "plan/interpreter.hpp"
#include "plan/meaning.hpp"

namespace {

using skel::plan::collective;
using skel::plan::collective_algorithm;
using skel::plan::collective_problem;
using skel::testing_plan::in_any_order;
using skel::testing_plan::interpret;
using skel::testing_plan::mean;
using skel::testing_plan::meaning;

std::vector<collective_algorithm> all() {
  auto const& catalogue = skel::plan::collective_algorithms();
  return {catalogue.begin(), catalogue.end()};
}

class EveryAlgorithm : public testing::TestWithParam<collective_algorithm> {};

TEST_P(EveryAlgorithm, GivesWhatTheOperationMeans) {
  collective_algorithm const& algorithm = GetParam();
  for (std::size_t n = 1; n <= 17; ++n)
    for (std::size_t root : {std::size_t{0}, n / 2, n - 1})
      for (std::uint64_t bytes : {0U, 1U, 5U, 24U})
        for (std::uint64_t segment : {0U, 1U, 7U, 100U})
          for (std::size_t radix : {2U, 3U, 5U}) {
            if (segment != 0 && !algorithm.segmented) continue;
            if (radix != 2 && algorithm.name.find("k_nomial") == std::string_view::npos) continue;
            collective_problem const problem{
                .ranks = n, .root = root, .bytes = bytes, .segment = segment, .unit = 1, .radix = radix};
            meaning expected =
                mean(problem, algorithm.operation, algorithm.operands == skel::plan::order::rotated ? root : 0);
            auto given = interpret(algorithm.make(problem), expected.inputs, expected.output_cells);
            if (algorithm.operands == skel::plan::order::shuffled) in_any_order(expected.outputs), in_any_order(given);
            for (std::size_t r = 0; r < n; ++r) {
              ASSERT_TRUE(expected.outputs[r].empty() || given[r] == expected.outputs[r])
                  << "rank " << r << " of " << n << ", root " << root << ", bytes " << bytes << ", segment " << segment
                  << ", radix " << radix;
            }
          }
}

TEST_P(EveryAlgorithm, NeverCutsAnElement) {
  collective_algorithm const& algorithm = GetParam();
  for (std::size_t n : {2U, 5U, 8U})
    for (std::uint64_t segment : {0U, 7U, 9U, 16U}) {
      auto const schedule =
          algorithm.make({.ranks = n, .bytes = 88, .segment = algorithm.segmented ? segment : 0, .unit = 8});
      for (auto const& mine : schedule.ranks) {
        for (auto const& range : mine.ranges) EXPECT_TRUE(range.first % 8 == 0 && range.bytes % 8 == 0);
        for (auto const& s : mine.steps) EXPECT_EQ(s.bytes % 8, 0);
      }
    }
}

TEST(Barrier, NobodyLeavesBeforeTheLastHasCome) {
  for (std::size_t n = 1; n <= 40; ++n) {
    auto const* const algorithm = skel::plan::find_algorithm(collective::barrier, "dissemination");
    auto const schedule = algorithm->make({.ranks = n});
    // In phase k everybody hears of all that the sender had heard of before.
    std::vector<std::set<std::size_t>> heard(n);
    for (std::size_t r = 0; r < n; ++r) heard[r] = {r};
    std::size_t const steps = schedule.ranks[0].steps.size();
    for (std::size_t i = 0; i < steps; i += 2) {
      auto const before = heard;
      for (std::size_t r = 0; r < n; ++r) {
        auto const& receive = schedule.ranks[r].steps[i + 1];
        ASSERT_EQ(schedule.ranks[receive.peer].steps[i].peer, r);
        heard[r].insert(before[receive.peer].begin(), before[receive.peer].end());
      }
    }
    for (auto const& all : heard) EXPECT_EQ(all.size(), n);
  }
}

TEST_P(EveryAlgorithm, IsFoundByItsName) {
  collective_algorithm const* const found = find_algorithm(GetParam().operation, GetParam().name);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->make, GetParam().make);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryAlgorithm, testing::ValuesIn(all()), [](auto const& one) {
  return std::string(name_of(one.param.operation)) + "_" + std::string(one.param.name);
});

TEST(Segmentation, CutsWholeUnits) {
  auto const even = skel::plan::cut({.ranks = 2, .bytes = 96, .segment = 32, .unit = 8});
  EXPECT_EQ(even.count, 3);
  EXPECT_EQ(even.last, 32);
  auto const rest = skel::plan::cut({.ranks = 2, .bytes = 96, .segment = 47, .unit = 8});
  EXPECT_EQ(rest.count, 3);
  EXPECT_EQ(rest.bytes, 40);
  EXPECT_EQ(rest.last, 16);
  auto const less_than_a_unit = skel::plan::cut({.ranks = 2, .bytes = 96, .segment = 3, .unit = 8});
  EXPECT_EQ(less_than_a_unit.count, 12);
  auto const nothing = skel::plan::cut({.ranks = 2, .bytes = 0, .segment = 3, .unit = 8});
  EXPECT_EQ(nothing.count, 1);
  EXPECT_EQ(nothing.last, 0);
}

}  // namespace
