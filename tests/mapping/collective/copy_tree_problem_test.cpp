#include <skel/detail/mapping/copy_tree_problem.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "support/decision_laws.hpp"

namespace {

using namespace skel::mapping;

constexpr double usual = 0.1;

//   near: ranks 0 2 4 ...     20 ms     far: ranks 1 3 5 ...
//   20 us inside        ---------------  20 us inside
copy_tree_request two_clusters(double bytes, std::size_t ranks = 8) {
  copy_tree_request asked{.program = 7, .stage = "part", .batch = {bytes, bytes / 2, 1e-3}, .capacity = 2};
  for (std::size_t from = 0; from < ranks; ++from) {
    asked.ranks.push_back("host" + std::to_string(from));
    for (std::size_t to = 0; to < ranks; ++to)
      asked.paths.push_back(from % 2 == to % 2 ? skel::platform::link{2e-5, 1e9} : skel::platform::link{2e-2, 1e7});
  }
  return asked;
}

copy_tree_request one_cluster(double bytes, std::size_t ranks = 8) {
  auto asked = two_clusters(bytes, ranks);
  std::ranges::fill(asked.paths, skel::platform::link{2e-5, 1e9});
  return asked;
}

std::vector<candidate<copy_tree>> all_of(copy_tree_request const& asked, bool all = false) {
  return copy_tree_problem::candidates(asked, 0, all);
}

decided<copy_tree> decide(copy_tree_request const& asked, forced_choices forced = {}) {
  decider<copy_tree_problem> one{copy_tree_problem(usual)};
  one.force(std::move(forced));
  return one.decide(asked);
}

TEST(CopyTreeProblem, KeepsTheLawsOfDecisions) {
  auto const make = [] { return copy_tree_problem(usual); };
  expect_decision_laws<copy_tree_problem>(make, two_clusters(65536));
  expect_decision_laws<copy_tree_problem>(make, one_cluster(65536));
}

TEST(CopyTreeProblem, EachTreeHasAllRanksAndIsNumberedBranchByBranch) {
  for (auto const& asked : {two_clusters(65536), one_cluster(100), two_clusters(1, 3), one_cluster(1e6, 17)})
    for (auto const& [tree, id, entry, per_use] : all_of(asked, true)) {
      std::size_t const n = asked.ranks.size();
      ASSERT_EQ(tree.order.size(), n) << tree.name;
      ASSERT_EQ(tree.parents.size(), n) << tree.name;
      EXPECT_EQ(tree.order.front(), 0u) << "the root";
      EXPECT_EQ(std::set(tree.order.begin(), tree.order.end()).size(), n) << tree.name;
      for (std::size_t v = 1; v < n; ++v) {
        std::size_t above = v - 1;
        while (above != 0 && above != tree.parents[v]) above = tree.parents[above];
        EXPECT_EQ(above, tree.parents[v]) << tree.name << ", vertex " << v;
      }
      EXPECT_EQ(entry, 0);
      EXPECT_EQ(per_use, tree.price.period);
    }
}

TEST(CopyTreeProblem, CrossesTheSlowLinkOnceOnEveryTree) {
  for (auto const& one : all_of(two_clusters(65536), true)) {
    auto const& tree = one.plan;
    std::size_t crossings = 0;
    for (std::size_t v = 1; v < tree.order.size(); ++v)
      crossings += tree.order[v] % 2 != tree.order[tree.parents[v]] % 2;
    EXPECT_EQ(crossings, 1u) << tree.name;
  }
}

TEST(CopyTreeProblem, TakesNoMoreThanAnyTreeOfFourRanks) {
  for (double const bytes : {1.0, 1e4, 1e6}) {
    auto const asked = one_cluster(bytes, 4);
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t b = 0; b < 2; ++b)
      for (std::uint32_t c = 0; c < 3;
           ++c)  // hosts are alike, so that all trees of these parents are all that there are
        least =
            std::min(least, skel::cost::price_copy_tree(
                                std::vector<std::uint32_t>{0, 0, b, c},
                                [&](std::size_t, std::size_t) { return asked.paths[0]; }, asked.batch, asked.capacity)
                                .period);
    EXPECT_LE(decide(asked).per_use(), least * (1 + 1e-12)) << bytes;
  }
}

TEST(CopyTreeProblem, ManyBytesTakeAChainWhereAllSendAsMuch) {
  EXPECT_EQ(decide(one_cluster(1e7)).chosen().plan.name, "chain");
}

TEST(CopyTreeProblem, WhereTheLineIsSlowerTheLeastRoundTripIsPreferred) {
  auto asked = one_cluster(1e5);
  asked.others = 1;
  auto const made = decide(asked);
  EXPECT_EQ(made.per_use(), 1);
  for (auto const& other : made.ranked)
    EXPECT_GE(other.way.plan.price.round_trip, made.chosen().plan.price.round_trip) << other.way.plan.name;
}

TEST(CopyTreeProblem, SchedulesAreForcedByName) {
  auto const made = decide(two_clusters(65536), {{"copies", "chain, flat"}});
  EXPECT_EQ(made.chosen().plan.name, "chain, flat");
  EXPECT_EQ(made.why, decision_reason::forced);
  EXPECT_EQ(decide(two_clusters(65536), {{"copies", "binary"}}).chosen().plan.name.substr(0, 8), "binary, ");
  EXPECT_THROW(decide(two_clusters(65536), {{"copies", "ring"}}), skel::error);
}

TEST(CopyTreeProblem, LeavesOutTheSameTreeTwiceUnlessAllAreAskedFor) {
  auto const some = all_of(two_clusters(65536)), all = all_of(two_clusters(65536), true);
  EXPECT_LT(some.size(), all.size()) << "between two clusters all schedules are alike";
  EXPECT_EQ(some.size(), 4u);
}

TEST(CopyTreeProblem, NeedsLinksBetweenTheRanks) {
  auto asked = two_clusters(65536, 4);
  for (std::size_t k = 0; k < asked.paths.size(); ++k)
    if (asked.paths[k].latency > 1e-3) asked.paths[k] = {std::numeric_limits<double>::infinity()};
  EXPECT_THROW(all_of(asked), skel::error);
}

}  // namespace
