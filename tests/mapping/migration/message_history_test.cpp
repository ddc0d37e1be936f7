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

TEST(MessageHistory, WhatComesAgainIsInBothHalves) {
  message_history all;
  EXPECT_TRUE(all.halves().first.empty());
  for (std::size_t s = 0; s < 100; ++s) all.add(s % 4 == 0 ? many : none);
  auto const [found_by, judged_by] = all.halves();
  ASSERT_EQ(found_by.size(), 2U);
  ASSERT_EQ(judged_by.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(found_by[k].messages, judged_by[k].messages);
    EXPECT_EQ(found_by[k].part, judged_by[k].part);
  }
}

TEST(MessageHistory, WhatCameOnceIsInOneHalfForAllOfIt) {
  message_history all;
  for (std::size_t s = 0; s < 100; ++s) all.add(s % 2 == 0 ? none : std::vector<record::bsp_message>{{s, s + 1, 100}});
  auto const part_of_none = [](std::vector<usual_messages> const& half) {
    double part = 0, sum = 0;
    for (auto const& one : half) sum += one.part, part += one.messages.empty() ? one.part : 0;
    EXPECT_NEAR(sum, 1, 1e-12);
    return part;
  };
  auto const [found_by, judged_by] = all.halves();
  EXPECT_EQ(found_by.size() + judged_by.size(), message_history::most_kept + 1);
  for (auto const& one : found_by)
    for (auto const& other : judged_by) EXPECT_TRUE(one.messages.empty() || one.messages != other.messages);
  EXPECT_NEAR(part_of_none(found_by), part_of(all, none), 1e-12);
  EXPECT_NEAR(part_of_none(judged_by), part_of(all, none), 1e-12);
}

}  // namespace
