#include <skel/detail/platform/decision_history.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/record/decision_log.hpp>

namespace {

using skel::platform::parse_decisions;

std::string one_of(int number) {
  return "{\"decision\":" + std::to_string(number) +
         ",\"problem\":\"p\",\"request\":\"r\",\"context\":[1,2,3,4],\"model\":\"m\",\"reason\":\"only\",\"uses\":8,"
         "\"candidates\":[{\"name\":\"n\",\"entry\":0,\"predicted\":1,\"expected\":1,\"doubt\":0}]}\n";
}

TEST(DecisionHistory, IsWhatWasWritten) {
  std::string const file = testing::TempDir() + "history_of_test.jsonl";
  skel::record::decision_entry const made{.problem = "exchange",
                                          .request = "pattern 1 of \"x\"",
                                          .context = {-1, 0, 1, 1LL << 62},
                                          .model = "pLogP",
                                          .reason = "trial",
                                          .uses = std::numeric_limits<double>::infinity(),
                                          .candidates = {{"sparse", 0.1, 1.0 / 3, 1e-300, 0.7}, {"dense", 0, 2, 2, 0}}};
  {
    skel::record::decision_file log(file);
    (void)log.decided(made), (void)log.decided(made);
    log.measured(1, {1, 0.5}), log.measured(1, {2, 0.1});
    log.paid(2, 0.7);
  }
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  std::remove(file.c_str());
  auto const all = parse_decisions(text.str(), "file");
  ASSERT_EQ(all.size(), 2u);
  for (auto const& one : all) {
    EXPECT_EQ(one.made.problem, made.problem);
    EXPECT_EQ(one.made.request, made.request);
    EXPECT_EQ(one.made.context, made.context);
    EXPECT_EQ(one.made.model, made.model);
    EXPECT_EQ(one.made.reason, made.reason);
    EXPECT_EQ(one.made.uses, made.uses);
    ASSERT_EQ(one.made.candidates.size(), 2u);
    EXPECT_EQ(one.made.candidates[0].name, "sparse");
    EXPECT_EQ(one.made.candidates[0].entry, 0.1);
    EXPECT_EQ(one.made.candidates[0].predicted, 1.0 / 3);
    EXPECT_EQ(one.made.candidates[0].expected, 1e-300);
    EXPECT_EQ(one.made.candidates[0].doubt, 0.7);
  }
  EXPECT_EQ(all[0].measured.uses, 2u);
  EXPECT_EQ(all[0].measured.mean, 0.1);
  EXPECT_EQ(all[1].measured.uses, 0u);
  EXPECT_TRUE(std::isnan(all[0].paid));
  EXPECT_EQ(all[1].paid, 0.7);
}

TEST(DecisionHistory, ALineThatWasNotFinishedIsLeftOut) {
  EXPECT_EQ(parse_decisions(one_of(1) + one_of(2).substr(0, 40), "file").size(), 1u);
  EXPECT_TRUE(parse_decisions("", "file").empty());
}

TEST(DecisionHistory, WhatItIsNotIsRefusedWithItsLine) {
  struct wrong {
    std::string text, reason;
  };
  for (auto const& [text, reason] :
       {wrong{"nonsense\n", "line 1"}, wrong{one_of(1) + "[]\n", "line 2"}, wrong{one_of(2), "is 2 where 1 is wanted"},
        wrong{one_of(1) + "{\"decision\":2,\"measured\":{\"uses\":1,\"mean\":1}}\n", "no line before it"},
        wrong{"{\"decision\":0,\"measured\":{\"uses\":1,\"mean\":1}}\n", "no line before it"},
        wrong{one_of(1) + "{\"decision\":1,\"measured\":{\"uses\":-1,\"mean\":1}}\n", "measured.uses"},
        wrong{"{\"decision\":1,\"problem\":\"p\"}\n", "request"}, wrong{"{}\n", "decision"}}) {
    try {
      (void)parse_decisions(text, "FILE");
      ADD_FAILURE() << text;
    } catch (skel::input_error const& refused) {
      EXPECT_THAT(refused.what(), testing::HasSubstr("FILE: line")) << text;
      EXPECT_THAT(refused.what(), testing::HasSubstr(reason)) << text;
    }
  }
}

TEST(DecisionHistory, AnErrorHasOnePositionAndSaysWhatTheFileShouldBe) {
  auto const refused = [](std::string const& text, std::string const& begin) {
    EXPECT_THAT([&] { (void)parse_decisions(text, "FILE"); },
                testing::ThrowsMessage<skel::input_error>(
                    testing::AllOf(testing::StartsWith(begin), testing::Not(testing::HasSubstr("line 1")),
                                   testing::EndsWith("; give a file that --skel-decisions wrote"))));
  };
  refused(one_of(1) + "{\"decision\":2,nonsense}\n", "FILE: line 2, column 16: syntax error");
  refused(one_of(1) + "\xff\n", "FILE: line 2, column 1: the byte ");
  for (auto const* const other : {"{\"skel_platform\":1}\n", "[]\n", "7\n"})
    refused(one_of(1) + other, "FILE: line 2: is no line of a decision");
}

}  // namespace
