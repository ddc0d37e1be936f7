#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/runtime/archive.hpp>

#include <runtime/station/parting.hpp>

namespace {

using skel::runtime::arrival;
using skel::runtime::errand;
using skel::runtime::halves;
using skel::runtime::items;
using skel::runtime::items_base;
using skel::runtime::part_place;
using skel::runtime::parting;

constexpr std::int64_t ms = 1'000'000;

std::unique_ptr<items_base> some(int value) {
  auto one = std::make_unique<items<int>>(1);
  one->append(std::move(value));
  return one;
}

arrival batch(int from) {
  return {{nullptr, 0, 0, 1, 0}, from};
}

int value_of(items_base const& batch) {
  return static_cast<items<int> const&>(batch)[0];
}

errand answer(errand const& to, int value) {
  errand out;
  out.head = to.head;
  out.items = some(value);
  return out;
}

/// Sends parts away, which takes so long.
void send(parting& way, std::vector<std::size_t> parts, std::int64_t begin, std::int64_t end) {
  way.hold_up(begin);
  way.go(1, 4, std::move(parts), std::string(400, 'x'));
  way.arrived(true, end);
}

TEST(Parting, KnowsWherePartsAre) {
  parting way(3, 7, 0.02, 1000);
  EXPECT_FALSE(way.opened());
  way.hold_up(0);
  auto const first = way.go(1, 4, {0, 2}, "bytes");
  EXPECT_EQ(first.head.what, errand::kind::bring);
  EXPECT_EQ(first.bytes, "bytes");
  EXPECT_TRUE(way.in_flight());
  EXPECT_EQ(way.places(), (std::vector{part_place::going, part_place::here, part_place::going, part_place::here}));
  way.arrived(true, ms);
  EXPECT_EQ(way.places(), (std::vector{part_place::there, part_place::here, part_place::there, part_place::here}));
  EXPECT_FALSE(way.all_there());
  way.go(1, 4, {1}, "");
  way.arrived(false, ms);
  EXPECT_EQ(way.places()[1], part_place::here);
  send(way, {1, 3}, 0, ms);
  EXPECT_TRUE(way.all_there());
}

TEST(Parting, SendsMoreAtOnceAsLongAsItTakesLessAndRestsAsLong) {
  parting way(3, 7, 0.02, 1000);
  send(way, {0}, 0, 5 * ms);
  EXPECT_EQ(way.bytes(), 2000U);
  EXPECT_EQ(way.rests_until(), 10 * ms);
  send(way, {1}, 10 * ms, 25 * ms);
  EXPECT_EQ(way.bytes(), 2000U) << "another half of it would take too long";
  send(way, {2}, 40 * ms, 65 * ms);
  EXPECT_EQ(way.bytes(), 1000U);
  EXPECT_EQ(way.rests_until(), 85 * ms) << "no longer than a pause";
}

TEST(Parting, BringsPartsHomeAndGivesUpAfterSomeFailures) {
  parting way(3, 7, 0.02, 1000);
  send(way, {0, 1, 2, 3}, 0, ms);
  way.fail("planted");
  EXPECT_TRUE(way.turned_back());
  auto const asked = way.recall(1);
  EXPECT_EQ(asked.head.what, errand::kind::recall);
  EXPECT_EQ(skel::runtime::from_bytes<std::vector<std::uint64_t>>(asked.bytes).size(), 4U);
  EXPECT_EQ(way.places()[0], part_place::coming);
  way.arrived(false, ms);
  EXPECT_EQ(way.places()[0], part_place::there);
  EXPECT_FALSE(way.stuck());
  way.recall(1);
  way.arrived(false, ms);
  EXPECT_TRUE(way.stuck());
  way.come_home();
  EXPECT_FALSE(way.stuck()) << "the stream's end asks once more";
  EXPECT_EQ(way.why(), "planted");
  while (!way.none_there()) {
    way.recall(1);
    way.arrived(true, ms);
  }
  EXPECT_EQ(way.places(), std::vector<part_place>(4, part_place::here));
}

TEST(Parting, GivesResultsInTheOrderOfTheBatches) {
  parting way(3, 7, 0.02, 1000);
  send(way, {0}, 0, ms);
  auto const both = way.begin(1, batch(10), halves{some(1), some(2)}, {false, true}, 5, 0.5);
  auto const far = way.begin(1, batch(11), halves{nullptr, some(3)}, {true}, 0, 0);
  EXPECT_FALSE(way.begin(1, batch(12), halves{some(4), nullptr}, {false}, 6, 0.25));
  ASSERT_TRUE(both && far);
  EXPECT_EQ(far->head.number, both->head.number + 1);
  EXPECT_FALSE(way.next());

  EXPECT_FALSE(way.answered(answer(*far, 30)));
  EXPECT_FALSE(way.next()) << "the first is not complete";
  auto merge = way.answered(answer(*both, 20));
  ASSERT_TRUE(merge);
  EXPECT_EQ(value_of(*merge->of.here), 1);
  EXPECT_EQ(value_of(*merge->of.there), 20);
  way.merged(merge->round, some(120));

  std::vector<std::pair<int, int>> got;
  while (auto one = way.next()) got.emplace_back(one->about.from, value_of(*one->whole));
  EXPECT_EQ(got, (std::vector<std::pair<int, int>>{{10, 120}, {11, 30}, {12, 4}}));
  EXPECT_TRUE(way.idle());
}

}  // namespace
