#include "mapping/collective_selection.hpp"

#include <random>

#include <gtest/gtest.h>

#include <skel/detail/mapping/tuned_rules.hpp>
#include <skel/detail/platform/files.hpp>

#include "mapping/random_grid.hpp"
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
