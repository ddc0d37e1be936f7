#include "host_figures.hpp"

#include <gmock/gmock.h>

namespace {

using skel::asked_path;
using skel::find_players;
using skel::player;
using skel::what_is_asked;
using skel::cost::model_kind;
using testing::ElementsAre;
using testing::SizeIs;

/// Ranks 0 and 3 on the host a, rank 1 on b, ranks 2 and 4 on c.
skel::run_hosts const five_ranks = skel::group_ranks({"a", "b", "c", "a", "c"});

/// a and b are a cluster, c is another.
skel::platform::survey two_clusters() {
  skel::platform::survey all;
  for (char const* name : {"a", "b", "c"}) {
    all.hosts.emplace_back();
    all.hosts.back().name = name;
  }
  all.clusters = {{.name = "ab", .hosts = {0, 1}, .inside = {.between = {0, 1}}}, {.name = "c", .hosts = {2}}};
  all.links = {{.from = 0, .to = 1, .measured = {.between = {1, 2}}},
               {.from = 1, .to = 0, .measured = {.between = {2, 1}}}};
  return all;
}

std::vector<std::pair<std::size_t, std::size_t>> ranks_of(std::vector<asked_path> const& asked) {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (asked_path const& one : asked) all.emplace_back(one.from, one.to);
  return all;
}

TEST(Players, AreTheHostsWithAnotherOfTheirRanks) {
  auto const players = find_players(five_ranks, false);
  EXPECT_THAT(names_of(players), ElementsAre("a", "b", "c"));
  EXPECT_EQ(players[0].partner, 3U);
  EXPECT_EQ(players[1].partner, players[1].rank) << "it has one rank";
  EXPECT_EQ(players[2].ranks, 2U);
}

TEST(Players, AreTheRanksWhereEachCountsAsAHost) {
  auto const players = find_players(five_ranks, true);
  EXPECT_THAT(names_of(players), ElementsAre("a-r0", "b", "c-r2", "a-r3", "c-r4"));
  EXPECT_EQ(players[3].machine, 0U);
  EXPECT_EQ(players[3].partner, 3U);
}

TEST(MissingFigures, AreAllPathsOfASurveyWithoutMessages) {
  auto all = two_clusters();
  auto const asked = what_is_asked(all, find_players(five_ranks, false), {});
  EXPECT_THAT(ranks_of(asked.local), ElementsAre(std::pair(0, 3), std::pair(2, 4))) << "one of each cluster";
  EXPECT_THAT(ranks_of(asked.inside), ElementsAre(std::pair(0, 1)));
  EXPECT_THAT(ranks_of(asked.links), ElementsAre(std::pair(1, 2), std::pair(2, 1)));
}

TEST(MissingFigures, OfBothWaysBetweenClustersAreAskedOfTheSameHosts) {
  auto all = two_clusters();
  all.links[1].measured.between = {2, 0};  // as latencies of an even number of pairs say
  auto const asked = what_is_asked(all, find_players(five_ranks, false), {});
  EXPECT_THAT(ranks_of(asked.links), ElementsAre(std::pair(1, 2), std::pair(2, 1)));
  EXPECT_EQ(all.links[1].measured.between, std::pair(std::size_t{2}, std::size_t{1}));
}

TEST(MissingFigures, AreTheModelsThatNobodyHasWantedBefore) {
  auto all = two_clusters();
  auto const players = find_players(five_ranks, false);
  what_is_asked(all, players, {}).for_each([](asked_path const& one) { one.path->probes = 5; });
  EXPECT_TRUE(what_is_asked(all, players, {}).empty());
  auto const asked = what_is_asked(all, players, {model_kind::plogp});
  EXPECT_THAT(ranks_of(asked.local), ElementsAre(std::pair(2, 4))) << "models of ranks where the cluster is one host";
  EXPECT_THAT(asked.inside, SizeIs(1));
  EXPECT_THAT(asked.links, SizeIs(2));
  asked.for_each([](asked_path const& one) { one.path->models["plogp"] = "{}"; });
  EXPECT_TRUE(what_is_asked(all, players, {model_kind::plogp}).empty());
  EXPECT_FALSE(what_is_asked(all, players, {model_kind::plogp, model_kind::hockney}).empty());
}

TEST(MissingFigures, CannotBeMeasuredInsideHostsWithOneRank) {
  auto all = two_clusters();
  EXPECT_TRUE(what_is_asked(all, find_players(skel::group_ranks({"a", "b", "c"}), false), {}).local.empty());
}

}  // namespace
