#include <functional>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/runtime/bsp/fold_tree.hpp>
#include <skel/detail/runtime/bsp/sequential.hpp>

#include "support/dice.hpp"

namespace {

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

}  // namespace
