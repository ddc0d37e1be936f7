#include <skel/detail/cost/bsp/superstep_time.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>

namespace {

using namespace skel;
using namespace skel::cost::bsp;
using testing::DoubleNear;
using testing::ElementsAre;

// a-0, a-1: speed 2     b: speed 1
//   \__ 1 ms, 100 B/s __/
//  inside a: 0.1 ms, 1000 B/s
machine two_sets() {
  return {platform::description(1e-6, {{"a", 2, 2, 1, {1e-4, 1000}, {}, {}}, {"b", 1, 1, 1, {}, {}, {}}},
                                {{0, 1, {1e-3, 100}, {}}, {1, 0, {1e-3, 100}, {}}}),
          0.5};
}

record::superstep step_of(std::vector<double> work, std::vector<std::size_t> hosts) {
  std::vector<double> const states(hosts.size(), 10.0);
  return {.load = {std::move(work)}, .hosts = std::move(hosts), .state_bytes = states};
}

TEST(SuperstepTime, IsThatOfTheSlowestHost) {
  auto const step = step_of({4, 2, 1}, {0, 0, 2});
  EXPECT_THAT(host_times(two_sets(), step), ElementsAre(3, 0, 1));
  EXPECT_DOUBLE_EQ(time_of(two_sets(), step).computation, 3);
}

TEST(SuperstepTime, OfProcessesThatShareAHost) {
  // Both have half of it until the smaller one is done after 2 s, at speed 2; the larger one has it alone for 1 s more.
  EXPECT_THAT(process_times(two_sets(), step_of({4, 2, 0}, {0, 0, 0})), ElementsAre(3, 2, 0));
}

TEST(SuperstepTime, CountsTheLoadOfOthers) {
  auto step = step_of({4}, {0});
  step.external_load = {0.5, 0, 0};
  EXPECT_DOUBLE_EQ(time_of(two_sets(), step).computation, 4);
}

TEST(SuperstepTime, HasTheMessagesOfTheHostWhoseTakeLongest) {
  auto step = step_of({0, 0, 0}, {0, 1, 2});
  step.load.messages = {{0, 1, 100}, {0, 2, 100}, {1, 2, 50}};
  // a-0 sends for 0.1001 + 1.001 s, b gets for 1.001 + 0.501 s.
  EXPECT_THAT(message_times(two_sets(), step.load.messages, step.hosts),
              ElementsAre(DoubleNear(1.1011, 1e-12), DoubleNear(0.501, 1e-12), DoubleNear(1.502, 1e-12)));
  EXPECT_DOUBLE_EQ(time_of(two_sets(), step).communication, 1.502);
}

TEST(SuperstepTime, CountsMessagesBetweenTheSameHostsTogether) {
  auto step = step_of({0, 0, 0, 0}, {0, 0, 2, 2});
  step.load.messages = {{0, 2, 100}, {1, 3, 100}, {1, 2, 0}};
  EXPECT_THAT(message_times(two_sets(), step.load.messages, step.hosts),
              ElementsAre(DoubleNear(2.001, 1e-12), 0, DoubleNear(2.001, 1e-12)))
      << "one latency, the bytes of all";
}

TEST(SuperstepTime, HasABarrierOfTheHostsThatHaveProcesses) {
  EXPECT_DOUBLE_EQ(barrier_time(two_sets(), std::vector<std::size_t>{0, 0}), 0);
  EXPECT_DOUBLE_EQ(barrier_time(two_sets(), std::vector<std::size_t>{0, 1}), 2e-4);
  EXPECT_DOUBLE_EQ(barrier_time(two_sets(), std::vector<std::size_t>{0, 1, 2}), 2e-4 + 1e-3);
}

TEST(SuperstepTime, HasABarrierOfTheLongestLatencyBetweenSetsThatAreUsed) {
  std::vector<platform::cluster> clusters;
  std::vector<platform::cluster_link> links;
  for (std::size_t a = 0; a < 4; ++a) {
    clusters.push_back({std::string(1, static_cast<char>('a' + a)), a + 1, 1, 1, {}, {}, {}});
    for (std::size_t b = 0; b < 4; ++b)
      if (a != b) links.push_back({a, b, {static_cast<double>(10 * a + b), 100}, {}});
  }
  machine const grid{platform::description(0, clusters, links)};
  // First hosts are 0, 1, 3 and 6; of sets b, c and d the longest is from d to c, of a, b and c from c to b.
  EXPECT_DOUBLE_EQ(barrier_time(grid, std::vector<std::size_t>{2, 5, 9}), 2 * 32);
  EXPECT_DOUBLE_EQ(barrier_time(grid, std::vector<std::size_t>{0, 1, 4}), 2 * 21);
}

TEST(LeastSlowest, IsAllWorkOnAllHostsOrTheLargestOnTheFastest) {
  EXPECT_DOUBLE_EQ(least_slowest(std::vector<double>{3, 3, 3}, std::vector<double>{2, 1}), 3);
  EXPECT_DOUBLE_EQ(least_slowest(std::vector<double>{1, 8, 0}, std::vector<double>{2, 1}), 4);
  EXPECT_DOUBLE_EQ(least_slowest(std::vector<double>{0, 0}, std::vector<double>{2}), 0);
  EXPECT_DOUBLE_EQ(least_slowest(std::vector<double>{}, std::vector<double>{2}), 0);
}

TEST(Imbalance, IsTheLargestBesideTheMeanOfHostsThatHaveProcesses) {
  EXPECT_DOUBLE_EQ(imbalance(std::vector<double>{3, 1, 0}, std::vector<std::size_t>{0, 1}), 0.5);
  EXPECT_DOUBLE_EQ(imbalance(std::vector<double>{3, 0, 0}, std::vector<std::size_t>{0, 1}), 1);
  EXPECT_DOUBLE_EQ(imbalance(std::vector<double>{0, 0, 0}, std::vector<std::size_t>{0, 1}), 0);
}

TEST(MigrationTime, IsOneAfterTheOtherAtAHost) {
  EXPECT_DOUBLE_EQ(migration_time(two_sets(), {}), 0);
  std::vector<migration> const apart{{0, 0, 1, 100}}, same_source{{0, 0, 1, 100}, {1, 0, 2, 100}},
      same_target{{0, 0, 2, 100}, {1, 1, 2, 100}};
  EXPECT_DOUBLE_EQ(migration_time(two_sets(), apart), 0.5 + 0.1001);
  EXPECT_DOUBLE_EQ(migration_time(two_sets(), same_source), 0.5 + 0.1001 + 0.5 + 1.001);
  EXPECT_DOUBLE_EQ(migration_time(two_sets(), same_target), 2 * (0.5 + 1.001));
  auto copying = two_sets();
  copying.per_byte = 0.02;
  EXPECT_DOUBLE_EQ(migration_time(copying, same_target), 2 * (0.5 + 1.001 + 2));
}

TEST(ReschedulingTime, HasReportsToManagersAndBetweenThem) {
  std::vector<std::size_t> const hosts{0, 1, 2};
  EXPECT_DOUBLE_EQ(rescheduling_time(two_sets(), hosts),
                   2 * (1e-4 + 2 * report_bytes / 1000) + 1e-3 + 2 * report_bytes / 100);
}

TEST(BspMachine, NeedsALinkBetweenEveryTwoSets) {
  require_connected(two_sets().hosts);
  platform::description const one_way(0, {{"a", 1, 1, 1, {}, {}, {}}, {"b", 1, 1, 1, {}, {}, {}}}, {{0, 1, {}, {}}});
  try {
    require_connected(one_way);
    FAIL();
  } catch (error const& refused) {
    EXPECT_THAT(std::string(refused.what()), testing::HasSubstr("no link from cluster 'b' to cluster 'a'"));
  }
}

}  // namespace
