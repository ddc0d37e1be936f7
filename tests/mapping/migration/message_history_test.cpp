#include "mapping/migration/message_history.hpp"

#include <vector>

#include <gmock/gmock.h>

namespace {

using namespace skel;
using namespace skel::mapping::migration;

std::vector<record::bsp_message> const none{}, few{{0, 1, 100}}, many{{0, 1, 100}, {1, 0, 200}};

double part_of(message_history const& all, std::vector<record::bsp_message> const& messages) {
  for (auto const& one : all.usual())
    if (one.messages == messages) return one.part;
  return 0;
}

TEST(MessageHistory, KnowsNothingBeforeTheFirstSuperstep) {
  EXPECT_TRUE(message_history().usual().empty());
}

TEST(MessageHistory, IsThatOfTheOnlyOnes) {
  message_history all;
  for (int s = 0; s < 100; ++s) all.add(many);
  ASSERT_EQ(all.usual().size(), 1U);
  EXPECT_DOUBLE_EQ(part_of(all, many), 1);
}

TEST(MessageHistory, SharesSuperstepsAmongThoseThatTakeTurns) {
  message_history all;
  for (int s = 0; s < 200; ++s) all.add(s % 10 == 0 ? many : none);
  EXPECT_NEAR(part_of(all, many), 0.1, 0.05);
  EXPECT_NEAR(part_of(all, many) + part_of(all, none), 1, 1e-12);
  for (int s = 0; s < 100; ++s) all.add(few);
  EXPECT_GT(part_of(all, few), 0.999) << "what has been so for long is what counts";
}

TEST(MessageHistory, KeepsThoseThatCountMost) {
  message_history all;
  for (int s = 0; s < 50; ++s) all.add(many);
  for (std::size_t s = 0; s < 20; ++s) {
    all.add({{0, 1, static_cast<double>(s)}});
    if (s % 2 == 0) all.add(many);
  }
  EXPECT_EQ(all.usual().size(), message_history::most_kept);
  EXPECT_GT(part_of(all, many), 0.3);
  EXPECT_GT(part_of(all, {{0, 1, 19}}), 0.1);
  EXPECT_EQ(part_of(all, {{0, 1, 1}}), 0);
}

}  // namespace
