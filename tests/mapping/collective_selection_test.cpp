#include "mapping/collective_selection.hpp"

#include <random>

#include <gtest/gtest.h>

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
