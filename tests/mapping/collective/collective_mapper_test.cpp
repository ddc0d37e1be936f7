#include <skel/detail/mapping/collective_mapper.hpp>

#include <malloc.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/collective_recursion.hpp>
#include <skel/detail/cost/grid_models.hpp>
#include <skel/detail/platform/files.hpp>

#include "mapping/random_grid.hpp"
#include "mapping/random_problem.hpp"
#include "plan/interpreter.hpp"
#include "plan/meaning.hpp"

namespace skel::mapping {
namespace {

using testing::HasSubstr;

plan::schedule all_steps(collective_mapper& mapper, collective_request const& request) {
  plan::schedule all;
  for (std::size_t rank = 0; rank < mapper.ranks(); ++rank) all.ranks.push_back(mapper.steps(request, rank));
  return all;
}

void expect_result(collective_mapper& mapper, collective_request const& request) {
  auto wanted = testing_plan::mean(
      {.ranks = mapper.ranks(), .root = request.root, .bytes = request.bytes, .unit = request.unit}, request.operation);
  auto given = testing_plan::interpret(all_steps(mapper, request), wanted.inputs, wanted.output_cells);
  if (reduces(request.operation) && request.commutative)
    testing_plan::in_any_order(wanted.outputs), testing_plan::in_any_order(given);
  for (std::size_t rank = 0; rank < mapper.ranks(); ++rank)
    ASSERT_TRUE(wanted.outputs[rank].empty() || given[rank] == wanted.outputs[rank])
        << name_of(request.operation) << " of " << request.bytes << " bytes, rank " << rank << " of " << mapper.ranks()
        << ": " << mapper.decide(request).name;
}

TEST(CollectiveMapper, TimesThatWereObservedDoNotChangeWhatIsUnlearnt) {
  std::mt19937 random(5);
  for (int draw = 0; draw < 20; ++draw) {
    collective_mapper mapper = mapper_of(random_grid(random));
    collective_request const request = random_request(random, mapper.ranks());
    double const before = mapper.unlearnt(request);
    EXPECT_LE(before, mapper.predicted(request) * (1 + 1e-12));
    EXPECT_GE(before * (1 + price_tolerance), mapper.predicted(request) * (1 - 1e-12));
    mapper.steps(request, 0);
    for (int i = 0; i < 10; ++i) mapper.observe(request, 10 * before + 1e-3);
    EXPECT_EQ(mapper.unlearnt(request), before);
  }
}

TEST(CollectiveMapper, StepsOfAllRanksGiveTheCollectivesResult) {
  std::mt19937 random(1);
  std::set<std::string> kinds;
  for (int draw = 0; draw < 300; ++draw) {
    grid const one = random_grid(random);
    collective_mapper mapper = mapper_of(one);
    collective_request const request = random_request(random, mapper.ranks());
    auto const& how = mapper.decide(request).plan;
    if (!how.route) kinds.insert("catalogue");
    if (how.route && how.route->how == plan::grid_route::scheme::exchange) kinds.insert("exchange");
    if (how.route && how.route->segment > 0) kinds.insert(how.route->trees.stripes > 1 ? "striped" : "cut");
    if (how.route && how.route->segment == 0) kinds.insert("whole");
    expect_result(mapper, request);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"catalogue", "cut", "exchange", "striped", "whole"}));
}

// Sums of floating-point numbers depend on how they are grouped.
TEST(CollectiveMapper, AllRanksOfAnAllreductionCombineInOneGrouping) {
  std::mt19937 random(2);
  for (int draw = 0; draw < 150; ++draw) {
    grid const one = random_grid(random);
    collective_mapper mapper = mapper_of(one);
    collective_request const request{.operation = collective::allreduce, .bytes = random() % 100};
    std::vector<testing_plan::buffer> inputs(mapper.ranks());
    for (std::size_t rank = 0; rank < mapper.ranks(); ++rank)
      inputs[rank].assign(request.bytes, testing_plan::cell_of(rank, 0));
    auto const results = testing_plan::interpret(all_steps(mapper, request), inputs, request.bytes, true);
    for (auto const& result : results) ASSERT_EQ(result, results.front()) << mapper.decide(request).name;
  }
}

