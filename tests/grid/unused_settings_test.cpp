#include "unused_settings.hpp"

#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::AllOf;
using testing::HasSubstr;

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
