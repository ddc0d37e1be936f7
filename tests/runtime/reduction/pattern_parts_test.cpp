#include <skel/detail/runtime/reduction/pattern_parts.hpp>

#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/plan/block.hpp>

#include "random_pattern.hpp"

namespace {

using namespace skel;
using namespace skel::runtime::reduction;

using run_list = std::vector<std::pair<std::size_t, std::size_t>>;

element_set set_of_elements(std::size_t elements, std::set<std::size_t> const& members) {
  element_set set{std::vector<std::uint64_t>(element_set::words_for(elements))};
  for (std::size_t const e : members) set.insert(static_cast<subscript>(e));
  return set;
}

run_list runs_of(element_set const& set, std::size_t first, std::size_t last) {
  run_list runs;
  for_each_run(set, first, last, [&](std::size_t begin, std::size_t end) { runs.emplace_back(begin, end); });
  return runs;
}

TEST(ElementSet, HasWhatWasInserted) {
  auto const set = set_of_elements(200, {0, 63, 64, 199});
  EXPECT_EQ(set.size(), 4u);
  for (subscript e = 0; e < 200; ++e) EXPECT_EQ(set.has(e), e == 0 || e == 63 || e == 64 || e == 199) << e;
  EXPECT_EQ(element_set::words_for(0), 0u);
  EXPECT_EQ(element_set::words_for(64), 1u);
  EXPECT_EQ(element_set::words_for(65), 2u);
}

TEST(ElementSet, HasItsRunsAcrossWordsAndCutWhereAsked) {
  std::set<std::size_t> members{3, 4, 127, 128};
  for (std::size_t e = 60; e < 70; ++e) members.insert(e);
  auto const set = set_of_elements(130, members);
  EXPECT_EQ(runs_of(set, 0, 130), (run_list{{3, 5}, {60, 70}, {127, 129}}));
  EXPECT_EQ(runs_of(set, 4, 128), (run_list{{4, 5}, {60, 70}, {127, 128}}));
  EXPECT_EQ(runs_of(set, 64, 64), run_list{});
  EXPECT_EQ(runs_of(set, 70, 127), run_list{});
  EXPECT_EQ(runs_of(set_of_elements(0, {}), 0, 0), run_list{});
}

TEST(ElementSet, HasTheRunsThatCountingOneByOneFinds) {
  std::mt19937 dice(7);
  for (int turn = 0; turn < 200; ++turn) {
    std::size_t const elements = 1 + dice() % 300;
    std::set<std::size_t> members;
    unsigned const kept = 1 + dice() % 8;  // eighths
    for (std::size_t e = 0; e < elements; ++e)
      if (dice() % 8 < kept) members.insert(e);
    std::size_t const first = dice() % (elements + 1), last = first + dice() % (elements - first + 1);
    run_list expected;
    for (std::size_t const e : members) {
      if (e < first || e >= last) continue;
      if (!expected.empty() && expected.back().second == e)
        ++expected.back().second;
      else
        expected.emplace_back(e, e + 1);
    }
    ASSERT_EQ(runs_of(set_of_elements(elements, members), first, last), expected) << "turn " << turn;
  }
}

TEST(TouchedMap, HasTheElementsOfEachPartsIterations) {
  unsigned seed = 0;
  for (auto const& shape : tests::odd_shapes()) {
    auto const of = tests::random_pattern(shape, ++seed);
    for (std::size_t const parts : {1u, 2u, 7u, 32u}) {
      runtime::thread_team workers(parts);
      auto const map = find_touched(of, workers);
      ASSERT_EQ(map.elements, of.elements());
      ASSERT_EQ(map.parts.size(), parts);
      for (std::size_t part = 0; part < parts; ++part) {
        std::set<std::size_t> members;
        auto const mine = plan::block_of(of.iterations(), parts, part);
        for (std::size_t i = mine.begin; i < mine.end; ++i) members.insert(of.row(i).begin(), of.row(i).end());
        ASSERT_EQ(map.parts[part].words, set_of_elements(of.elements(), members).words) << seed << ", part " << part;
      }
    }
  }
}

TEST(Keepers, LeaveEachTouchedElementToOneOfThosePartsThatTouchIt) {
  auto const of = tests::random_pattern({600, 5000, 3}, 3);
  for (std::size_t const parts : {1u, 2u, 3u, 8u}) {
    runtime::thread_team workers(parts);
    auto const map = find_touched(of, workers);
    writers const by(of.elements(), parts);
    for (std::size_t word = 0; word < element_set::words_for(of.elements()); ++word) {
      std::uint64_t kept = 0, touched_by_any = 0;
      std::size_t visits = 0;
      by.for_each_part(map, word, [&](std::size_t part, std::uint64_t touched, std::uint64_t privates) {
        ++visits;
        EXPECT_EQ(touched, map.parts[part].words[word]);
        EXPECT_EQ(privates & ~touched, 0u);
        EXPECT_EQ(kept & touched & ~privates, 0u) << "two parts keep an element";
        kept |= touched & ~privates;
        touched_by_any |= touched;
      });
      EXPECT_EQ(visits, parts);
      EXPECT_EQ(kept, touched_by_any);
    }
  }
}

TEST(Keepers, TakeTurns) {
  writers const by(64 * 160, 2);  // 160 words, turns of 10
  std::size_t lowest = 0;
  for (std::size_t word = 0; word < 160; ++word) lowest += by.lowest_writes(word);
  EXPECT_EQ(lowest, 80u);
  EXPECT_TRUE(by.lowest_writes(0));
  EXPECT_TRUE(by.lowest_writes(9));
  EXPECT_FALSE(by.lowest_writes(10));
}

}  // namespace