TEST(CollectiveMapper, DecidesAlikeForLikeRequests) {
  std::mt19937 random(3);
  for (int draw = 0; draw < 50; ++draw) {
    grid const one = random_grid(random);
    collective_mapper here = mapper_of(one), there = mapper_of(one);
    for (int i = 0; i < 5; ++i) {
      collective_request const request = random_request(random, here.ranks());
      there.decide(random_request(random, here.ranks()));  // what else was asked does not matter
      collective_decision const &a = here.decide(request), &b = there.decide(request);
      EXPECT_EQ(a.plan, b.plan);
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.predicted, b.predicted);
      EXPECT_EQ(a.edges, b.edges);
      EXPECT_EQ(a.why, b.why);
    }
  }
}

TEST(CollectiveMapper, KeepsADecision) {
  std::mt19937 random(4);
  grid const one = random_grid(random);
  collective_mapper mapper = mapper_of(one);
  collective_request const request{.operation = collective::broadcast, .bytes = 1000};
  collective_decision const* const first = &mapper.decide(request);
  auto const* const steps = &mapper.steps(request, 0);
  EXPECT_EQ(&mapper.decide(request), first);
  EXPECT_EQ(&mapper.steps(request, 0), steps);
}

TEST(CollectiveMapper, ClassesAreNeverFarFromTheirRequests) {
  std::set<std::uint64_t> classes;
  for (std::uint64_t elements = 1; elements <= 4096; ++elements) {
    collective_request const request{.operation = collective::reduce, .bytes = 24 * elements, .unit = 24};
    collective_request const decided = class_of(request);
    EXPECT_EQ(class_of(decided), decided);
    EXPECT_EQ(decided.bytes % 24, 0u);
    EXPECT_NEAR(static_cast<double>(decided.bytes), static_cast<double>(request.bytes),
                static_cast<double>(request.bytes) / 8);
    bool const own = std::has_single_bit(elements) || elements <= 8;
    EXPECT_TRUE(!own || decided == request);
    classes.insert(decided.bytes);
  }
  EXPECT_LE(classes.size(), 4u * 12 + 1);
}

TEST(CollectiveMapper, SizesOfAClassShareADecision) {
  std::mt19937 random(11);
  grid const one = random_grid(random);
  collective_mapper mapper = mapper_of(one);
  collective_request const known{.operation = collective::broadcast, .bytes = 4096};
  plan::collective_plan const plan = mapper.decide(known).plan;
  for (std::uint64_t const bytes : {3900U, 4000U, 4095U, 4097U, 4200U}) {
    collective_request const request{.operation = collective::broadcast, .bytes = bytes};
    for (std::size_t rank = 0; rank < mapper.ranks(); ++rank) {
      plan::rank_schedule const wanted =
          plan::steps_of(plan, {.ranks = mapper.ranks(), .root = 0, .bytes = bytes, .unit = 1}, rank);
      EXPECT_EQ(mapper.steps(request, rank).ranges, wanted.ranges);
    }
  }
}

/// Bytes that this process has allocated and not freed.
std::size_t allocated() {
  return mallinfo2().uordblks + mallinfo2().hblkhd;
}

