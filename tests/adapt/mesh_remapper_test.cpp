#include <skel/detail/adapt/mesh_remapper.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <support/row_of_cells.hpp>

namespace {

using skel::mesh_remapper;
using skel::mesh_standing;

/// Until it has moved, or not within so many reviews: after how many.
std::size_t reviews_until_moved(mesh_remapper& by, row_of_cells& of, double slower, std::size_t most) {
  for (std::size_t k = 1; k <= most; ++k)
    if (auto const dealt = by.review(of.after(1000 * k, 1000, slower), 1000, 0.01)) {
      of.standing.partition = *dealt;
      return k;
    }
  return 0;
}

mesh_remapper remapper_of(row_of_cells const& of, skel::mapping::decision_setup const& decisions = {}) {
  return {of.standing, {.graph = &of.graph, .weights = {}, .centres = {}}, 0.05, 0.05, decisions};
}

TEST(MeshRemapper, EqualHostsStayAsTheyAre) {
  row_of_cells one(3000, 3);
  auto by = remapper_of(one);
  EXPECT_EQ(reviews_until_moved(by, one, 1, 20), 0u);
  EXPECT_EQ(by.decisions().all, 20u);
}

TEST(MeshRemapper, ASlowHostGetsFewerElementsWhenThatPays) {
  row_of_cells one(3000, 3);
  auto by = remapper_of(one);
  // A thousand iterations lose 2 s beside the best, which is far more than moving costs.
  EXPECT_EQ(reviews_until_moved(by, one, 4, 20), 1u);
  auto const& last = by.decisions().kept.back();
  EXPECT_TRUE(last.moved());
  EXPECT_NEAR(last.ways.front().period, 4e-3, 1e-9);
  EXPECT_NEAR(last.way().period, 3000e-6 / 2.25, 0.05 * last.way().period);
  EXPECT_GT(last.lost, last.way().entry);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(one.standing.partition.part_of, 1U)), 3000 / 9.0, 20);
  EXPECT_EQ(reviews_until_moved(by, one, 4, 20), 0u) << "it is as it should be now";
  EXPECT_GT(reviews_until_moved(by, one, 1, 20), 0u) << "the host is as fast as before";
}

TEST(MeshRemapper, WhatIsLostIsWeighedAgainstWhatMovingCosts) {
  row_of_cells one(3000, 3);
  one.standing.ground.bandwidth = 1e4;  // 100 kB take 10 s and more
  auto by = remapper_of(one);
  auto const reviews = reviews_until_moved(by, one, 4, 100);
  EXPECT_GT(reviews, 3u);
  auto const& last = by.decisions().kept.back();
  EXPECT_GE(last.lost, last.way().entry);
  EXPECT_LE(last.lost, 1.5 * last.way().entry + 3);
}

TEST(MeshRemapper, ElementsStayWhereNoOtherPartitionHasRoom) {
  row_of_cells one(3000, 3);
  one.standing.ground.hosts.most_cells = {1001, 1001, 1001};
  auto by = remapper_of(one);
  EXPECT_EQ(reviews_until_moved(by, one, 4, 20), 0u) << "faster hosts have no memory for more elements";
  EXPECT_EQ(by.decisions().all, 20u);
}

/// A move took 3 s beside what its model says: it must have lost as much more before the next one.
TEST(MeshRemapper, ExpectsOfAMoveWhatTheLastOneTook) {
  row_of_cells one(3000, 3);
  auto by = remapper_of(one);
  ASSERT_EQ(reviews_until_moved(by, one, 4, 20), 1u);
  double const first = by.decisions().kept.back().way().entry;
  by.moved(first + 3);
  ASSERT_GT(reviews_until_moved(by, one, 1, 20), 0u);
  EXPECT_NEAR(by.decisions().kept.back().way().entry, first + 3, 0.01);
  EXPECT_GT(by.decisions().kept.back().lost, by.decisions().kept.back().way().entry);
}

