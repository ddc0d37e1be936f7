#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <runtime/station/order.hpp>

#include "support/dice.hpp"

namespace {

using skel::runtime::arrival;
using skel::runtime::arrival_order;

arrival numbered(std::uint64_t sequence, int from = 0) {
  arrival out;
  out.what.sequence = sequence;
  out.from = from;
  return out;
}

TEST(ArrivalOrder, GivesThemAsTheyCameWhereNobodyAsksForOrder) {
  arrival_order order(false);
  for (std::uint64_t sequence : {4u, 0u, 2u}) order.add(numbered(sequence));
  for (std::uint64_t sequence : {4u, 0u, 2u}) {
    ASSERT_TRUE(order.ready());
    EXPECT_EQ(order.take().what.sequence, sequence);
  }
  EXPECT_TRUE(order.empty());
}

TEST(ArrivalOrder, HoldsBackWhatComesTooEarly) {
  arrival_order order(true);
  order.add(numbered(1, 5));
  EXPECT_FALSE(order.ready());
  EXPECT_FALSE(order.empty());
  order.add(numbered(0, 3));
  EXPECT_EQ(order.take().from, 3);
  EXPECT_EQ(order.take().from, 5);
  EXPECT_TRUE(order.empty());
}

TEST(ArrivalOrder, GivesEveryRandomOrderInSequence) {
  bench::dice roll(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::uint64_t> sequences(roll.below(40));
    std::iota(sequences.begin(), sequences.end(), 0);
    for (std::size_t i = sequences.size(); i > 1; --i) std::swap(sequences[i - 1], sequences[roll.below(i)]);
    arrival_order order(true);
    std::uint64_t next = 0;
    for (std::uint64_t sequence : sequences) {
      order.add(numbered(sequence));
      while (order.ready() && roll.one_in(2)) EXPECT_EQ(order.take().what.sequence, next++);
    }
    while (order.ready()) EXPECT_EQ(order.take().what.sequence, next++);
    EXPECT_EQ(next, sequences.size());
    EXPECT_TRUE(order.empty());
  }
}

TEST(ArrivalOrder, GoesOnWhereAnotherRankWas) {
  arrival_order order(true);
  order.add(numbered(7));
  order.add(numbered(6));
  EXPECT_FALSE(order.ready());
  order.expect(6);
  EXPECT_EQ(order.take().what.sequence, 6u);
  EXPECT_EQ(order.take().what.sequence, 7u);
  EXPECT_EQ(order.expected(), 8u);

  arrival_order from_the_first_on(true);  // what was before has taken nothing
  from_the_first_on.add(numbered(0));
  from_the_first_on.expect(0);
  from_the_first_on.add(numbered(1));
  EXPECT_EQ(from_the_first_on.take().what.sequence, 0u);
  EXPECT_EQ(from_the_first_on.take().what.sequence, 1u);
}

}  // namespace
