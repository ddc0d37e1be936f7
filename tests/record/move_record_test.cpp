#include <skel/detail/record/move_record.hpp>

#include <gtest/gtest.h>

namespace skel::record {
namespace {

TEST(MoveHistory, KeepsTheFirstAndTheLastMovesAndTheLastOthers) {
  move_history all;
  for (int k = 1; k <= 6000; ++k)
    all.add({.ways = {{"stay", 1}, {"there", 1}}, .chosen = k % 2 == 0 ? 1U : 0U, .why = "it is so"});
  EXPECT_EQ(all.all, 6000U);
  EXPECT_EQ(all.to_move, 3000U);
  ASSERT_EQ(all.kept.size(), 2 * move_history::most_of_a_kind);
  EXPECT_EQ(all.kept.front().number, 2U);
  EXPECT_EQ(all.kept[move_history::most_first - 1].number, 16U);
  EXPECT_EQ(all.kept.back().number, 6000U);
  for (std::size_t k = 1; k < all.kept.size(); ++k) EXPECT_LT(all.kept[k - 1].number, all.kept[k].number);
  EXPECT_EQ(all.find(5999)->number, 5999U);
  EXPECT_EQ(all.find(18), nullptr) << "a move that is left out";
  EXPECT_EQ(all.find(1), nullptr);
}

}  // namespace
}  // namespace skel::record
