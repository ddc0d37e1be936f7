#include "mapping/collective/collective_selection.hpp"

#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

#include <skel/detail/mapping/tuned.hpp>
#include <skel/detail/platform/files.hpp>

#include "mapping/random_grid.hpp"
#include "plan/interpreter.hpp"
#include "plan/meaning.hpp"
#include "support/decision_laws.hpp"

namespace skel::mapping {
namespace {

using plan::collective;

TEST(CollectiveSelection, KeepsTheLawsOfDecisions) {
  platform::description const machine = platform::read_description(SKEL_TEST_DATA "/grid5000_plogp.json");
  std::vector<plan::host_id> hosts(machine.host_count());
  for (plan::host_id h = 0; h < hosts.size(); ++h) hosts[h] = h;
  auto const make = [&] { return collective_selection(clusters_of_ranks(machine, hosts), {}); };
  for (auto const operation : {collective::broadcast, collective::reduce, collective::allreduce, collective::alltoall})
    expect_decision_laws<collective_selection>(make, {.operation = operation, .bytes = 1 << 16, .unit = 8});
}

TEST(CollectiveSelection, KeepsTheLawsOfDecisionsWhereOnlySomeAlgorithmsMayBeTaken) {
  platform::description const machine = platform::read_description(SKEL_TEST_DATA "/grid5000_plogp.json");
  std::vector<plan::host_id> const hosts{0, 1, 2, 30, 31, 60, 61};
  collective_options options{.only = {}, .tolerance = 0};
  for (auto const& one : tuned_algorithms()) options.only.push_back(plan::find_algorithm(one.operation, one.name));
  auto const make = [&] { return collective_selection(clusters_of_ranks(machine, hosts), options); };
  for (auto const operation : plan::all_collectives) {
    collective_request const asked{.operation = operation, .bytes = 1 << 16};
    for (auto const& each : make().candidates(asked, 0, true)) {
      auto const* const algorithm = plan::find_algorithm(operation, each.plan.what.plan.algorithm);
      EXPECT_NE(std::ranges::find(options.only, algorithm), options.only.end()) << each.plan.what.name;
      EXPECT_FALSE(each.plan.route) << each.plan.what.name;
    }
    if (operation == collective::broadcast || operation == collective::reduce)  // of which there are many
      expect_decision_laws<collective_selection>(make, asked);
  }
}

TEST(CollectiveSelection, TellsPricesApartAsWellAsTheModelFitsWhatWasMeasured) {
  platform::cluster near{.name = "one", .hosts = 4, .inside = {5e-5, 1e8}};
  near.parameters["measured"] = R"({"residuals": {"plogp": 0.25, "loggp": 0.5}})";
  auto const clusters = clusters_of_ranks(platform::description(0, {near}, {}), {0, 1, 2, 3});
  EXPECT_EQ(collective_selection(clusters, {}).tolerance, 0.25);
  EXPECT_EQ(collective_selection(clusters, {.only = {}, .tolerance = 0.3}).tolerance, 0.3);
  EXPECT_EQ(collective_selection(clusters, {.only = {}, .tolerance = 0}).tolerance, 0)
      << "the least price was asked for";
}

/// Of four ranks of one cluster, and of some in several.
std::vector<used_clusters> near_and_far() {
  platform::description const near(1e-6, {{.name = "one", .hosts = 4, .inside = {5e-5, 1e8}}}, {});
  platform::description const far = platform::read_description(SKEL_TEST_DATA "/grid5000_plogp.json");
  return {clusters_of_ranks(near, {0, 1, 2, 3}), clusters_of_ranks(far, {0, 1, 2, 30, 31, 60, 61})};
}

TEST(CollectiveSelection, HasEveryLegalAlgorithmWhereAllAreAskedFor) {
  for (auto const& ranks : near_and_far()) {
    collective_selection problem(ranks, {});
    for (auto const operation : plan::all_collectives)
      for (std::uint64_t const bytes : {8u, 80u, 8000u, 1u << 20}) {
        std::set<std::string> names;
        for (auto const& one : problem.candidates({.operation = operation, .bytes = bytes, .unit = 8}, 0, true))
          EXPECT_TRUE(names.insert(one.plan.what.name).second) << one.plan.what.name << " is there twice";
        for (auto const& one : plan::collective_algorithms()) {
          if (one.operation != operation) continue;
          EXPECT_TRUE(names.contains(std::string(one.name))) << plan::name_of(operation) << ": " << one.name;
        }
        bool const reduces = operation == collective::reduce || operation == collective::allreduce;
        if (!reduces && operation != collective::broadcast) continue;
        for (auto const* const tree : {"flat", "binomial", "chain", "binary", "k_nomial"}) {
          bool const one_cluster = ranks.ranks.size() == 1;
          EXPECT_TRUE(names.contains((one_cluster ? "" : "ECEF ") + std::string(tree)))
              << plan::name_of(operation) << " of " << bytes << " B: " << tree;
        }
        EXPECT_EQ(names.contains(ranks.ranks.size() == 1 ? "segmented_flat, 1024 B" : "ECEF segmented_flat, 1024 B"),
                  bytes > 1024);
      }
  }
}

TEST(CollectiveSelection, ForcesOneOfEachNameThatGivesTheResult) {
  for (auto const& ranks : near_and_far())
    for (auto const operation : {collective::broadcast, collective::reduce, collective::allreduce}) {
      collective_request const asked{.operation = operation, .bytes = 1 << 9, .unit = 8};
      for (auto const& one : collective_selection(ranks, {}).candidates(asked, 0, true)) {
        plan::collective_problem const what{.ranks = ranks.cluster_of.size(), .bytes = asked.bytes, .unit = 8};
        plan::schedule all;
        for (std::size_t rank = 0; rank < what.ranks; ++rank)
          all.ranks.push_back(plan::steps_of(one.plan.what.plan, what, rank));
        auto wanted = testing_plan::mean(what, operation);
        auto given = testing_plan::interpret(all, wanted.inputs, wanted.output_cells);
        testing_plan::in_any_order(wanted.outputs), testing_plan::in_any_order(given);
        for (std::size_t rank = 0; rank < what.ranks; ++rank)
          ASSERT_TRUE(wanted.outputs[rank].empty() || given[rank] == wanted.outputs[rank])
              << plan::name_of(operation) << ": " << one.plan.what.name << ", rank " << rank;
      }
    }
}

TEST(CollectiveSelection, SaysOfWhatAForcedAlgorithmMayNotBeTakenAndWhy) {
  auto const refusal = [](char const* forced, collective_request const& asked) -> std::string {
    decider<collective_selection> one(collective_selection(near_and_far().front(), {}));
    one.force({{std::string(plan::name_of(asked.operation)), forced}});
    try {
      return "it is " + one.decide(asked).chosen().plan.what.name;
    } catch (error const& refused) {
      return refused.what();
    }
  };
  using testing::AllOf;
  using testing::HasSubstr;
  collective_request const ordered{.operation = collective::allreduce, .bytes = 80, .unit = 8, .commutative = false};
  for (auto const* const forced : {"ring", "flat"})
    EXPECT_THAT(refusal(forced, ordered),
                AllOf(HasSubstr("'" + std::string(forced) +
                                "' is forced, but may not be taken for allreduce of 80 bytes among 4 ranks"),
                      HasSubstr("the operator does not commute"), HasSubstr("what may: recursive_doubling")));
  collective_request const any{.operation = collective::allreduce, .bytes = 8000, .unit = 8};
  EXPECT_EQ(refusal("flat", any), "it is flat");
  EXPECT_EQ(refusal("segmented_flat, 512 B", any), "it is segmented_flat, 512 B");
  EXPECT_THAT(refusal("rung", any), AllOf(HasSubstr("allreduce has no such algorithm"), HasSubstr("; ring")));
  EXPECT_THAT(refusal("flat", {.operation = collective::alltoall, .bytes = 80}),
              HasSubstr("alltoall has no such algorithm"));
  EXPECT_THAT(refusal("segmented_flat, 500 B", any),
              AllOf(HasSubstr("none with such segments"), HasSubstr("segmented_flat, 512 B")));
}

TEST(CollectiveSelection, PutsCandidatesWithFewMessagesFirst) {
  std::mt19937 random(3);
  for (int draw = 0; draw < 20; ++draw) {
    grid const one = random_grid(random);
    collective_selection problem(clusters_of_ranks(one.machine, one.host_of_rank), {});
    std::uint64_t before = 0;
    for (auto const& each : problem.candidates({.bytes = 1 << 20}, 0, false)) {
      std::uint64_t const segments = each.plan.route ? each.plan.route->outline.segments : 1;
      EXPECT_GE(segments, before);
      before = segments;
    }
  }
}

}  // namespace
}  // namespace skel::mapping
