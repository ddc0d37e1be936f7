#include <gtest/gtest.h>

#include <interpose/group_knowledge.hpp>

namespace {

using skel::interpose::kept_verdicts;
using skel::mapping::collective_request;
using verdict = skel::interpose::way::verdict;

collective_request const small{.operation = skel::plan::collective::reduce, .bytes = 8, .root = 3, .unit = 8};
collective_request const large{.operation = skel::plan::collective::allgather, .bytes = 1 << 20, .unit = 4};

TEST(KeptVerdicts, AreReadBack) {
  kept_verdicts first;
  EXPECT_EQ(first.believed(small), verdict::open);
  EXPECT_EQ(first.last(small), verdict::open);
  first.found(small, verdict::lost);
  first.found(large, verdict::won);
  first.found(large, verdict::open);
  EXPECT_EQ(first.believed(large), verdict::won);

  kept_verdicts const second(first.entries());
  EXPECT_EQ(second.believed(small), verdict::lost);
  EXPECT_EQ(second.believed(large), verdict::won);
  auto commutes = small;
  commutes.commutative = !small.commutative;
  EXPECT_EQ(second.believed(commutes), verdict::open);
  EXPECT_TRUE(second.entries().empty()) << "nothing was found out since";
}

TEST(KeptVerdicts, AreFoundOutAnewAfterOneTwoFourProcesses) {
  kept_verdicts now;
  now.found(small, verdict::lost);
  std::string tried;
  for (int process = 2; process < 36; ++process) {
    kept_verdicts next(now.entries());
    EXPECT_EQ(next.last(small), verdict::lost);
    if (next.believed(small) == verdict::open) tried += std::to_string(process) + ' ';
    next.found(small, verdict::lost);
    now = next;
  }
  EXPECT_EQ(tried, "3 5 9 17 33 ");
}

TEST(KeptVerdicts, WhatIsFoundOutAnewCounts) {
  kept_verdicts first;
  first.found(small, verdict::lost);
  kept_verdicts second(first.entries());
  second.found(small, verdict::won);
  second.found(small, verdict::won);
  EXPECT_EQ(second.believed(small), verdict::won);
  EXPECT_EQ(second.entries().front().second, "won 2");
}

TEST(KeptVerdicts, PassOverEntriesThatAreNone) {
  kept_verdicts one;
  one.found(small, verdict::lost);
  auto const sound = one.entries().front();
  for (auto const& [key, value] : skel::mapping::decision_entries{{sound.first, "lost"},
                                                                  {sound.first, "lost 0"},
                                                                  {sound.first, "lost -1"},
                                                                  {sound.first, "lost 1 "},
                                                                  {sound.first, "found 1"},
                                                                  {sound.first + " 1", "lost 1"},
                                                                  {"interposed|", "lost 1"},
                                                                  {"interposed|induce 8 3 8 0", "lost 1"},
                                                                  {"interposed|reduce 8 x 8 0", "lost 1"},
                                                                  {"placement|reduce 8 3 8 0", "lost 1"}})
    EXPECT_EQ(kept_verdicts({{key, value}}).believed(small), verdict::open) << key << ": " << value;
  EXPECT_EQ(kept_verdicts({sound}).believed(small), verdict::lost);
}

}  // namespace
