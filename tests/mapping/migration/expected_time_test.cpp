#include "mapping/migration/expected_time.hpp"

#include <gmock/gmock.h>

namespace {

using skel::mapping::migration::cheapest_sequences;
using testing::ElementsAre;

TEST(CheapestSequences, ChangeWhereThatPays) {
  // The second way is better in the last two parts, and worse in the first.
  auto const made = cheapest_sequences({{1, 5, 5}, {4, 1, 1}}, {0, 3, 3, 0}, {1, 1, 1});
  EXPECT_THAT(made.seconds, ElementsAre(1 + 3 + 1 + 1, 4 + 1 + 1));
  EXPECT_THAT(made.changes, ElementsAre(1, 3)) << "the second way stays to the end";
}

TEST(CheapestSequences, StayWhereChangesAreDear) {
  auto const made = cheapest_sequences({{1, 5, 5}, {4, 1, 1}}, {0, 30, 30, 0}, {1, 1, 1});
  EXPECT_THAT(made.seconds, ElementsAre(11, 6));
  EXPECT_THAT(made.changes, ElementsAre(3, 3));
}

TEST(CheapestSequences, PayForAChangeByItsChance) {
  auto const made = cheapest_sequences({{1, 4}, {9, 1}}, {0, 4, 4, 0}, {1, 0.5});
  EXPECT_THAT(made.seconds, ElementsAre(1 + 0.5 * 4 + 1, 9 + 1));
}

}  // namespace
