#include <skel/detail/pattern/pattern.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/refusal.hpp"

namespace {

using skel::pattern;
using skel::test::refusal_of;

TEST(Pattern, DealsSubscriptsToIterations) {
  pattern const edges(3, 4, std::vector{0, 1, 1, 2, 2, 3});
  EXPECT_EQ(edges.iterations(), 3u);
  EXPECT_EQ(edges.elements(), 4u);
  EXPECT_EQ(edges.subscripts(), 6u);
  EXPECT_TRUE(edges.uniform());
  EXPECT_EQ(edges.width(), 2u);
  EXPECT_THAT(edges.row(1), testing::ElementsAre(1u, 2u));
}

TEST(Pattern, HasRowsOfUnequalLengthAlsoEmptyOnes) {
  auto const rows = pattern::rows(5, {0, 2, 2, 5}, std::vector<std::int64_t>{4, 0, 1, 1, 3});
  EXPECT_EQ(rows.iterations(), 3u);
  EXPECT_FALSE(rows.uniform());
  EXPECT_EQ(rows.width(), 3u);
  EXPECT_THAT(rows.row(0), testing::ElementsAre(4u, 0u));
  EXPECT_TRUE(rows.row(1).empty());
  EXPECT_THAT(rows.row(2), testing::ElementsAre(1u, 1u, 3u));
}

TEST(Pattern, MayBeEmpty) {
  EXPECT_EQ(pattern().iterations(), 0u);
  EXPECT_EQ(pattern(0, 7, std::vector<int>{}).elements(), 7u);
  EXPECT_EQ(pattern(3, 0, std::vector<int>{}).width(), 0u);
  EXPECT_EQ(pattern::rows(0, {0}, std::vector<int>{}).iterations(), 0u);
}

TEST(Pattern, NamesIterationSlotAndValueOfASubscriptOutOfRange) {
  EXPECT_THAT(refusal_of([] {
                pattern(2, 4, std::vector{0, 1, 2, 4});
              }),
              testing::AllOf(testing::HasSubstr("iteration 1, slot 1"), testing::HasSubstr("subscript 4"),
                             testing::HasSubstr("4 elements")));
  EXPECT_THAT(refusal_of([] {
                pattern(2, 4, std::vector{0, -1, 2, 3});
              }),
              testing::AllOf(testing::HasSubstr("iteration 0, slot 1"), testing::HasSubstr("subscript -1")));
  EXPECT_THAT(refusal_of([] { pattern(1, 4, std::vector<std::int64_t>{std::int64_t{1} << 32}); }),
              testing::HasSubstr("subscript 4294967296"));
  EXPECT_THAT(refusal_of([] {
                pattern::rows(4, {0, 0, 1, 3}, std::vector{3, 2, 9});
              }),
              testing::HasSubstr("iteration 2, slot 1"));
}

TEST(Pattern, RefusesShapesThatDoNotFit) {
  EXPECT_THAT(refusal_of([] { pattern(2, 4, std::vector{0, 1, 2}); }), testing::HasSubstr("3 subscripts"));
  EXPECT_THAT(refusal_of([] { pattern(0, 4, std::vector{0}); }), testing::HasSubstr("0 iterations"));
  EXPECT_THAT(refusal_of([] { pattern::rows(4, {}, std::vector<int>{}); }), testing::HasSubstr("offsets[0]"));
  EXPECT_THAT(refusal_of([] { pattern::rows(4, {1, 1}, std::vector{0}); }), testing::HasSubstr("offsets[0]"));
  EXPECT_THAT(refusal_of([] { pattern::rows(4, {0, 2, 1}, std::vector{0}); }), testing::HasSubstr("offsets[2]"));
  EXPECT_THAT(refusal_of([] { pattern::rows(4, {0, 2}, std::vector{0}); }), testing::HasSubstr("offsets[1]"));
}

TEST(Pattern, RefusesMoreElementsThanPlansCanNumber) {
  EXPECT_EQ(pattern(1, std::size_t{1} << 31, std::vector<std::uint32_t>{0x7fffffff}).elements(), std::size_t{1} << 31);
  EXPECT_THAT(refusal_of([] { pattern(1, (std::size_t{1} << 31) + 1, std::vector{0}); }),
              testing::HasSubstr("2147483649 elements"));
}

TEST(Pattern, CopiesHaveTheSameVersionAndEveryOtherContentAnotherOne) {
  pattern one(1, 2, std::vector{0, 1});
  pattern const same_content(1, 2, std::vector{0, 1});
  EXPECT_NE(one.version(), same_content.version());
  pattern const copy = one;
  EXPECT_EQ(copy.version(), one.version());
  one.change([](pattern::editor& pen) { pen.set(0, 1, 0); });
  EXPECT_NE(copy.version(), one.version());
  EXPECT_THAT(one.row(0), testing::ElementsAre(0u, 0u));
  EXPECT_THAT(copy.row(0), testing::ElementsAre(0u, 1u));
}

TEST(Pattern, IsEmptyAfterAMoveAndTakesItsVersionAlong) {
  pattern one(1, 2, std::vector{0, 1});
  auto const version = one.version();
  pattern two = std::move(one);
  EXPECT_EQ(two.version(), version);
  EXPECT_EQ(one.iterations(), 0u);
  EXPECT_NE(one.version(), version);
  one = std::move(two);
  EXPECT_EQ(one.version(), version);
  EXPECT_THAT(one.row(0), testing::ElementsAre(0u, 1u));
  EXPECT_EQ(two.elements(), 0u);
  EXPECT_NE(two.version(), version);
}

TEST(Pattern, HasAnotherVersionAfterAnEditThatThrows) {
  pattern one(1, 2, std::vector{0, 1});
  auto const before = one.version();
  auto const two_writes = [](pattern::editor& pen) {
    pen.set(0, 0, 1);
    pen.set(0, 1, 2);
  };
  EXPECT_THAT(refusal_of([&] { one.change(two_writes); }),
              testing::AllOf(testing::HasSubstr("iteration 0, slot 1"), testing::HasSubstr("subscript 2")));
  EXPECT_THAT(one.row(0), testing::ElementsAre(1u, 1u));
  EXPECT_NE(one.version(), before);
  EXPECT_THAT(refusal_of([&] { one.change([](pattern::editor& pen) { pen.set(1, 0, 0); }); }),
              testing::HasSubstr("no such slot"));
}

TEST(Pattern, HasPartsWithTheSameElements) {
  pattern const pairs(4, 9, std::vector{0, 1, 1, 2, 2, 3, 3, 8});
  auto const middle = pairs.part(1, 3);
  EXPECT_EQ(middle.iterations(), 2u);
  EXPECT_EQ(middle.elements(), 9u);
  EXPECT_TRUE(middle.uniform());
  EXPECT_THAT(middle.index(), testing::ElementsAre(1u, 2u, 2u, 3u));
  EXPECT_EQ(pairs.part(2, 2).iterations(), 0u);
  auto const rows = pattern::rows(9, {0, 1, 1, 4}, std::vector{5, 0, 1, 2});
  EXPECT_THAT(rows.part(1, 3).offsets(), testing::ElementsAre(0u, 0u, 3u));
  std::vector<std::size_t> const ends{0, 2};
  EXPECT_THAT(rows.part(ends).index(), testing::ElementsAre(5u, 0u, 1u, 2u));
  EXPECT_THAT(rows.part(ends).offsets(), testing::ElementsAre(0u, 1u, 4u));
}

TEST(Pattern, HasTheHashOfItsContent) {
  pattern const one(2, 9, std::vector{0, 1, 1, 2}), same(2, 9, std::vector{0, 1, 1, 2});
  EXPECT_EQ(one.content(), same.content());
  for (pattern const& other : {pattern(2, 10, std::vector{0, 1, 1, 2}), pattern(2, 9, std::vector{1, 0, 1, 2}),
                               pattern(2, 9, std::vector{0, 1, 2, 1}), pattern(4, 9, std::vector{0, 1, 1, 2}),
                               pattern::rows(9, {0, 1, 4}, std::vector{0, 1, 1, 2}), pattern(0, 9, std::vector<int>())})
    EXPECT_NE(one.content(), other.content());
}

}  // namespace