TEST(CollectiveMapper, KeepsNoMoreThanItSays) {
  std::mt19937 random(12);
  grid const one = random_grid(random);
  collective_mapper mapper = mapper_of(one);
  (void)mapper.steps({.operation = collective::allreduce, .bytes = 8, .unit = 8}, 0);
  std::size_t const before = allocated();
  for (std::uint64_t size = 1; size <= 20'000; ++size)
    (void)mapper.steps({.operation = collective::allreduce, .bytes = 8 * size, .unit = 8}, 0);
  for (std::uint64_t size = 1; size <= 3000; ++size)  // decisions that are asked for by size
    (void)mapper.decide({.operation = collective::allgather, .bytes = 7 + 64 * size});
  std::size_t const after = allocated();
  EXPECT_LT(after - std::min(after, before), 2 * most_kept_bytes);
}

TEST(CollectiveMapper, TakesTheLeastPriceUpToATie) {
  std::mt19937 random(5);
  for (int draw = 0; draw < 100; ++draw) {
    grid const one = random_grid(random);
    collective_mapper mapper = mapper_of(one);
    collective_request request = random_request(random, mapper.ranks());
    request.bytes = request.operation == collective::barrier ? 0 : request.unit << random() % 16;
    collective_decision const& decision = mapper.decide(request);
    double before = 0;
    for (collective_candidate const& other : decision.alternatives) {
      EXPECT_LE(decision.predicted, other.predicted * (1 + price_tolerance)) << decision.name << ", " << other.name;
      EXPECT_GE(other.predicted, before);
      before = other.predicted;
    }
  }
}

// Those that certainly take longer are not priced by the mapper.
TEST(CollectiveMapper, TakesNothingThatAnAlgorithmOfTheCatalogueBeats) {
  std::mt19937 random(11);
  for (int draw = 0; draw < 60; ++draw) {
    grid const one = random_grid(random);
    collective_mapper mapper = mapper_of(one);
    collective_request request = random_request(random, mapper.ranks());
    request.bytes = request.operation == collective::barrier ? 0 : request.unit << random() % 20;
    double const predicted = mapper.decide(request).predicted;
    std::vector<std::size_t> cluster_of;
    for (plan::host_id const host : one.host_of_rank) cluster_of.push_back(one.machine.cluster_of(host));
    cost::grid_models const models(one.machine, cost::model_kind::plogp);
    for (plan::collective_algorithm const& algorithm : plan::collective_algorithms()) {
      if (algorithm.operation != request.operation || (!request.commutative && algorithm.operands != plan::order::any))
        continue;
      plan::collective_problem const problem{
          .ranks = mapper.ranks(), .root = request.root, .bytes = request.bytes, .unit = request.unit};
      double const whole =
          cost::completion(algorithm.make(problem), cost::ranks_on_grid(models, cluster_of), request.gamma);
      // Instead of the catalogue's trees the mapper has those that look at clusters.
      bool const on_clusters =
          request.operation == collective::broadcast || (reduces(request.operation) && request.commutative);
      if (on_clusters && algorithm.shape != nullptr) continue;
      EXPECT_LE(predicted, whole * (1 + price_tolerance)) << algorithm.name << ", draw " << draw;
    }
  }
}

// Nobody has the vector before light could have brought it.
TEST(CollectiveMapper, PromisesNothingFasterThanTheShortestWays) {
  std::mt19937 random(6);
  for (int draw = 0; draw < 100; ++draw) {
    grid const one = random_grid(random);
    collective_mapper mapper = mapper_of(one);
    std::size_t const n = one.machine.clusters().size();
    collective_request const request{
        .operation = collective::broadcast, .bytes = 1 + random() % 100'000, .root = random() % mapper.ranks()};
    std::vector<double> way(n * n, std::numeric_limits<double>::infinity());
    for (auto const& link : one.machine.links()) way[link.from * n + link.to] = link.path.latency;
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b) way[a * n + b] = std::min(way[a * n + b], way[a * n + k] + way[k * n + b]);
    std::size_t const root = one.machine.cluster_of(one.host_of_rank[request.root]);
    double const predicted = mapper.decide(request).predicted;
    way[root * n + root] = 0;
    for (plan::host_id const host : one.host_of_rank)
      EXPECT_GE(predicted, way[root * n + one.machine.cluster_of(host)]);
  }
}

TEST(CollectiveMapper, NeverShufflesOperandsOfOperatorsThatDoNotCommute) {
  std::mt19937 random(7);
  for (int draw = 0; draw < 60; ++draw) {
    grid const one = random_grid(random);
    collective_mapper mapper = mapper_of(one);
    collective_request const request{.operation = draw % 2 == 0 ? collective::reduce : collective::allreduce,
                                     .bytes = random() % 2000,
                                     .root = random() % mapper.ranks(),
                                     .commutative = false};
    collective_decision const& decision = mapper.decide(request);
    std::vector<plan::collective_plan> plans{decision.plan};
    for (auto const& other : decision.alternatives) plans.push_back(other.plan);
    for (auto const& how : plans)
      EXPECT_TRUE(operands_of(how) == plan::order::any ||
                  (operands_of(how) == plan::order::rotated && request.root == 0))
          << how.algorithm;
  }
}

TEST(CollectiveMapper, NamesEdgesAndClustersAsThePlatformNumbersThem) {
  // Cluster 1 has no rank.
  std::vector<platform::cluster> clusters;
  std::vector<platform::cluster_link> links;
  for (std::size_t c = 0; c < 3; ++c) {
    clusters.push_back({.name = numbered('c', c), .hosts = 2, .inside = {1e-5, 1e8}});
    for (std::size_t other = 0; other < 3; ++other)
      if (other != c) links.push_back({.from = c, .to = other, .path = {1e-2, 1e8}, .parameters = {}});
  }
  collective_mapper mapper({1e-6, clusters, links}, {0, 4, 5, 1, 4});
  collective_decision const& decision = mapper.decide({.operation = collective::broadcast, .bytes = 100, .root = 1});
  EXPECT_EQ(decision.edges, (std::vector<std::pair<std::size_t, std::size_t>>{{2, 0}}));
  ASSERT_EQ(decision.inside.size(), 2U);
  EXPECT_EQ(decision.inside[0].cluster, 0U);
  EXPECT_EQ(decision.inside[1].cluster, 2U);
  EXPECT_GE(decision.between, 1e-2);
  EXPECT_LT(decision.between, decision.predicted);
}

TEST(CollectiveMapper, HasNothingBetweenClustersWhereThereIsOne) {
  collective_mapper mapper = one_each({1e-6, {{.name = "only", .hosts = 8, .inside = {1e-4, 1e8}}}, {}});
  for (collective const operation : plan::all_collectives) {
    collective_decision const& decision = mapper.decide({.operation = operation, .bytes = 4096, .root = 3});
    EXPECT_TRUE(decision.edges.empty());
    EXPECT_TRUE(decision.schedule.empty());
    EXPECT_EQ(decision.between, 0);
    ASSERT_EQ(decision.inside.size(), 1U);
    EXPECT_GT(decision.predicted, 0);
  }
}

TEST(CollectiveMapper, PutsRanksOfOneHostAtItsLocalLatency) {
  platform::description const machine(3e-6, {{.name = "alone"}}, {});
  collective_mapper mapper(machine, std::vector<plan::host_id>(8, 0));
  EXPECT_DOUBLE_EQ(mapper.decide({.operation = collective::broadcast, .bytes = 64}).predicted, 3 * 3e-6)
      << "three levels of a binomial tree";
}

TEST(CollectiveMapper, TakesNoTimeForARankAlone) {
  for (collective const operation : plan::all_collectives) {
    collective_mapper mapper({1e-6, {{.name = "only", .hosts = 8, .inside = {1e-4, 1e8}}}, {}}, {3});
    collective_request const request{.operation = operation, .bytes = 64};
    EXPECT_EQ(mapper.decide(request).predicted, 0) << name_of(operation);
    expect_result(mapper, request);
  }
}

// -- links

platform::description line_of_three(double direct) {
  std::vector<platform::cluster> clusters;
  for (char const letter : {'a', 'b', 'c'})
    clusters.push_back({.name = std::string(1, letter), .hosts = 2, .inside = {1e-5, 1e9}});
  std::vector<platform::cluster_link> links;
  for (std::size_t a : {0U, 1U}) {
    links.push_back({.from = a, .to = a + 1, .path = {1e-3, 1e8}, .parameters = {}});
    links.push_back({.from = a + 1, .to = a, .path = {1e-3, 1e8}, .parameters = {}});
  }
  if (direct > 0) links.push_back({.from = 0, .to = 2, .path = {direct, 1e8}, .parameters = {}});
  return {1e-6, std::move(clusters), std::move(links)};
}

// MPI's dissemination crosses once a round.
TEST(CollectiveMapper, ABarrierCrossesTheFarLinksOnceAndTogether) {
  double const far = 1e-2;
  std::vector<platform::cluster> const clusters{{.name = "a", .hosts = 3, .inside = {1e-5, 1e9}},
                                                {.name = "b", .hosts = 3, .inside = {1e-5, 1e9}}};
  std::vector<platform::cluster_link> const links{{.from = 0, .to = 1, .path = {far, 1e8}, .parameters = {}},
                                                  {.from = 1, .to = 0, .path = {far, 1e8}, .parameters = {}}};
  collective_mapper mapper(platform::description(1e-6, clusters, links), {0, 1, 2, 3, 4, 5});
  collective_decision const& made = mapper.decide({.operation = collective::barrier});
  EXPECT_THAT(made.name, HasSubstr("exchange"));
  EXPECT_GE(made.predicted, far);
  EXPECT_LT(made.predicted, 1.1 * far);
}

TEST(CollectiveMapper, GoesRoundAMissingLink) {
  collective_mapper mapper = one_each(line_of_three(0));
  for (collective const operation :
       {collective::broadcast, collective::reduce, collective::allreduce, collective::barrier}) {
    collective_request const request{.operation = operation, .bytes = 64};
    for (auto [from, to] : mapper.decide(request).edges) EXPECT_EQ(std::max(from, to) - std::min(from, to), 1U);
    expect_result(mapper, request);
  }
}

TEST(CollectiveMapper, NamesTheClustersThatHaveNoLink) {
  collective_mapper mapper = one_each(line_of_three(0));
  try {
    mapper.decide({.operation = collective::alltoall, .bytes = 8});
    FAIL() << "decided";
  } catch (error const& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("alltoall"));
    EXPECT_THAT(refused.what(), HasSubstr("'a'"));
    EXPECT_THAT(refused.what(), HasSubstr("'c'"));
  }
  std::vector<platform::cluster> const apart = {{.name = "here"}, {.name = "there"}};
  for (bool const one_way : {false, true}) {
    std::vector<platform::cluster_link> links;
    if (one_way) links.push_back({.from = 0, .to = 1, .path = {1e-3}, .parameters = {}});
    try {
      one_each({1e-6, apart, links});
      FAIL() << "made";
    } catch (error const& refused) {
      EXPECT_THAT(refused.what(), HasSubstr(one_way ? "from cluster 'there' to cluster 'here'"
                                                    : "from cluster 'here' to cluster 'there'"));
    }
  }
}

