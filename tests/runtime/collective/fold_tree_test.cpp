#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/runtime/bsp/sequential.hpp>
#include <skel/detail/runtime/collective/fold_tree.hpp>

#include "support/dice.hpp"

namespace {

using namespace skel::runtime;
using namespace skel::runtime::bsp;

TEST(FoldTree, GivesTheSameBitsWhereverProcessesAre) {
  bench::dice roll(7);
  for (int round = 0; round < 500; ++round) {
    std::size_t const n = roll.between(1, 70), ranks = roll.between(1, 5);
    std::vector<std::optional<double>> values(n);
    std::vector<std::vector<process_number>> here(ranks);
    std::vector<std::vector<contribution<double>>> own(ranks);
    for (process_number p = 0; p < n; ++p) {
      std::size_t const rank = round % 2 == 0 ? roll.below(ranks) : p * ranks / n;
      here[rank].push_back(p);
      if (roll.one_in(4)) continue;
      values[p] = 1.0 / static_cast<double>(roll.between(1, 1000));
      own[rank].push_back({p, 0, *values[p]});
    }
    std::vector<contribution<double>> all;
    for (std::size_t r = 0; r < ranks; ++r)
      fold_here(std::span(own[r]), std::span<process_number const>(here[r]), n, 0, tree_height(n), std::plus<>{}, all);
    std::ranges::sort(all, {}, &contribution<double>::first);
    auto const sum = fold_block(std::span(all), 0, tree_height(n), std::plus<>{});
    EXPECT_EQ(sum, combined(values, 0, std::size_t{1} << tree_height(n), std::plus<>{}));
  }
}

TEST(FoldTree, SendsFewSumsOfAContiguousBlock) {
  std::vector<process_number> here;
  std::vector<contribution<int>> own, folded;
  for (process_number p = 1000; p < 51'000; ++p) here.push_back(p), own.push_back({p, 0, 1});
  fold_here(std::span(own), std::span<process_number const>(here), 100'000, 0, tree_height(100'000), std::plus<>{},
            folded);
  EXPECT_LE(folded.size(), 2 * tree_height(100'000));
  int sum = 0;
  for (auto const& one : folded) sum += one.value;
  EXPECT_EQ(sum, 50'000);
}

/// The sum of all numbers before `n` along the tree, as it is meant.
double sum_of_block(std::vector<double> const& values, std::uint64_t begin, std::uint64_t length) {
  if (length == 1) return values[begin];
  if (begin + length / 2 >= values.size()) return sum_of_block(values, begin, length / 2);
  return sum_of_block(values, begin, length / 2) + sum_of_block(values, begin + length / 2, length / 2);
}

TEST(FoldTree, GivesTheSameBitsInWhateverOrderRunsOfNumbersCome) {
  bench::dice roll(11);
  for (int round = 0; round < 500; ++round) {
    std::size_t const n = roll.between(1, 300);
    std::vector<double> values;
    while (values.size() < n) values.push_back(1.0 / static_cast<double>(roll.between(1, 1000)));
    std::vector<std::pair<std::size_t, std::size_t>> runs;
    for (std::size_t begin = 0; begin < n;) {
      std::size_t const end = std::min(n, begin + roll.between(1, 40));
      runs.emplace_back(begin, end);
      begin = end;
    }
    for (std::size_t k = runs.size(); k > 1; --k) std::swap(runs[k - 1], runs[roll.below(k)]);
    block_fold<double, std::uint64_t> all;
    for (auto const& [begin, end] : runs) {
      block_fold<double, std::uint64_t> some;
      for (std::size_t i = begin; i < end; ++i) some.add(i, 0, double(values[i]), std::plus<>{});
      std::uint64_t next = begin;
      for (auto& one : some.take()) {
        EXPECT_EQ(one.first, next);
        EXPECT_EQ(one.level, first_block(next, end));
        next += std::uint64_t{1} << one.level;
        all.add(one.first, one.level, std::move(one.value), std::plus<>{});
      }
      EXPECT_EQ(next, end);
    }
    EXPECT_EQ(all.result(std::plus<>{}), sum_of_block(values, 0, std::uint64_t{1} << tree_height(n)));
    EXPECT_TRUE(all.empty());
  }
}

TEST(FoldTree, KnowsHowManyBlocksSuccessiveNumbersHaveInTheMean) {
  EXPECT_EQ(mean_blocks(1), 1);
  for (std::uint64_t const n : {2U, 3U, 10U, 64U, 100U}) {
    std::uint64_t blocks = 0, begins = 128;
    for (std::uint64_t begin = 0; begin < begins; ++begin)
      for (std::uint64_t next = begin; next < begin + n; ++blocks)
        next += std::uint64_t{1} << first_block(next, begin + n);
    EXPECT_DOUBLE_EQ(mean_blocks(static_cast<double>(n)), static_cast<double>(blocks) / static_cast<double>(begins));
  }
}

}  // namespace
