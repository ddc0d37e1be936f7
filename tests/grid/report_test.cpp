#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/grid/report.hpp>

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A stage that takes so long on a single host, and a search that has not proven its answer.
skel::planned_program plan_of(double rate) {
  skel::planned_program plan;
  plan.run.stations.resize(3);
  plan.expected.throughput = plan.expected.exponential = plan.expected.deterministic = rate;
  plan.expected.stations.push_back({"work", 1, {"host"}, 1 / rate, rate, 1});
  plan.processors = {"host", "other"};
  plan.decision.placement.stages = {{0}};
  plan.decision.throughput = rate;
  plan.decision.bound = 1.25 * rate;
  plan.decision.model = "model";
  return plan;
}

TEST(Report, SaysWhatNoPlacementCanPassWithTheDigitsOfOtherRates) {
  auto plan = plan_of(5765.4321);
  EXPECT_THAT(plan.explain(),
              HasSubstr("the search priced it at 5.77 kitems/s (model), where no placement can have more "
                        "than 7.21 kitems/s\n"));
  plan.decision.alternatives.push_back({{{{1}}}, 5000});
  EXPECT_THAT(plan.explain(), HasSubstr("more than 7.21 kitems/s and\n  not taken: (other) 5 kitems/s\n"));
  plan.decision.optimal = true;
  EXPECT_THAT(plan.explain(), AllOf(HasSubstr("(model) and\n"), Not(HasSubstr("no placement can"))));
}

TEST(Report, PrintsRatesWithoutThousandths) {
  EXPECT_THAT(plan_of(200).explain(), HasSubstr("'work', 200 items/s\n"));
  EXPECT_THAT(plan_of(1).explain(), HasSubstr("'work', 1 items/s\n"));
  EXPECT_THAT(plan_of(0.2).explain(), HasSubstr("'work', 0.2 items/s\n"));
  EXPECT_THAT(plan_of(0.02).explain(), HasSubstr("'work', 1.2 items/min\n"));
  EXPECT_THAT(plan_of(0.001).explain(), HasSubstr("'work', 3.6 items/h\n"));
}

/// Twenty items of 77 kB, of which so many were under way at once, within a limit.
std::string memory_of(std::size_t limit, std::uint64_t most_items) {
  skel::run_report report;
  report.run.items = 20;
  report.run.seconds = 1;
  report.run.memory_limit = limit;
  report.run.most_items = most_items;
  report.run.most_batches = 20;
  report.run.stations.resize(1);
  report.run.stations.front().largest_batch = report.run.stations.front().item_bytes = 77000;
  return report.text();
}

TEST(Report, SaysThatItemsLargerThanTheLimitOfMemoryPassAlone) {
  EXPECT_THAT(memory_of(10000, 1),
              HasSubstr("memory: a limit of 10 kB may have been passed: items took up to 77 kB, and 2 "
                        "times that on their way, and an item larger than the limit allows passes "
                        "alone; the limit would have to be 154 kB\n"));
  EXPECT_THAT(memory_of(154000, 1), HasSubstr("a limit of 154 kB was kept\n"));
  EXPECT_THAT(memory_of(200000, 3), HasSubstr("and 3 were under way at once, because later items were larger"));
}

}  // namespace
