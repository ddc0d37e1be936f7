#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include <skel/runtime/items.hpp>

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

TEST(ItemsDeathTest, RefusesMoreThanItsCapacity) {
  items<int> batch(1);
  batch.emplace([] { return 1; });
  EXPECT_DEATH(batch.emplace([] { return 2; }), "size_ < capacity_");
  EXPECT_DEATH(batch.adopt(2), "count <= capacity_");
}

}  // namespace
