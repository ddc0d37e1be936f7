#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <runtime/station/copy_group.hpp>

namespace {

using skel::runtime::copy_group;
using skel::runtime::items;
using skel::runtime::parcel;
using testing::ElementsAre;

std::unique_ptr<skel::runtime::items_base> one_item(int value) {
  auto batch = std::make_unique<items<int>>(1);
  batch->emplace([&] { return value; });
  return batch;
}

int value_of(skel::runtime::items_base const& batch) {
  return static_cast<items<int> const&>(batch)[0];
}

parcel numbered(std::uint64_t sequence, std::uint64_t first_item) {
  return {one_item(static_cast<int>(first_item)), sequence, first_item};
}

// Rank 4 is the root, with two copies; 7 hangs on it, and 9 on 7, with one copy each.
skel::plan::station_plan of_three_ranks() {
  skel::plan::station_plan plan;
  plan.ranks = {4, 7, 4, 9};
  plan.parents = {0, 0, 1};
  plan.capacity = 1;
  return plan;
}

TEST(CopyGroup, StandsInTheTreeOfItsRanks) {
  auto const plan = of_three_ranks();
  copy_group const root(plan, 4), middle(plan, 7), leaf(plan, 9);
  EXPECT_FALSE(root.parent());
  EXPECT_THAT(root.children(), ElementsAre(7));
  EXPECT_EQ(root.copies(), 2u);
  EXPECT_EQ(middle.parent(), 4);
  EXPECT_THAT(middle.children(), ElementsAre(9));
  EXPECT_EQ(leaf.parent(), 7);
  EXPECT_EQ(middle.portion_of(0).index, 2u);
  EXPECT_EQ(leaf.portion_of(0).index, 3u);
}

TEST(CopyGroup, ShowsEachParcelToEveryCopyAndJoinsWhatTheyAndThoseBelowMake) {
  copy_group root(of_three_ranks(), 4);
  auto const shown = root.begin(numbered(0, 10), 1);
  EXPECT_EQ(value_of(*shown.items), 10);
  auto const a = root.next_for_copies(), b = root.next_for_copies();
  ASSERT_TRUE(a && b);
  EXPECT_FALSE(root.next_for_copies());
  EXPECT_FALSE(root.copy_done(1, 0, one_item(2)));
  EXPECT_FALSE(root.contributed(7, {one_item(3), 0, 10}));
  auto const join = root.copy_done(0, 0, one_item(1));
  ASSERT_TRUE(join);
  std::vector<int> parts;
  for (auto const& part : join->parts) parts.push_back(value_of(*part));
  EXPECT_THAT(parts, ElementsAre(1, 2, 3));  // by copies, whoever is first
  EXPECT_FALSE(root.next_result());
  root.joined(0, one_item(6));
  auto const result = root.next_result();
  ASSERT_TRUE(result);
  EXPECT_EQ(value_of(*result->first.items), 6);
  EXPECT_EQ(result->first.first_item, 10u);
  EXPECT_EQ(result->second, 1);
  EXPECT_TRUE(root.idle());
}

TEST(CopyGroup, GivesResultsInTheOrderOfTheStream) {
  skel::plan::station_plan alone;
  alone.ranks = {0};
  alone.capacity = 3;
  copy_group one(alone, 0);
  one.begin(numbered(0, 0), 5);
  one.begin(numbered(1, 1), 6);
  auto first = one.next_for_copies();
  EXPECT_FALSE(one.next_for_copies());  // a copy takes them one after the other
  one.copy_done(0, 0, one_item(100));
  auto second = one.next_for_copies();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->sequence, 1u);
  one.copy_done(0, 1, one_item(101));
  EXPECT_EQ(value_of(*one.next_result()->first.items), 100);
  EXPECT_EQ(value_of(*one.next_result()->first.items), 101);
  EXPECT_EQ(one.begun(), 2u);
}

TEST(CopyGroup, HasRoomForItsWindow) {
  skel::plan::station_plan alone;
  alone.ranks = {0};
  alone.capacity = 1;
  copy_group one(alone, 0);
  std::size_t begun = 0;
  for (; one.has_room(0); ++begun) one.begin(numbered(begun, begun), 0);
  EXPECT_EQ(begun, 2u);  // one that waits and one in the copy's hands
  EXPECT_FALSE(one.has_room(1));
}

}  // namespace
