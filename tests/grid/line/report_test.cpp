#include <iomanip>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/grid/report.hpp>

#include "support/comma_locale.hpp"

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

TEST(Report, APlanIsPrintedAsItExplainsItself) {
  std::ostringstream out;
  out << plan_of(100);
  EXPECT_EQ(out.str(), plan_of(100).explain());
}

// Workers of a farm that are dealt over hosts in turn: each host is named once.
TEST(Report, NamesEachHostOfAStageOnce) {
  auto plan = plan_of(100);
  plan.decision.alternatives.push_back({{{{1, 0, 1, 0, 1}, {0}}}, 50});
  EXPECT_THAT(plan.explain(), HasSubstr("  not taken: (other*3+host*2, host) 50 items/s\n"));
}

TEST(Report, IsTheSameOnAnyStream) {
  skel::run_report report;
  report.plan = plan_of(5765.4321);
  report.run.items = 1'234'567;
  report.run.seconds = 1.5;
  std::ostringstream plain, other;
  plain.imbue(std::locale::classic());
  other.imbue(comma_locale());
  other << std::hex << std::setprecision(1) << std::showpos;
  plain << report;
  other << report;
  EXPECT_THAT(plain.str(), AllOf(HasSubstr("run: 1234567 items in 1.5 s"), HasSubstr("5.77 kitems/s")));
  EXPECT_EQ(other.str(), plain.str());
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

/// A run of three stages on two hosts, which has ended.
skel::run_report run_of_two_hosts() {
  skel::run_report report;
  report.run.items = 20;
  report.run.seconds = 9;
  report.run.names = {"read", "work", "write"};
  report.run.hosts = {"n0", "n1"};
  return report;
}

TEST(Report, SaysWhichStagesMovedFromWhereToWhere) {
  auto report = run_of_two_hosts();
  report.run.remaps.add({.epoch = 1, .announced = 1, .begun = 1.1, .done = 1.2, .moved = {{1, {0}, {1}}}});
  EXPECT_THAT(report.text(),
              HasSubstr("  after 1.00 s the run went on by another plan, which all ranks obeyed 200 ms later; "
                        "'work' from rank 0 (n0) to rank 1 (n1)\n"));
  report.run.decisions.kept = {{.number = 3,
                                .seconds = 2,
                                .after = 4,
                                .ways = {{"stay", 2e-3}, {"n0 | n1*2 | n0", 1e-3, 0.1, 0.3}},
                                .chosen = 1,
                                .lost = 0.35,
                                .took = 0.5,
                                .measured = 1.2e-3,
                                .stages = {{1, {0}, {1, 1}}}}};
  report.run.decisions.all = 5, report.run.decisions.to_move = 1;
  EXPECT_THAT(report.text(),
              HasSubstr("remapping: 5 decisions, 1 to move\n  decision 3, after 2.00 s and 4 items: 'work' from rank 0 "
                        "(n0) to rank 1 (n1) x2, placement n0 | n1*2 | n0, 1 ms per item instead of 2 ms; going there "
                        "was to cost 300 ms, staying had cost 350 ms; took 500 ms; 1.2 ms per item since\n"));
}

TEST(Report, TellsPlansThatWereRefusedForOneReasonOnce) {
  auto report = run_of_two_hosts();
  for (unsigned k = 1; k <= 20; ++k)
    report.run.remaps.add({.epoch = k, .announced = 0.1 * k, .refused = k == 7 ? "no memory" : "it does not fit"});
  report.run.remaps[6].moved = {{1, {0}, {1}}};
  report.run.remaps.add({.epoch = 21, .announced = 3, .begun = 3.1, .done = 3.2});
  EXPECT_THAT(report.text(),
              HasSubstr("  after 0.10 s another plan was refused: it does not fit (19 times for this reason, the last "
                        "after 2.00 s)\n  after 0.70 s another plan was refused: no memory; it was to move 'work' from "
                        "rank 0 (n0) to rank 1 (n1)\n"
                        "  after 3.00 s the run went on"));
}

TEST(Report, CountsWhatIsNotListed) {
  skel::run_report report;
  report.run.items = 20;
  report.run.seconds = 1;
  for (std::uint32_t k = 1; k <= 5000; ++k) {
    report.run.remaps.add({.epoch = k, .announced = 1.0 * k, .refused = "it does not fit"});
    report.run.forecasts.add({.item = k, .seconds = 1.0 * k, .rate = 3, .why = "it is surer"});
  }
  EXPECT_THAT(report.text(), AllOf(HasSubstr("  ... 4990 more forecasts ...\n  from item 5000 on"),
                                   HasSubstr("  ... 4000 more plans ...\n")));
  for (std::uint64_t k = 1; k <= 1000; ++k)
    report.run.decisions.add({.ways = {{.name = "stay"}, {.name = "there"}}, .chosen = 1});
  report.run.decisions.all = 9000, report.run.decisions.to_move = 4000;
  EXPECT_THAT(report.text(), AllOf(HasSubstr("remapping: 9000 decisions, 4000 to move\n"),
                                   HasSubstr("  ... 3992 more ...\n"), Not(HasSubstr("more plans"))));
}

/// A run that passed so many times what was predicted.
std::string report_of(double times) {
  skel::run_report report;
  report.run.items = 256;
  report.run.seconds = 1;
  report.run.forecasts.add({.rate = 256 / times, .low = 200 / times, .high = 300 / times, .why{}});
  return report.text();
}

TEST(Report, SaysHowManyTimesAForecastWasPassedWhereAPercentageSaysNothing) {
  EXPECT_THAT(report_of(1.082), HasSubstr(", +8.2 %\n"));
  EXPECT_THAT(report_of(0.5), HasSubstr(", -50.0 %\n"));
  EXPECT_THAT(report_of(8949.757), AllOf(HasSubstr(", x 8900 of what was predicted\n"), Not(HasSubstr("%\n"))));
  EXPECT_THAT(report_of(12.34), HasSubstr(", x 12 of what was predicted\n"));
  EXPECT_THAT(report_of(0.0123), HasSubstr(", x 0.012 of what was predicted\n"));
}

TEST(Report, SaysThatFirstItemsWereNotLikeTheOthers) {
  skel::run_report report;
  report.run.items = 1;
  report.unlike = "the first items were not like the others: 'quad'";
  EXPECT_THAT(report.text(), HasSubstr("the first items were not like the others: 'quad'\n"));
}

}  // namespace