// From a to c the way over b is short, from c to a the direct one.
TEST(CollectiveMapper, LooksAtTheDirectionInWhichMessagesGo) {
  std::vector<platform::cluster> clusters;
  for (char const letter : {'a', 'b', 'c'}) clusters.push_back({.name = std::string(1, letter), .hosts = 1});
  auto const way = [](std::size_t from, std::size_t to, double latency) {
    return platform::cluster_link{.from = from, .to = to, .path = {latency, 1e8}, .parameters = {}};
  };
  collective_mapper mapper = one_each(
      {1e-6,
       std::move(clusters),
       {way(0, 1, 1e-3), way(1, 2, 1e-3), way(0, 2, 1e-1), way(1, 0, 1e-1), way(2, 1, 1e-1), way(2, 0, 1e-3)}});
  using edges = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(mapper.decide({.operation = collective::broadcast, .bytes = 8}).edges, (edges{{0, 1}, {1, 2}}));
  // A reduction goes up its tree: c sends to a itself; b reaches a in 0.1 s, over c in 0.002 s only if b sends to c.
  EXPECT_EQ(mapper.decide({.operation = collective::reduce, .bytes = 8}).edges, (edges{{0, 2}, {2, 1}}));
  EXPECT_NEAR(mapper.decide({.operation = collective::reduce, .bytes = 8}).predicted, 2e-3, 1e-4);
}

