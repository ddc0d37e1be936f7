#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/runtime/station/items.hpp>

namespace {

using skel::runtime::items;

struct pinned {
  explicit pinned(int v) : value(v) {}
  pinned(pinned const&) = delete;
  int value;
};

TEST(Items, ConstructsInPlaceWhatCannotEvenBeMoved) {
  items<pinned> batch(2);
  batch.emplace([] { return pinned(7); });
  EXPECT_EQ(batch.size(), 1u);
  EXPECT_EQ(batch[0].value, 7);
}

TEST(Items, DestroysExactlyWhatItHolds) {
  auto witness = std::make_shared<int>(0);
  {
    items<std::shared_ptr<int>> batch(5);
    for (int i = 0; i < 3; ++i) batch.emplace([&] { return witness; });
    EXPECT_EQ(witness.use_count(), 4);
  }
  EXPECT_EQ(witness.use_count(), 1);
}

TEST(Items, HoldsNothingMoreWhenConstructionThrows) {
  items<std::string> batch(2);
  batch.emplace([] { return std::string("first"); });
  EXPECT_THROW(batch.emplace([]() -> std::string { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(batch.size(), 1u);
}

TEST(Items, AdoptsBytesThatWereWrittenIntoIt) {
  items<int> batch(3);
  int const values[] = {4, 5, 6};
  std::memcpy(batch.data(), values, sizeof values);
  batch.adopt(3);
  EXPECT_EQ(batch[2], 6);
}

TEST(Items, GoBackToTheShelfTheyAreFromUnlessTheyWereMovedAway) {
  auto home = std::make_shared<skel::runtime::shelf<std::vector<int>>>();
  void const* memory = nullptr;
  {
    items<std::vector<int>> batch(3);
    for (int i = 0; i < 3; ++i) batch.emplace([] { return std::vector<int>(10); });
    batch.borrowed_from(home, 3, 1);
    std::vector<int> const taken = std::move(batch[0]);
    memory = batch[2].data();
  }
  EXPECT_EQ(home->take().value().data(), memory);
  EXPECT_TRUE(home->take());
  EXPECT_FALSE(home->take());
}

TEST(Items, LeaveNoMoreOnAShelfThanTheyTook) {
  auto home = std::make_shared<skel::runtime::shelf<std::vector<int>>>();
  {
    items<std::vector<int>> batch(4);
    for (std::size_t size : {1u, 20u, 30u, 40u}) batch.emplace([&] { return std::vector<int>(size); });
    batch.borrowed_from(home, 2, 20);
  }
  EXPECT_EQ(home->take().value().size(), 30u);
  EXPECT_EQ(home->take().value().size(), 20u);
  EXPECT_FALSE(home->take());
}

TEST(Items, GrowWhereItemsAreAppended) {
  items<std::unique_ptr<int>> batch(0);
  for (int i = 0; i < 100; ++i) batch.append(std::make_unique<int>(i));
  ASSERT_EQ(batch.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(*batch[static_cast<std::size_t>(i)], i);
}

TEST(Items, LoseNothingThatIsThereWhereTheyCannotGrow) {
  struct moves_seldom {
    std::shared_ptr<int> held;
    bool fails = false;
    explicit moves_seldom(std::shared_ptr<int> of) : held(std::move(of)) {}
    moves_seldom(moves_seldom&& other) : held(other.held), fails(other.fails) {
      if (fails) throw std::runtime_error("does not move");
    }
  };
  auto witness = std::make_shared<int>(0);
  {
    items<moves_seldom> batch(2);
    batch.append(moves_seldom(witness));
    batch.append(moves_seldom(witness));
    batch[1].fails = true;
    EXPECT_THROW(batch.append(moves_seldom(witness)), std::runtime_error);
    EXPECT_EQ(batch.size(), 2u);
  }
  EXPECT_EQ(witness.use_count(), 1);
}

TEST(ItemsDeathTest, RefusesMoreThanItsCapacity) {
  items<int> batch(1);
  batch.emplace([] { return 1; });
  EXPECT_DEATH(batch.emplace([] { return 2; }), "size_ < capacity_");
  EXPECT_DEATH(batch.adopt(2), "count <= capacity_");
}

}  // namespace
