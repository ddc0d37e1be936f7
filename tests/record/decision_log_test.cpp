#include <skel/detail/record/decision_log.hpp>

#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

namespace {

using skel::record::decision_file;

std::string text_of(std::string const& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(DecisionFile, IsALineForEachDecisionAndEachTimeThatIsToldOfIt) {
  std::string const file = testing::TempDir() + "decisions_of_test.jsonl";
  {
    decision_file log(file);
    EXPECT_EQ(log.decided({.problem = "allreduce",
                           .request = "of a \"word\"",
                           .context = {1, -2, 3, 4},
                           .model = "pLogP \xff\xc3\xbc",
                           .reason = "least",
                           .uses = std::numeric_limits<double>::infinity(),
                           .candidates = {{"ring", 0, 0.5, 0.25, 0.125}, {"tree\n", 1, 2, 3, 4}}}),
              1u);
    log.measured(1, {2, 0.1});
    log.paid(1, 0.5);
    // At once: who is killed has told.
    EXPECT_EQ(text_of(file),
              "{\"decision\":1,\"problem\":\"allreduce\",\"request\":\"of a \\\"word\\\"\",\"context\":[1,-2,3,4],"
              "\"model\":\"pLogP \\\\xff\xc3\xbc\",\"reason\":\"least\",\"uses\":null,\"candidates\":["
              "{\"name\":\"ring\",\"entry\":0,\"predicted\":0.5,\"expected\":0.25,\"doubt\":0.125},"
              "{\"name\":\"tree\\u000a\",\"entry\":1,\"predicted\":2,\"expected\":3,\"doubt\":4}]}\n"
              "{\"decision\":1,\"measured\":{\"uses\":2,\"mean\":0.1}}\n"
              "{\"decision\":1,\"paid\":0.5}\n");
    EXPECT_EQ(log.problem(), "");
  }
  std::remove(file.c_str());
}

TEST(DecisionFile, ThatCannotBeWrittenIsRefused) {
  auto const refusal = [](std::string const& file) -> std::string {
    try {
      decision_file const log(file);
      return "it was opened";
    } catch (skel::error const& refused) {
      return refused.what();
    }
  };
  EXPECT_EQ(refusal("/no/such/folder/decisions.jsonl"),
            "/no/such/folder/decisions.jsonl: cannot be opened for writing: No such file or directory; give "
            "--skel-decisions a file in a folder that exists");
  EXPECT_EQ(refusal("/"),
            "/: cannot be opened for writing: Is a directory; give --skel-decisions a file that can be "
            "written");
}

TEST(DecisionFile, SaysWhichFileDoesNotHaveAllAndWhy) {
  decision_file log("/dev/full");
  decision_entry some;
  some.problem = "toy";
  log.decided(some);
  EXPECT_EQ(log.problem(), "/dev/full: does not have all decisions: No space left on device");
}

TEST(DecisionFile, SaysSoOfLinesThatAreWrittenInSeveralPieces) {
  decision_file log("/dev/full");
  decision_entry some;
  some.problem = std::string(1'000'000, 'x');
  log.decided(some);
  EXPECT_EQ(log.problem(), "/dev/full: does not have all decisions: No space left on device");
}

TEST(DecisionFile, IsNoPipeThatNobodyMayRead) {
  std::string const pipe = testing::TempDir() + "pipe_of_test";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT([&] { decision_file const log(pipe); },
              testing::ThrowsMessage<skel::error>(pipe + ": is a pipe; give --skel-decisions a file"));
  std::remove(pipe.c_str());
}

}  // namespace
