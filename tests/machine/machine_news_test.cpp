#include <skel/detail/machine/machine_news.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/files.hpp>

namespace {

using namespace skel;
using kind = platform::announcement::kind;

run_platform two_sites() {
  auto const machine = platform::parse_description(R"({"skel_platform": 1, "clusters": [
    {"name": "lyon", "hosts": 2, "speed": 1, "latency": 1e-4, "bandwidth": 1e8},
    {"name": "nancy", "hosts": 2, "speed": 1, "latency": 1e-4, "bandwidth": 1e8}],
    "links": [{"from": "lyon", "to": "nancy", "latency": 1e-3, "bandwidth": 1e7}]})",
                                                   "two sites");
  return {platform::snapshot(machine), {0, 1, 2, 3}};
}

platform::announcement link(std::optional<double> latency, std::optional<double> bandwidth) {
  return {.says = kind::link, .host = "lyon", .to = "nancy", .latency = latency, .bandwidth = bandwidth};
}

TEST(LiveMachine, IsThatWhichItBeganWithUntilItIsTold) {
  live_machine machine(two_sites());
  EXPECT_EQ(machine.number(), 0U);
  EXPECT_FALSE(machine.take({}));
  EXPECT_EQ(machine.machine(), two_sites().picture.machine());
}

TEST(LiveMachine, HasAnotherNumberForEachOtherPictureAndTheFirstOneAgain) {
  live_machine machine(two_sites());
  EXPECT_TRUE(machine.take({link(0.05, std::nullopt)}));
  EXPECT_EQ(machine.number(), 1U);
  EXPECT_DOUBLE_EQ(machine.machine().path(0, 2).latency, 0.05);
  EXPECT_TRUE(machine.take({link(std::nullopt, 1e6)}));
  EXPECT_EQ(machine.number(), 2U);
  EXPECT_DOUBLE_EQ(machine.machine().path(0, 2).bandwidth, 1e6);
  EXPECT_TRUE(machine.take({link(1e-3, 1e7)}));
  EXPECT_EQ(machine.number(), 0U);
  EXPECT_EQ(machine.machine(), two_sites().picture.machine());
}

TEST(LiveMachine, DoesNotTurnForWhatPricesDoNotTellApart) {
  live_machine machine(two_sites());
  EXPECT_FALSE(machine.take({link(1.01e-3, std::nullopt)}));
  EXPECT_FALSE(machine.take({{.says = kind::speed, .host = "lyon", .factor = 0.1}}));
  EXPECT_EQ(machine.number(), 0U);
  // But what adds up does.
  EXPECT_TRUE(machine.take({link(1.05e-3, std::nullopt)}));
}

TEST(LiveMachine, HasWhatIsAnnouncedOfAPathThatTookNoTime) {
  auto const ideal = platform::parse_description(R"({"skel_platform": 1, "clusters": [
    {"name": "lyon", "hosts": 1, "speed": 1}, {"name": "nancy", "hosts": 1, "speed": 1}],
    "links": [{"between": ["lyon", "nancy"], "latency": 0}]})",
                                                 "ideal");
  run_platform const began{platform::snapshot(ideal), {0, 1}};
  live_machine machine(began);
  EXPECT_TRUE(machine.take({link(0.05, 1e6)}));
  EXPECT_EQ(machine.machine().path(0, 1), (platform::link{0.05, 1e6}));
  platform::monitor monitor(began.picture, began.host_of_rank);
  monitor.add(link(0.05, 1e6), 0);
  EXPECT_THAT(known_paths(monitor), testing::ElementsAre(link(0.05, 1e6)));
}

TEST(LiveMachine, IgnoresWhatIsNotThere) {
  live_machine machine(two_sites());
  EXPECT_FALSE(machine.take({{.says = kind::link, .host = "paris", .to = "nancy", .latency = 1}}));
}

TEST(News, AreReadBackAsTheyWere) {
  std::vector<platform::announcement> const all{link(0.1 + 0.2, 1e7 / 3),
                                                {.says = kind::speed, .host = "lyon", .factor = 1.0 / 3},
                                                {.says = kind::leaves, .host = "nancy"}};
  EXPECT_EQ(read_news(to_news(all)), all);
  EXPECT_EQ(read_news(""), std::vector<platform::announcement>{});
  EXPECT_THROW(read_news("nothing\n"), input_error);
}

TEST(KnownPaths, TellALiveMachineWhatAMonitorExpects) {
  auto const began = two_sites();
  platform::monitor monitor(began.picture, began.host_of_rank);
  EXPECT_TRUE(known_paths(monitor).empty());
  for (double time = 0.05; time < 10; time += 0.25) {
    monitor.add(platform::link_reading{0, 2, time, 0, 0.02});
    monitor.advance(time);
  }
  monitor.advance(10);
  live_machine machine(began);
  EXPECT_TRUE(machine.take(known_paths(monitor)));
  EXPECT_EQ(machine.machine(), monitor.next().machine());
  EXPECT_NEAR(machine.machine().path(0, 2).latency, 0.02, 1e-9);
}

}  // namespace
