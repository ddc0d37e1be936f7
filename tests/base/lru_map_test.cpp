#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/lru_map.hpp>

namespace {

using testing::ElementsAre;
using map = skel::lru_map<int, std::string>;

std::vector<int> keys(map const& of) {
  std::vector<int> result;
  for (auto const& [key, value] : of) result.push_back(key);
  return result;
}

TEST(LruMap, ForgetsWhatWasUsedLeastRecently) {
  map some(3);
  for (int key : {1, 2, 3}) some.put(key, std::to_string(key));
  some.use(1);
  some.put(4, "4");
  EXPECT_THAT(keys(some), ElementsAre(4, 1, 3));
  EXPECT_EQ(some.use(2), nullptr);
  EXPECT_EQ(*some.use(3), "3");
}

TEST(LruMap, LookingIsNoUse) {
  map some(2);
  some.put(1, "1"), some.put(2, "2");
  EXPECT_EQ(*some.look(1), "1");
  some.put(3, "3");
  EXPECT_EQ(some.look(1), nullptr);
  EXPECT_THAT(keys(some), ElementsAre(3, 2));
}

TEST(LruMap, PutsInThePlaceOfWhatWasThere) {
  map some(2);
  some.put(1, "old"), some.put(2, "2");
  some.put(1, "new");
  EXPECT_EQ(some.size(), 2);
  EXPECT_THAT(keys(some), ElementsAre(1, 2));
  EXPECT_EQ(*some.look(1), "new");
}

TEST(LruMap, ErasesOnlyWhatIsThere) {
  map some(2);
  some.put(1, "1");
  EXPECT_TRUE(some.erase(1));
  EXPECT_FALSE(some.erase(1));
  EXPECT_EQ(some.size(), 0);
  some.put(2, "2");
  some.clear();
  EXPECT_EQ(some.look(2), nullptr);
}

TEST(LruMap, EntriesCountForTheirWeight) {
  map some(10);
  some.put(1, "1", 4), some.put(2, "2", 4);
  EXPECT_EQ(some.weight(), 8);
  some.put(3, "3", 4);
  EXPECT_THAT(keys(some), ElementsAre(3, 2));
  some.put(2, "two", 1);
  EXPECT_EQ(some.weight(), 5);
  some.put(4, "4", 11);  // stays, whatever it weighs
  EXPECT_THAT(keys(some), ElementsAre(4));
  some.put(5, "5");
  EXPECT_THAT(keys(some), ElementsAre(5));
  EXPECT_EQ(some.weight(), 1);
  some.erase(5);
  EXPECT_EQ(some.weight(), 0);
}

TEST(LruMap, EntriesStayWhereTheyAre) {
  map some(1000);
  std::string const* const first = &some.put(0, "first");
  for (int key = 1; key < 1000; ++key) some.put(key, "other");
  EXPECT_EQ(some.use(0), first);
  map const moved = std::move(some);
  EXPECT_EQ(moved.look(0), first);
}

}  // namespace
