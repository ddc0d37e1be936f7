#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

#include "settings_arguments.hpp"
#include "support/registry_laws.hpp"

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

/// What a program was started with, and what is left of it.
struct arguments {
  std::vector<std::string> all;
  std::vector<std::string> left{};

  skel::run_settings read() {
    std::vector<char*> pointers;
    for (auto& one : all) pointers.push_back(one.data());
    pointers.push_back(nullptr);
    int count = static_cast<int>(all.size());
    char** values = pointers.data();
    auto const settings = skel::settings_from_arguments(count, values);
    left.assign(values, values + count);
    return settings;
  }
};

TEST(SettingsArguments, AreTakenOutOfTheProgramsOwn) {
  arguments of{{"program", "--input", "x", "--skel-checkpoint", "kept", "--skel-remap=off", "--skel-live", "-v"}};
  auto const settings = of.read();
  EXPECT_EQ(settings.checkpoint, "kept");
  EXPECT_FALSE(settings.remap);
  EXPECT_TRUE(settings.live);
  EXPECT_THAT(of.left, ElementsAre("program", "--input", "x", "-v"));
}

bool const is_added = [] {
  skel::settings_table().add({"own-trace", "FILE", "Writes a trace.",
                              [](auto& settings, auto&, auto& file) { settings.trace = "own " + file; }});
  return true;
}();

TEST(SettingsArguments, KeepTheLawsOfARegistryAndTakeOneMore) {
  auto const& all = skel::settings_table();
  EXPECT_TRUE(is_added);
  EXPECT_TRUE(std::ranges::is_sorted(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.of_skel()), {},
                                     &skel::setting_row::name))
      << "as the help lists them";
  check_registry(all);
  EXPECT_EQ((arguments{{"program", "--skel-own-trace", "t"}}.read().trace), "own t");
}

TEST(SettingsArguments, MayBeNone) {
  int count = 0;
  char** values = nullptr;
  EXPECT_FALSE(skel::settings_from_arguments(count, values).live);
  EXPECT_EQ(count, 0);
}

TEST(SettingsArguments, SayWhatIsWrongWithAnOption) {
  auto const read = [](std::initializer_list<std::string> given) {
    return [given = std::vector<std::string>(given)] {
      arguments of{given};
      of.all.insert(of.all.begin(), "program");
      of.read();
    };
  };
  EXPECT_THAT(read({"--skel-checkpoints", "x"}),
              ThrowsMessage<skel::error>(AllOf(HasSubstr("no such option"), HasSubstr("--skel-checkpoint"))));
  EXPECT_THAT(read({"--skel-policy", "never"}),  // what all begin with does not make it near to another one
              ThrowsMessage<skel::error>(AllOf(HasSubstr("no such option"), Not(HasSubstr("did you mean")))));
  EXPECT_THAT(read({"--skel-migration", "rotate:99999999999999999999"}),
              ThrowsMessage<skel::error>(HasSubstr("is more than the 1000000 supersteps that are the most")));
  for (auto const* flag : {"--skel-live=no", "--skel-ranks=3", "--skel-progress="})
    EXPECT_THAT(read({flag}), ThrowsMessage<skel::error>(HasSubstr("takes no value")));
  EXPECT_THAT(read({"--skel-patience", "1", "--skel-patience=2"}),
              ThrowsMessage<skel::error>(HasSubstr("--skel-patience: is given twice: '1' and '2'")));
  EXPECT_THAT(read({"--skel-force", "exchange=dense", "--skel-force", "exchange=sparse"}),
              ThrowsMessage<skel::error>(HasSubstr("--skel-force: is given twice")));
  EXPECT_NO_THROW(read({"--skel-patience", "1", "--skel-patience=1", "--skel-force", "exchange=dense", "--skel-force",
                        "reduction=selpriv"})());
  EXPECT_THAT(read({"--skel-trace"}), ThrowsMessage<skel::error>(HasSubstr("needs a value: FILE")));
  for (auto const& empty : {read({"--skel-checkpoint", ""}), read({"--skel-checkpoint="})})
    EXPECT_THAT(empty, ThrowsMessage<skel::error>(AllOf(HasSubstr("its value is empty"), HasSubstr("FOLDER"))));
}

/// What is told on standard error meanwhile.
std::string said(std::function<void()> const& does) {
  testing::internal::CaptureStderr();
  does();
  return testing::internal::GetCapturedStderr();
}

skel::run_settings with_options_of_bsp() {
  skel::run_settings settings;
  settings.migration.emplace();
  settings.scenario = "kept.json";
  return settings;
}

// Warnings come once for a process, and so does what a BSP program has used: one test for what is said before one ran.
TEST(UnusedSettings, OfBspProgramsAreNamedUnlessABspProgramOfTheProcessHadThem) {
  auto const settings = with_options_of_bsp();
  auto const named = [](std::string const& of) {
    return AllOf(HasSubstr("--skel-migration: has no effect on " + of),
                 HasSubstr("--skel-scenario: has no effect on " + of));
  };
  EXPECT_THAT(said([&] { skel::warn_of_unused_by_line(settings); }), named("pipelines"));
  EXPECT_EQ(said([&] { skel::warn_of_unused_by_line(settings); }), "") << "a second time";
  skel::warn_of_unused_by_bsp(settings, false, "");
  EXPECT_EQ(said([&] { skel::warn_of_unused_by_mesh(settings); }), "") << "although it was not said of meshes before";
}

}  // namespace