// -- the paper

// Table 4: binomial trees inside all clusters for 8 kB, pipelines for 512 kB. With one tree, as there.
TEST(CollectiveMapper, ChoosesInsideTheClustersAsThePaperDoes) {
  platform::description const machine = platform::read_description(SKEL_TEST_DATA "/grid5000_plogp.json");
  collective_mapper mapper = one_each(machine, {.most_stripes = 1});
  std::map<std::uint64_t, std::string> const table{{8192, "binomial"}, {524288, "pipeline"}};
  for (auto const& [bytes, algorithm] : table)
    for (inside_choice const& choice : mapper.decide({.operation = collective::broadcast, .bytes = bytes}).inside)
      if (machine.clusters()[choice.cluster].hosts > 1) {
        EXPECT_EQ(choice.algorithm, algorithm) << bytes << " bytes, " << machine.clusters()[choice.cluster].name;
        EXPECT_EQ(choice.model, "plogp");
      }
}

TEST(CollectiveMapper, TakesNoMoreStripesThanItMay) {
  platform::description const machine = platform::read_description(SKEL_TEST_DATA "/grid5000_plogp.json");
  for (std::size_t const most : {1U, 4U}) {
    collective_mapper mapper = one_each(machine, {.most_stripes = most});
    for (std::uint64_t const bytes : {1024U, 1U << 22}) {
      auto const& decision = mapper.decide({.operation = collective::broadcast, .bytes = bytes});
      ASSERT_TRUE(decision.plan.route.has_value());
      EXPECT_LE(decision.plan.route->trees.stripes, most);
    }
  }
}

