#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/skel.hpp>

#include <line/planner.hpp>

/// First plans by made-up costs of first items on a host of two cores.
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Lt;

auto source() {
  return skel::source("read", []() -> std::optional<int> { return 1; });
}
auto pass(int x) {
  return x;
}
auto sink() {
  return skel::sink("write", [](int) {});
}

/// One rank on a host of so many cores.
skel::processor_map host(std::size_t cores) {
  skel::platform::cluster all;
  all.name = "host";
  all.hosts = 1;
  all.speed = 1;
  all.local_latency = 1e-7;
  skel::rank_cores const dealt{{cores}, {0}, {cores}, {}};
  return skel::processors_of(skel::platform::description(1e-7, {all}, {}), 1, 1, &dealt);
}

/// Of a station in first items: so long, of which a part waits.
skel::runtime::station_cost takes(double seconds, double waiting = 0) {
  return {.seconds = seconds, .bytes = 8, .waiting = waiting, .doubt = 0.01};
}

template <class Composition>
skel::planned_program plan(Composition composition, std::vector<skel::runtime::station_cost> const& costs,
                           skel::processor_map const& processors, skel::run_settings settings = {}) {
  settings.knowledge = "off";
  auto const line = skel::runtime::make_program(composition);
  skel::runtime::communicator const ranks;
  skel::program_history history(std::make_shared<skel::decision_store>(ranks, settings, true));
  auto placed = history.believe(line, costs, 10);
  return skel::make_plan(line, 1, processors, std::vector<std::optional<int>>(line.size()), settings, history, placed);
}

std::size_t workers_of(skel::planned_program const& plan) {
  return plan.run.stations[1].ranks.size();
}

TEST(FirstPlan, GivesAFarmThatWaitsMoreWorkersThanThereAreCores) {
  std::vector const costs{takes(1e-6), takes(0.1, 0.999), takes(1e-6)};
  auto const found = plan(source() | skel::farm("fetch", pass) | sink(), costs, host(2));
  EXPECT_GT(workers_of(found), 100u);
  EXPECT_LE(workers_of(found), 256u);
  EXPECT_THAT(found.note, HasSubstr("'fetch' waits for something else than a core for 100 % of its time"));
  EXPECT_NEAR(found.expected.throughput, static_cast<double>(workers_of(found)) / 0.1, 0.1 * found.expected.throughput);
}

TEST(FirstPlan, DoesNotExplainWorkersThatAreForcedByWaiting) {
  std::vector const costs{takes(1e-6), takes(0.1, 0.999), takes(1e-6)};
  skel::run_settings settings;
  settings.forced = {{"placement", "host | host*3 | host"}};
  auto const found = plan(source() | skel::farm("fetch", pass) | sink(), costs, host(2), settings);
  EXPECT_EQ(workers_of(found), 3u);
  EXPECT_THAT(found.note, testing::Not(HasSubstr("waits for something else")));
}

TEST(FirstPlan, GivesAFarmThatWaitsNoMoreWorkersThanKeepUpWithTheRest) {
  // A stage of 10 ms lets 100 items pass in a second, of which each waits for 100 ms.
  std::vector const costs{takes(1e-6), takes(0.1, 0.999), takes(0.01, 0), takes(1e-6)};
  auto const found = plan(source() | skel::farm("fetch", pass) | skel::stage("parse", pass) | sink(), costs, host(2));
  EXPECT_THAT(workers_of(found), AllOf(Ge(10u), Le(20u)));  // ten, and some for times that are not alike
  EXPECT_NEAR(found.expected.throughput, 100, 5);
}

TEST(FirstPlan, CountsTheCoresThatAStageWhichWaitsNeedsMeanwhile) {
  // 2 ms of waiting and 0.5 ms of computing: two cores compute 4000 items in a second, of which ten are under way.
  std::vector const costs{takes(1e-6), takes(2.5e-3, 0.8), takes(1e-6)};
  auto const found = plan(source() | skel::farm("ask", pass) | sink(), costs, host(2));
  // Some more, as workers do not take turns so well that none waits for a core while the others sleep.
  EXPECT_THAT(workers_of(found), AllOf(Ge(10u), Le(40u)));
  EXPECT_THAT(found.expected.throughput, AllOf(Gt(3600), Lt(4000 * 1.05)));
}

TEST(FirstPlan, GivesAFarmThatComputesNoMoreWorkersThanCores) {
  std::vector const costs{takes(1e-6), takes(0.1, 0.002), takes(1e-6)};
  auto const found = plan(source() | skel::farm("work", pass) | sink(), costs, host(2));
  EXPECT_EQ(workers_of(found), 2u);
  EXPECT_THAT(found.note, IsEmpty());
}

