#include <cstddef>
#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/record/bounded.hpp>

namespace {

using skel::record::first_and_last;

TEST(FirstAndLast, KeepsAllAsLongAsTheyAreFew) {
  first_and_last<int, 2, 3> of{1, 2, 3, 4, 5};
  EXPECT_THAT(of, testing::ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(of.left_out(), 0U);
  for (std::size_t i = 0; i < of.size(); ++i) EXPECT_FALSE(of.is_before_gap(i));
}

TEST(FirstAndLast, LeavesOutWhatIsBetweenAndCountsAll) {
  first_and_last<int, 2, 3> of;
  for (int i = 1; i <= 10; ++i) of.add(i);
  EXPECT_THAT(of, testing::ElementsAre(1, 2, 8, 9, 10));
  EXPECT_EQ(of.all(), 10U);
  EXPECT_EQ(of.left_out(), 5U);
  EXPECT_FALSE(of.is_before_gap(0));
  EXPECT_TRUE(of.is_before_gap(1));
  EXPECT_FALSE(of.is_before_gap(2));
}

TEST(FirstAndLast, MayKeepTheLastOnly) {
  first_and_last<int, 0, 2> of;
  for (int i = 1; i <= 5; ++i) of.add(i);
  EXPECT_THAT(of, testing::ElementsAre(4, 5));
}

TEST(FirstAndLast, IsBoundedHoweverManyThereAre) {
  first_and_last<std::uint64_t> of;
  for (std::uint64_t i = 0; i < 100'000; ++i) of.add(i);
  EXPECT_EQ(of.size(), of.most);
  EXPECT_EQ(of.all(), 100'000U);
  EXPECT_EQ(of[of.most_first - 1], of.most_first - 1);
  EXPECT_EQ(of.back(), 99'999U);
}

}  // namespace