/// A host that is a little slow costs looks in vain, which make the next ones rarer, but not when it becomes very slow.
TEST(MeshRemapper, LooksAtOnceWhenSomethingChangesHoweverManyLooksWereInVain) {
  row_of_cells one(300, 3);
  auto by = remapper_of(one);
  std::uint64_t k = 0;
  for (int looks = 0; looks<60; looks += by.decisions().kept.back().ways.size()> 1 ? 1 : 0) {
    ASSERT_FALSE(by.review(one.after(10'000 * (k + 1), 10'000, 1.04), 10'000, 0.01)) << "a gain within the doubt";
    ASSERT_LT(++k, 10'000U);
  }
  by.review(one.after(10'000 * (k + 1), 10'000, 4), 10'000, 0.01);  // loses 2.7 s; 61 times planning are 3 s
  EXPECT_GT(by.decisions().kept.back().ways.size(), 1U);
  EXPECT_GT(by.decisions().kept.back().ways.back().entry, 0);
}

TEST(MeshRemapper, NothingMovesForWhatIsLeft) {
  row_of_cells one(3000, 3);
  one.standing.ground.bandwidth = 1e4;
  one.standing.iterations = 5000;
  auto by = remapper_of(one);
  EXPECT_EQ(reviews_until_moved(by, one, 4, 5), 0u);
}

TEST(MeshRemapper, StaysWhereThatIsForced) {
  row_of_cells one(3000, 3);
  auto by = remapper_of(one, {.log = nullptr, .forced = {{"remap", "stay"}}, .known = {}});
  EXPECT_EQ(reviews_until_moved(by, one, 4, 20), 0u);
}

/// Ranks 0, 1 and 3 are cluster "a", and rank 2 is "b", an element takes so long on it.
class Surroundings : public testing::Test {
 protected:
  static skel::platform::monitor machine() {
    skel::platform::snapshot const picture(
        skel::platform::description(0, {{.name = "a", .hosts = 3}, {.name = "b"}}, {{0, 1, {}, {}}, {1, 0, {}, {}}}));
    return {picture, {0, 1, 3, 2}};
  }
  Surroundings() { standing_.ground.clusters = {"a"}; }

  /// With the selection of these ranks, on which an iteration is expected to take so long, and an element takes so
  /// long.
  mesh_remapper by(std::vector<int> const& ranks, double expected, double element = 1e-6) {
    skel::mesh_ground to = standing_.ground;
    if (ranks.size() == 1) to.clusters.clear();
    if (std::ranges::find(ranks, 2) != ranks.end()) to.clusters.emplace_back("b");
    to.ranks = ranks;
    to.hosts.seconds.assign(ranks.size(), element);
    to.hosts.most_cells.assign(ranks.size(), 1e12);
    to.hosts.cluster_of.assign(ranks.size(), 0);
    skel::mesh_surroundings around{.outlook = {machine(), std::vector<std::vector<double>>(4, {0, 1e-6})},
                                   .select =
                                       [to, expected](auto const&, auto const&, auto const&) {
                                         return std::optional(skel::mesh_selection{to, expected, 1e9});
                                       },
                                   .error = 0.1};
    return {standing_, {.graph = &row_.graph, .weights = {}, .centres = {}}, 0.05, 0.05, decisions_, around};
  }
  static skel::mesh_news announced(skel::platform::announcement one) {
    return {.announced = {std::move(one)}, .now = 1};
  }

  row_of_cells row_{3000, 3};
  mesh_standing& standing_ = row_.standing;
  skel::mapping::decision_setup decisions_;
};

TEST_F(Surroundings, AClusterIsTakenInWhenAChosenHostIsSlow) {
  auto one = by({0, 1, 3, 2}, 3000e-6 / 3.01);
  auto const dealt = one.review(row_.after(1000, 1000, 100), 1000, 0.01);
  ASSERT_TRUE(dealt.has_value());
  EXPECT_EQ(dealt->parts, 4u);
  EXPECT_EQ(one.standing().ground.ranks, (std::vector{0, 1, 3, 2}));
  EXPECT_TRUE(one.has_changed_ranks());
  auto const& last = one.decisions().kept.back();
  EXPECT_EQ(last.taken_in, std::vector<std::string>{"b"});
  EXPECT_TRUE(last.given_up.empty());
  EXPECT_TRUE(last.could_stay());
  EXPECT_GT(last.ways.front().period, 0.09);
  EXPECT_LT(last.way().period, last.ways.front().period / 2);
}

TEST_F(Surroundings, ClustersAreGivenUp) {
  auto one = by({2}, 3e-4, 1e-7);
  auto const dealt = one.review(row_.after(10'000, 10'000, 1), 10'000, 0.01);
  ASSERT_TRUE(dealt.has_value());
  EXPECT_EQ(one.standing().ground.ranks, std::vector{2});
  EXPECT_EQ(one.decisions().kept.back().given_up, std::vector<std::string>{"a"});
}

TEST_F(Surroundings, TheSameRanksAreDealtAnewWhereOthersAreNotBetter) {
  auto one = by({2}, 1e-3);  // by its partition 3 ms
  ASSERT_TRUE(one.review(row_.after(1000, 1000, 100), 1000, 0.01).has_value());
  EXPECT_EQ(one.standing().ground.ranks, (std::vector{0, 1, 3}));
  EXPECT_FALSE(one.has_changed_ranks());
}

TEST_F(Surroundings, NothingMovesWhereTheSelectionStays) {
  auto one = by({0, 1, 3}, 1e-3);
  EXPECT_EQ(reviews_until_moved(one, row_, 1, 20), 0u);
  EXPECT_FALSE(one.has_changed_ranks());
}

/// A selection that promises more than its partition keeps is not believed again.
TEST_F(Surroundings, WhatASelectionTurnedOutToTakeIsRemembered) {
  auto one = by({2}, 1e-5);  // by its partition 3 ms, and 1 ms where the program is
  EXPECT_EQ(reviews_until_moved(one, row_, 1, 20), 0u);
  std::size_t const looks = static_cast<std::size_t>(
      std::ranges::count_if(one.decisions().kept, [](auto const& of) { return of.ways.size() > 1; }));
  EXPECT_EQ(looks, 1u);
}

TEST_F(Surroundings, AHostThatIsToBeLeftIsLeftAtOnce) {
  auto one = by({0, 3, 2}, 1e-3);
  EXPECT_FALSE(one.review(row_.after(10, 10, 1), 10, 0.01).has_value());
  // Nothing was lost yet, and going costs more than is to come.
  auto const dealt = one.review(row_.after(20, 10, 1), 10, 0.01,
                                announced({.says = skel::platform::announcement::kind::leaves, .host = "a-1"}));
  ASSERT_TRUE(dealt.has_value());
  EXPECT_EQ(one.standing().ground.ranks, (std::vector{0, 3, 2}));
  EXPECT_FALSE(one.decisions().kept.back().could_stay());
  EXPECT_EQ(one.decisions().kept.back().why, "a host leaves");
}

TEST_F(Surroundings, AHostThatLeavesIsNotLeftWhereStayingIsForced) {
  decisions_.forced = {{"remap", "stay"}};
  auto one = by({0, 3, 2}, 1e-3);
  EXPECT_FALSE(one.review(row_.after(10, 10, 1), 10, 0.01,
                          announced({.says = skel::platform::announcement::kind::leaves, .host = "a-1"}))
                   .has_value());
}

/// What iterations take beside phases is what steps wait for, which fewer ranks do less: by the first look.
TEST_F(Surroundings, OneRankIsLeftWhereWaitsTakeMoreThanComputing) {
  standing_.ground.measured_wait = standing_.ground.hosts.wait = 1e-6;
  standing_.ground.waiting = 3;
  double seen = 0;
  mesh_remapper one(standing_, {.graph = &row_.graph, .weights = {}, .centres = {}}, 0.05, 0.05, decisions_,
                    skel::mesh_surroundings{.outlook = {machine(), std::vector<std::vector<double>>(4, {0, 1e-6})},
                                            .select =
                                                [&](auto const&, skel::mesh_ground const& now, auto const&) {
                                                  seen = now.hosts.wait;
                                                  auto to = now;
                                                  to.ranks = {0};
                                                  to.hosts.seconds = {1e-6}, to.hosts.most_cells = {1e12},
                                                  to.hosts.cluster_of = {0};
                                                  to.hosts.wait = 0;
                                                  return std::optional(skel::mesh_selection{to, 3e-3, 1e9});
                                                },
                                            .error = 0.1});
  auto measured = row_.after(1000, 1000, 1);
  measured.iterating += 1000 * 9e-3;  // an update each
  auto const dealt = one.review(measured, 1000, 0.01);
  EXPECT_NEAR(seen, 9e-3, 1e-5);
  ASSERT_TRUE(dealt.has_value());
  EXPECT_EQ(one.standing().ground.ranks, std::vector{0});
  EXPECT_NEAR(one.decisions().kept.back().way().period, 3e-3, 1e-4);
}

/// Two ranks on one core: what an element took is between what it takes alone and twice that.
TEST_F(Surroundings, WhatRanksOfOneCoreTakeIsWhatTheyTakeAlone) {
  standing_.ground.slower = {2, 2, 1};
  auto const seen = [&](double longer) {
    std::vector<double> out;
    mesh_remapper one(standing_, {.graph = &row_.graph, .weights = {}, .centres = {}}, 0.05, 0.05, decisions_,
                      skel::mesh_surroundings{.outlook = {machine(), std::vector<std::vector<double>>(4, {0, 1e-6})},
                                              .select =
                                                  [&](skel::mesh_outlook const& of, auto const&, auto const&) {
                                                    for (std::size_t r = 0; r < 2; ++r) out.push_back(of.seconds(r)[1]);
                                                    return std::optional<skel::mesh_selection>();
                                                  },
                                              .error = 0.1});
    static_cast<void>(one.review(row_.after(1000, 1000, longer), 1000, 0.01));
    return out;
  };
  EXPECT_EQ(seen(1), (std::vector{1e-6, 1e-6}));
  EXPECT_NEAR(seen(2)[1], 1e-6, 1e-12) << "they computed by turns";
  EXPECT_NEAR(seen(6)[1], 3e-6, 1e-12) << "the rank is slower than it was";
}

}  // namespace
