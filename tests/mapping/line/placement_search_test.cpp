#include <skel/detail/mapping/placement_search.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include "mapping/line/local_search.hpp"
#include "mapping/random_problem.hpp"
#include "mapping/triangle.hpp"

namespace skel::mapping {
namespace {

TEST(PlacementSearch, MatchesExhaustiveOnSmallProblemsOfEveryKind) {
  std::mt19937 random(1);
  int feasible = 0;
  for (int round = 0; round < 120; ++round) {
    auto const problem = random_small_problem(random);
    auto const oracle = exhaustive(problem, line_price(problem));
    auto const answer = place(problem);
    ASSERT_EQ(oracle.index(), answer.index()) << "round " << round;
    if (std::holds_alternative<infeasible>(answer)) continue;
    ++feasible;
    auto const &best = std::get<decision>(oracle), &found = std::get<decision>(answer);
    EXPECT_TRUE(found.optimal);
    EXPECT_NEAR(found.throughput, best.throughput, 2e-9 * best.throughput)
        << "round " << round << ": " << to_string(found.placement, problem.platform) << " instead of "
        << to_string(best.placement, problem.platform);
    EXPECT_EQ(found.placement, best.placement) << "round " << round;
  }
  EXPECT_GT(feasible, 80);
}

TEST(PlacementSearch, MatchesExhaustiveOnFiveStagesAndFourHosts) {
  std::mt19937 random(2);
  for (int round = 0; round < 6; ++round) {
    auto const problem = random_problem(random, 5, 4);
    auto const best = std::get<decision>(exhaustive(problem, line_price(problem)));
    auto const found = std::get<decision>(place(problem));
    EXPECT_TRUE(found.optimal);
    EXPECT_EQ(found.placement, best.placement);
    EXPECT_LT(found.evaluated, best.evaluated);
  }
}

TEST(PlacementSearch, BoundsWhatItMissesWhenItHasNoTime) {
  std::mt19937 random(4);
  for (int round = 0; round < 5; ++round) {
    auto const problem = random_problem(random, 4, 4);
    auto const best = std::get<decision>(exhaustive(problem, line_price(problem)));
    search_options hurried;
    hurried.time_limit = std::chrono::duration<double>(0);
    auto const found = std::get<decision>(place(problem, hurried));
    EXPECT_FALSE(found.optimal);
    EXPECT_GE(found.bound, best.throughput * (1 - 1e-9));
    EXPECT_LE(found.throughput, best.throughput * (1 + 1e-9));
  }
}

TEST(PlacementSearch, ProvesThePapersWinnersOverAllPlacements) {
  auto const found = std::get<decision>(place(triangle({0.1, 0.1, 0.1}, {0.1, 0.1, 1})));
  EXPECT_NEAR(found.throughput, 2.5991440625, 1e-9);
  EXPECT_EQ(found.placement, plan::place_each({0, 0, 1}));  // the simplest of four that tie
  EXPECT_TRUE(found.optimal);
  EXPECT_EQ(found.bound, found.throughput);
}

TEST(PlacementSearch, BoundsWhatItMissesAmongNearlyEqualHosts) {
  std::mt19937 random(12);
  auto problem = random_problem(random, 5, 5, 1e-3);
  for (auto& stage : problem.program.stages) stage.work = 1;
  auto const best = std::get<decision>(exhaustive(problem, line_price(problem)));
  for (double limit : {0.0, 1e-3, 1e-2, 1e-1}) {
    search_options hurried;
    hurried.time_limit = std::chrono::duration<double>(limit);
    auto const found = std::get<decision>(place(problem, hurried));
    EXPECT_GE(found.bound, best.throughput * (1 - 1e-9));
    EXPECT_LE(found.throughput, best.throughput * (1 + 1e-9));
    EXPECT_EQ(found.optimal && found.placement != best.placement, false);
  }
}

TEST(PlacementSearch, SearchesEqualHostsOnce) {
  placement_problem problem;
  problem.platform = platform::description(1e-4, {{"node", 40, 1, 1, {0.01, 1e9}, {}, {}}}, {});
  for (int i = 0; i < 5; ++i) {
    skeletons::stage_shape stage;
    stage.name = numbered('s', static_cast<std::size_t>(i));
    stage.work = 1;
    problem.program.stages.push_back(stage);
  }
  auto const found = std::get<decision>(place(problem));
  EXPECT_TRUE(found.optimal);
  EXPECT_EQ(found.placement, plan::place_each({0, 1, 2, 3, 4}));
  EXPECT_LT(found.evaluated, 1200u);  // the winner's neighbours, and not 40^5
}

TEST(PlacementSearch, AnswersForPipelinesThatCannotBeSolvedExactly) {
  std::mt19937 random(13);
  auto const problem = random_problem(random, 30, 4);
  search_options hurried;
  hurried.time_limit = std::chrono::duration<double>(0.2);
  auto const found = std::get<decision>(place(problem, hurried));
  EXPECT_FALSE(found.optimal);
  EXPECT_GT(found.throughput, 0);
  EXPECT_GE(found.bound, found.throughput);
  EXPECT_EQ(found.model.find("exact"), std::string::npos) << found.model;  // a closure, or what had the time
}

TEST(PlacementSearch, SaysWhyNothingCanBeChosen) {
  auto problem = triangle({1, 1, 1}, {1, 1, 1});
  problem.candidates.emplace();
  EXPECT_NE(std::get<infeasible>(place(problem)).reason.find("empty"), std::string::npos);

  problem = triangle({1, 1, 1}, {1, 1, 1});
  problem.program.stages[1].at = {"p9"};
  EXPECT_NE(std::get<infeasible>(place(problem)).reason.find("p9"), std::string::npos);

  problem = triangle({1, 1, 1}, {1, 1, 1});
  problem.program.input = skeletons::terminal{"elsewhere", 1};
  EXPECT_NE(std::get<infeasible>(place(problem)).reason.find("elsewhere"), std::string::npos);

  problem = triangle({1, 1, 1}, {1, 1, 1});
  problem.platform = platform::description(0, {{"a", 1, 1, 1, {}, {}, {}}, {"b", 1, 1, 1, {}, {}, {}}}, {});
  problem.program.stages[0].at = {"a"};
  problem.program.stages[2].at = {"b"};
  EXPECT_NE(std::get<infeasible>(place(problem)).reason.find("connect"), std::string::npos);

  problem.program.stages.clear();
  EXPECT_TRUE(std::holds_alternative<infeasible>(place(problem)));
}

TEST(PlacementSearch, EndsWhenItIsStopped) {
  std::mt19937 random(14);
  auto const problem = random_problem(random, 5, 5);
  std::stop_source stop;
  stop.request_stop();
  search_options options;
  options.stop = stop.get_token();
  auto const found = std::get<decision>(place(problem, options));
  EXPECT_FALSE(found.optimal);
  EXPECT_GE(found.bound, found.throughput);
}

/// Two farms of `width` workers on `hosts` equal hosts; their line has 3/4 of a million states at width 40.
placement_problem two_farms(std::size_t hosts, std::size_t width) {
  placement_problem problem;
  problem.platform = platform::description(1e-6, {{"n", hosts, 1, 1, {1e-4, 1e8}, {}, {}}}, {});
  for (std::size_t i = 0; i < 2; ++i) {
    skeletons::stage_shape stage;
    stage.name = numbered('f', i);
    stage.work = 1 + static_cast<double>(i) / 3;
    stage.replicable = true;
    stage.width = width;
    problem.program.stages.push_back(stage);
  }
  return problem;
}

search_options no_time() {
  search_options options;
  options.time_limit = std::chrono::duration<double>(0);
  return options;
}

TEST(PlacementSearch, AnswersWithASimulationWhenNothingCouldBePriced) {
  auto const problem = two_farms(64, 40);
  auto const found = std::get<decision>(place(problem, no_time()));
  EXPECT_FALSE(found.optimal);
  EXPECT_EQ(found.evaluated, 0u);
  EXPECT_NE(found.model.find("simulation"), std::string::npos) << found.model;
  EXPECT_GE(found.bound, found.throughput);
  EXPECT_GT(found.throughput, 0.5 * found.bound);  // 80 workers that are spread over 64 hosts
  for (auto const& stage : found.placement.stages) EXPECT_EQ(stage.size(), 40u);
}

TEST(PlacementSearch, PricesSmallLinesWithoutAnyTime) {
  std::mt19937 random(15);
  auto problem = random_problem(random, 4, 3);
  auto const best = std::get<decision>(place(problem));
  auto const found = std::get<decision>(place(problem, no_time()));
  EXPECT_EQ(found.evaluated, 1u);
  EXPECT_EQ(found.model, best.model);
  EXPECT_LE(found.throughput, best.throughput * (1 + 1e-9));
  EXPECT_GE(found.bound, best.throughput * (1 - 1e-9));
}

TEST(PlacementSearch, AnswersForCandidatesWithoutAnyTime) {
  auto problem = two_farms(64, 40);
  std::vector<plan::host_id> spread(40), heap(40, 0);
  for (std::size_t w = 0; w < 40; ++w) spread[w] = w;
  problem.candidates = {plan::placement{{heap, heap}}, plan::placement{{spread, spread}}};
  auto const found = std::get<decision>(place(problem, no_time()));
  EXPECT_EQ(found.placement, problem.candidates->back());
  EXPECT_EQ(found.evaluated, 0u);
  EXPECT_GE(found.bound, found.throughput);
  EXPECT_TRUE(std::isfinite(found.bound));
}

TEST(PlacementSearch, FindsAConnectedPlacementWithoutAnyTime) {
  // a --> b --> c, one way: the only way through is along the chain.
  placement_problem problem;
  problem.platform =
      platform::description(1e-6, {{"c", 1, 9, 1, {}, {}, {}}, {"b", 1, 1, 1, {}, {}, {}}, {"a", 1, 1, 1, {}, {}, {}}},
                            {{2, 1, {1e-3}, {}}, {1, 0, {1e-3}, {}}});
  problem.program.stages.resize(3);
  for (std::size_t i = 0; i < 3; ++i) problem.program.stages[i].name = numbered('s', i);
  for (auto& stage : problem.program.stages) stage.work = 1;
  problem.program.stages[0].at = {"a"};
  problem.program.stages[2].at = {"c"};
  auto const found = std::get<decision>(place(problem, no_time()));
  EXPECT_EQ(found.placement, plan::place_each({2, 1, 0}));
  EXPECT_EQ(std::get<decision>(place(problem)).placement, found.placement);
}

TEST(LocalSearch, SpreadsTheWorkersOfAFarmOverHosts) {
  auto const problem = two_farms(64, 40);
  auto const where = detail::spread_out(detail::placement_tables(problem));
  std::vector<std::size_t> count(64, 0);
  for (auto const& stage : where.stages)
    for (auto h : stage) ++count[h];
  EXPECT_EQ(*std::max_element(count.begin(), count.end()), 2u);  // 80 workers on 64 hosts
}

TEST(Explain, EndsWhenItIsStopped) {
  std::mt19937 random(16);
  auto const problem = random_problem(random, 12, 3);
  decision chosen;
  for (std::size_t i = 0; i < 12; ++i) chosen.placement.stages.push_back({i % 3});
  chosen.throughput = chosen.bound = 1;
  auto const text = explain(problem, chosen, stop_condition(stop_condition::clock::now()));
  EXPECT_NE(text.find("by window closure"), std::string::npos) << text;
  EXPECT_NE(text.find("starved"), std::string::npos) << text;

  auto const farms = two_farms(64, 40);
  chosen.placement.stages.assign(2, std::vector<plan::host_id>(40));
  for (auto& stage : chosen.placement.stages)
    for (std::size_t w = 0; w < 40; ++w) stage[w] = w;
  EXPECT_NE(explain(farms, chosen, stop_condition(stop_condition::clock::now())).find("bottleneck: not known"),
            std::string::npos);
}

TEST(Explain, NamesTheBottleneckAndTheRunnersUp) {
  auto const problem = triangle({0.1, 1, 1}, {0.1, 0.1, 0.1});
  auto const found = std::get<decision>(place(problem));
  auto const text = explain(problem, found);
  EXPECT_NE(text.find("bottleneck: "), std::string::npos) << text;
  EXPECT_NE(text.find("runners-up:\n  (p1, p2, p2)"), std::string::npos) << text;
  EXPECT_NE(text.find("(tie)"), std::string::npos) << text;
  EXPECT_NE(text.find("starved"), std::string::npos) << text;
}

}  // namespace
}  // namespace skel::mapping
