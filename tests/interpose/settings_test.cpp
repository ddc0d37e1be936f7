#include <interpose/settings.hpp>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

namespace {

using skel::interpose::mismatch;
using skel::interpose::read_settings;
using skel::interpose::settings;
using skel::plan::collective;
using testing::ElementsAre;
using testing::HasSubstr;

/// The settings of an environment that has these variables and no others of ours.
settings with(std::vector<std::pair<char const*, char const*>> const& variables) {
  for (char const* name : {"SKEL_MPI", "SKEL_MPI_VERBOSE", "SKEL_PLATFORM", "SKEL_PLATFORM_MISMATCH", "SKEL_MPI_HOSTS",
                           "SKEL_MPI_ALGORITHM"})
    ::unsetenv(name);
  for (auto const& [name, value] : variables) ::setenv(name, value, 1);
  return read_settings();
}

std::string refusal(char const* name, char const* value) {
  try {
    with({{name, value}});
  } catch (skel::input_error const& problem) {
    return problem.what();
  }
  return "accepted";
}

TEST(InterposeSettings, ServeSilentlyUnlessToldOtherwise) {
  settings const none = with({});
  EXPECT_TRUE(none.on);
  EXPECT_FALSE(none.always);
  EXPECT_EQ(none.verbose, 0);
  EXPECT_EQ(none.otherwise, mismatch::pass);
  EXPECT_TRUE(none.platform.empty() && none.hosts.empty() && none.forced.empty());
}

TEST(InterposeSettings, AreReadFromTheEnvironment) {
  settings const all = with({{"SKEL_MPI", "off"},
                             {"SKEL_MPI_VERBOSE", "1"},
                             {"SKEL_PLATFORM", "grid.json"},
                             {"SKEL_PLATFORM_MISMATCH", "refuse"},
                             {"SKEL_MPI_HOSTS", "a b,c\n d"},
                             {"SKEL_MPI_ALGORITHM", "reduce=binomial broadcast=pipeline:4096"}});
  EXPECT_FALSE(all.on);
  EXPECT_EQ(all.verbose, 1);
  EXPECT_EQ(all.platform, "grid.json");
  EXPECT_EQ(all.otherwise, mismatch::refuse);
  EXPECT_THAT(all.hosts, ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(all.forced.at(collective::reduce).name, "binomial");
  EXPECT_EQ(all.forced.at(collective::broadcast).segment, 4096u);
}

TEST(InterposeSettings, AlwaysTakesSkelsWay) {
  EXPECT_TRUE(with({{"SKEL_MPI", "always"}}).always);
  EXPECT_TRUE(with({{"SKEL_MPI", "always"}}).on);
  EXPECT_FALSE(with({{"SKEL_MPI", "on"}}).always);
}

TEST(InterposeSettings, HowMuchIsSaidNeverEndsTheRun) {
  EXPECT_EQ(with({{"SKEL_MPI_VERBOSE", "0"}}).verbose, 0);
  EXPECT_EQ(with({{"SKEL_MPI_VERBOSE", "on"}}).verbose, 1);
  EXPECT_EQ(with({{"SKEL_MPI_VERBOSE", "2"}}).verbose, 2);
  EXPECT_EQ(with({{"SKEL_MPI_VERBOSE", "loud"}}).verbose, 1);
  EXPECT_EQ(with({{"SKEL_MPI_VERBOSE", "-3"}}).verbose, 1);
}

TEST(InterposeSettings, LevelsThatThereAreNotAreSaid) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(with({{"SKEL_MPI_VERBOSE", "7"}}).verbose, 1);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("SKEL_MPI_VERBOSE: '7' is no level (0, 1 or 2)"));

  testing::internal::CaptureStderr();
  EXPECT_EQ(with({{"SKEL_MPI_VERBOSE", "\x1b[2J"}}).verbose, 1);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("'\\x1b[2J'"));
}

TEST(InterposeSettings, RefusalsNameTheVariableAndWhatThereIs) {
  EXPECT_THAT(refusal("SKEL_MPI", "perhaps"), HasSubstr("SKEL_MPI: 'perhaps'"));
  EXPECT_THAT(refusal("SKEL_PLATFORM_MISMATCH", "mesure"), HasSubstr("did you mean 'measure'"));
  EXPECT_THAT(refusal("SKEL_MPI_ALGORITHM", "broadcast=binomail"), HasSubstr("did you mean 'binomial'"));
  EXPECT_THAT(refusal("SKEL_MPI_ALGORITHM", "bcast=binomial"),
              HasSubstr("'bcast' is no collective; one of broadcast, "));
  EXPECT_THAT(refusal("SKEL_MPI_ALGORITHM", "broadcast=pipeline:4k"), HasSubstr("'4k'"));
  EXPECT_THAT(refusal("SKEL_MPI_ALGORITHM", "binomial"), HasSubstr("OPERATION=ALGORITHM"));
}

}  // namespace