// -- what cannot be

// A time that overflows never was the least: no tree was chosen inside the cluster, and it was followed.
TEST(CollectiveMapper, RefusesTimesThatOverflow) {
  auto const block = platform::to_block(platform::loggp_parameters{.L = 1, .o = 1, .g = 1, .G = 1e304});
  for (std::size_t const hosts : {1U, 5U}) {
    platform::description const machine(
        0,
        {{.name = "near", .hosts = 1},
         {.name = "far", .hosts = hosts, .inside = {1e-4, 1e8}, .parameters = {{"loggp", block}}}},
        {{.from = 0, .to = 1, .path = {1}, .parameters = {}}, {.from = 1, .to = 0, .path = {1}, .parameters = {}}});
    collective_mapper mapper = one_each(machine);
    for (auto const operation : {collective::broadcast, collective::reduce, collective::allreduce}) {
      try {
        mapper.decide({.operation = operation, .bytes = 1 << 20});
        FAIL() << "decided";
      } catch (error const& refused) {
        EXPECT_THAT(refused.what(), HasSubstr("inside cluster 'far' would take inf s"));
      }
    }
  }
}

TEST(CollectiveMapper, DecidesForFiveThousandHosts) {
  platform::description const machine(1e-6, {{.name = "large", .hosts = 5000, .inside = {1e-4, 1e8}}}, {});
  collective_mapper mapper = one_each(machine);
  for (auto const operation : {collective::allreduce, collective::allgather, collective::alltoall}) {
    auto const& decision = mapper.decide({.operation = operation, .bytes = 1000});
    EXPECT_TRUE(decision.predicted > 0 && std::isfinite(decision.predicted));
    EXPECT_FALSE(mapper.steps({.operation = operation, .bytes = 1000}, 4999).steps.empty());
  }
}