TEST(FirstPlan, PredictsWhatTheWidthThatTheUserSaysDoes) {
  std::vector const costs{takes(1e-6), takes(0.1, 0.999), takes(1e-6)};
  auto const found = plan(source() | skel::farm("fetch", pass, skel::width{32}) | sink(), costs, host(2));
  EXPECT_EQ(workers_of(found), 32u);
  EXPECT_NEAR(found.expected.throughput, 320, 16);
}

TEST(FirstPlan, LetsASourceThatWaitsLimitTheFarmBehindIt) {
  std::vector const costs{takes(0.01, 0.99), takes(0.1, 0.999), takes(1e-6)};
  auto const found = plan(source() | skel::farm("fetch", pass) | sink(), costs, host(2));
  EXPECT_THAT(workers_of(found), AllOf(Ge(10u), Le(20u)));  // ten, and some for times that are not alike
  EXPECT_NEAR(found.expected.throughput, 100, 5);
}

TEST(FirstPlan, BoundsWorkersThatWaitByTheMemoryOfTheirBatches) {
  std::vector costs{takes(1e-6), takes(0.1, 0.999), takes(1e-6)};
  for (auto& one : costs) one.bytes = 1e6;
  skel::run_settings settings;
  settings.memory = 200'000'000;  // a tenth holds twenty items, and a worker has four
  auto const found = plan(source() | skel::farm("fetch", pass) | sink(), costs, host(2), settings);
  EXPECT_EQ(workers_of(found), 5u);
}

TEST(FirstPlan, CountsOtherProgramsOnTheCores) {
  std::vector const costs{takes(1e-6), takes(0.01), takes(1e-6)};
  auto const app = source() | skel::farm("work", pass) | sink();
  auto const alone = plan(app, costs, host(2)).expected;
  EXPECT_NEAR(alone.throughput, 200, 4);
  auto processors = host(2);
  for (double const others : {1.0, 2.0, 4.0}) {
    processors.others = {{others, 0, true}};
    auto const beside = plan(app, costs, processors).expected;
    // Two threads and others that always run: each gets 2 / (2 + others) of a core.
    EXPECT_NEAR(beside.throughput, 200 * 2 / (2 + others), 0.02 * beside.throughput) << others;
    EXPECT_GT(beside.high / beside.low, alone.high / alone.low) << "more is uncertain beside others";
  }
}

TEST(FirstPlan, IsLessSureWhereTheLoadIs) {
  std::vector const costs{takes(1e-6), takes(0.01), takes(1e-6)};
  auto const app = source() | skel::farm("work", pass) | sink();
  auto processors = host(2);
  processors.others = {{2, 0, true}};
  auto const steady = plan(app, costs, processors).expected;
  processors.others = {{2, 1, true}};
  auto const changing = plan(app, costs, processors).expected;
  EXPECT_NEAR(changing.throughput, steady.throughput, 1e-9 * steady.throughput);
  EXPECT_LT(changing.low, steady.low);
  processors.others = {{0, 0, false}};
  auto const unknown = plan(app, costs, processors).expected;
  EXPECT_LE(unknown.low, unknown.throughput / 2);
  EXPECT_LT(unknown.low, plan(app, costs, host(2)).expected.low);
}

TEST(FirstPlan, CountsOthersOnlyWhereTheyTakeCoresThatItNeeds) {
  std::vector const costs{takes(1e-6), takes(0.01), takes(1e-6)};
  auto processors = host(4);
  processors.others = {{1, 0, true}};
  auto const app = source() | skel::stage("work", pass) | sink();
  EXPECT_NEAR(plan(app, costs, processors).expected.throughput, plan(app, costs, host(4)).expected.throughput, 1e-6);
}

TEST(FirstPlan, LeavesACoreThatOthersUse) {
  std::vector<skel::platform::cluster> hosts(2);
  std::vector<skel::platform::cluster_link> links;
  for (std::size_t h = 0; h < 2; ++h) {
    hosts[h].name = h == 0 ? "busy" : "free";
    hosts[h].hosts = 1;
    hosts[h].speed = 1;
    links.push_back({.from = h, .to = 1 - h, .path = {1e-6, 1e9}});
  }
  skel::rank_cores const dealt{{1, 1}, {0, 1}, {1, 1}, {}};
  auto processors = skel::processors_of(skel::platform::description(1e-7, hosts, links), 2, 1, &dealt);
  std::vector const costs{takes(1e-6), takes(0.01), takes(1e-6)};
  auto const app = source() | skel::stage("work", pass, skel::stateless) | sink();
  EXPECT_THAT(plan(app, costs, processors).run.stations[1].ranks, testing::ElementsAre(0));
  processors.others = {{3, 0, true}, {}};
  auto const found = plan(app, costs, processors);
  EXPECT_THAT(found.run.stations[1].ranks, testing::ElementsAre(1));
  EXPECT_NEAR(found.expected.throughput, 100, 2);
}

}  // namespace
