#include <chrono>
#include <cmath>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/pattern/compose.hpp>
#include <skel/runtime/calibration.hpp>

namespace {

using namespace std::chrono_literals;
using skel::runtime::calibrate;
using skel::runtime::make_program;

auto count_to(int n) {
  return skel::source("count",
                      [n, i = 0]() mutable -> std::optional<int> { return i < n ? std::optional(i++) : std::nullopt; });
}

TEST(Calibration, TakesAtLeastOneItemAndLeavesTheRestOfTheStream) {
  std::vector<int> got;
  auto app = count_to(10) |
             skel::stage("slow",
                         [](int x) {
                           std::this_thread::sleep_for(2ms);
                           return x;
                         }) |
             skel::sink([&](int x) { got.push_back(x); });
  auto const line = make_program(app);
  auto const found = calibrate(line, 0);
  EXPECT_EQ(found.items, 1u);
  EXPECT_FALSE(found.ended);
  EXPECT_THAT(got, testing::ElementsAre(0));
  EXPECT_GE(found.stations[1].seconds, 2e-3);
  auto const rest = calibrate(line, 3600);
  EXPECT_EQ(rest.items, 9u);
  EXPECT_TRUE(rest.ended);
  EXPECT_EQ(got.size(), 10u);
}

TEST(Calibration, MeasuresWhatEachStationCosts) {
  auto app = count_to(100000) |
             skel::stage("one",
                         [](int x) {
                           std::this_thread::sleep_for(1ms);
                           return x;
                         }) |
             skel::stage("three",
                         [](int) {
                           std::this_thread::sleep_for(3ms);
                           return std::vector<char>(500);
                         }) |
             skel::sink([](std::vector<char> const&) {});
  auto const line = make_program(app);
  auto const found = calibrate(line, 0.1);
  EXPECT_GE(found.stations[1].seconds, 1e-3);
  EXPECT_GE(found.stations[2].seconds, 3e-3);
  EXPECT_DOUBLE_EQ(found.stations[2].bytes, 500 + sizeof(std::vector<char>));
  EXPECT_DOUBLE_EQ(found.stations[0].bytes, sizeof(int));
}

TEST(Calibration, EndsAStreamThatIsShorterThanTheMeasurement) {
  int finishes = 0;
  struct watched {
    int* finishes;
    void operator()(int) {}
    void finish() { ++*finishes; }
  };
  auto app = count_to(0) | [](int x) { return x; } | skel::sink(watched{&finishes});
  auto const line = make_program(app);
  auto const found = calibrate(line, 1);
  EXPECT_TRUE(found.ended);
  EXPECT_EQ(found.items, 0u);
  EXPECT_EQ(finishes, 1);
}

TEST(Calibration, CountsTheItemsThatASourceGaveBeforeItThrew) {
  auto app = skel::source("weak",
                          [i = 0]() mutable -> std::optional<int> {
                            if (i == 1000) throw std::runtime_error("broken");
                            return i++;
                          }) |
             [](int x) { return x; } | skel::sink([](int) {});
  auto const line = make_program(app);
  auto const found = calibrate(line, 10);
  ASSERT_TRUE(found.failed.has_value());
  EXPECT_EQ(found.failed->stage, "weak");
  EXPECT_EQ(found.failed->item, 1000u);
}

TEST(Calibration, SaysWhichStageThrewOnWhichItem) {
  auto app = count_to(100) |
             skel::stage("weak",
                         [](int x) {
                           if (x == 7) throw std::runtime_error("broken");
                           std::this_thread::sleep_for(100us);
                           return x;
                         }) |
             skel::sink([](int) {});
  auto const line = make_program(app);
  auto const found = calibrate(line, 10);
  ASSERT_TRUE(found.failed.has_value());
  EXPECT_EQ(found.failed->stage, "weak");
  EXPECT_EQ(found.failed->item, 7u);
  EXPECT_EQ(found.failed->what, "broken");
}

}  // namespace