TEST(CollectiveMapper, RefusesWhatItCannotMapWithAReason) {
  platform::description const machine(1e-6, {{.name = "only", .hosts = 2, .inside = {1e-4, 1e8}}}, {});
  auto const reason = [](auto&& act) -> std::string {
    try {
      act();
    } catch (error const& refused) {
      return refused.what();
    }
    return "accepted";
  };
  EXPECT_THAT(reason([&] { collective_mapper(machine, {}); }), HasSubstr("no rank"));
  EXPECT_THAT(reason([&] { collective_mapper(machine, {0, 2}); }), HasSubstr("rank 1 is on host 2"));
  collective_mapper mapper = one_each(machine);
  EXPECT_THAT(reason([&] { mapper.decide({.bytes = 10, .unit = 4}); }), HasSubstr("10 bytes is not whole elements"));
  EXPECT_THAT(reason([&] { mapper.decide({.bytes = 10, .unit = 0}); }), HasSubstr("elements of 0 bytes"));
  EXPECT_THAT(reason([&] { mapper.decide({.operation = collective::alltoall, .bytes = std::uint64_t{1} << 63}); }),
              HasSubstr("more bytes than can be counted"));
  std::vector<platform::cluster> many;
  for (int c = 0; c < 300; ++c) many.push_back({.name = "c" + std::to_string(c), .hosts = 1});
  EXPECT_THAT(reason([&] { one_each({1e-6, many, {}}); }), HasSubstr("over 300 clusters cannot be scheduled"));
}

/// Two clusters, with a link that is as good as what is inside of them, or so many times slower.
platform::description two_clusters(double slower) {
  platform::link const inside{1e-4, 1e8}, between{1e-4 * slower, 1e8 / slower};
  return platform::description(
      1e-6, {{.name = "a", .hosts = 4, .inside = inside}, {.name = "b", .hosts = 4, .inside = inside}},
      {{.from = 0, .to = 1, .path = between}, {.from = 1, .to = 0, .path = between}});
}

TEST(CollectiveMapperOfAnotherPicture, DecidesAsOneThatBeganWithIt) {
  for (std::uint64_t const bytes : {8U, 4096U, 1U << 20U}) {
    collective_request const request{.operation = plan::collective::broadcast, .bytes = bytes};
    std::vector<plan::host_id> const spread{0, 4, 1, 5, 2, 6, 3, 7};
    collective_mapper mapper(two_clusters(1), spread), other(two_clusters(50), spread);
    auto const before = mapper.decide(request);
    auto const number_before = mapper.predicted(request);
    mapper.turn_to(1, two_clusters(50));
    EXPECT_EQ(mapper.decide(request).name, other.decide(request).name);
    EXPECT_EQ(mapper.decide(request).predicted, other.decide(request).predicted);
    EXPECT_GT(mapper.decide(request).predicted, number_before);
    expect_result(mapper, request);
    mapper.turn_to(0, two_clusters(1));
    EXPECT_EQ(mapper.decide(request).name, before.name);
    EXPECT_EQ(mapper.decide(request).plan, before.plan);
    expect_result(mapper, request);
  }
}

TEST(CollectiveMapperOfAnotherPicture, LearnsNothingForALaterProcess) {
  collective_request const request{.operation = plan::collective::broadcast, .bytes = 1 << 20};
  collective_mapper mapper = one_each(two_clusters(1));
  mapper.begin(request);
  mapper.observe(request, 1);
  auto const learnt = mapper.learnt();
  ASSERT_FALSE(learnt.empty());
  mapper.turn_to(1, two_clusters(50));
  mapper.begin(request);
  mapper.observe(request, 1);
  EXPECT_EQ(mapper.learnt(), learnt);
}

TEST(CollectiveMapperOfAnotherPicture, StaysAsItIsWhereTheMachineCannotBeAccepted) {
  collective_request const request{.operation = plan::collective::broadcast, .bytes = 4096};
  collective_mapper mapper = one_each(two_clusters(1));
  auto const before = mapper.decide(request);
  auto const small = platform::parse_description(
      R"({"skel_platform": 1, "clusters": [{"name": "a", "hosts": 2, "speed": 1, "latency": 1e-4, "bandwidth": 1e8}]})",
      "small");
  EXPECT_THROW(mapper.turn_to(1, small), skel::error);
  EXPECT_EQ(mapper.decide(request).plan, before.plan);
}

}  // namespace
}  // namespace skel::mapping
