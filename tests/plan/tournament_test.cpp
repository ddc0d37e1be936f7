#include <map>
#include <set>
#include <utility>

#include <gmock/gmock.h>

#include <skel/detail/plan/tournament.hpp>

namespace {

using skel::plan::match;
using skel::plan::round;
using skel::plan::tournament;
using skel::plan::tournament_rounds;
using skel::plan::uncrowded;

/// How often each pair meets; checks that nobody plays twice in a round.
std::map<match, int> meetings(std::vector<round> const& rounds) {
  std::map<match, int> seen;
  for (round const& held : rounds) {
    std::set<std::size_t> busy;
    for (match const& one : held) {
      EXPECT_LT(one.first, one.second);
      EXPECT_TRUE(busy.insert(one.first).second) << one.first;
      EXPECT_TRUE(busy.insert(one.second).second) << one.second;
      ++seen[one];
    }
  }
  return seen;
}

TEST(Tournament, HoldsEveryPairOnceInDisjointMatches) {
  for (std::size_t players = 0; players <= 40; ++players) {
    auto const rounds = tournament(players);
    auto const seen = meetings(rounds);
    EXPECT_EQ(seen.size(), players < 2 ? 0 : players * (players - 1) / 2) << players << " players";
    for (auto const& [pair, times] : seen) {
      EXPECT_LT(pair.second, players);
      EXPECT_EQ(times, 1) << pair.first << " and " << pair.second << " of " << players;
    }
    for (round const& held : rounds) EXPECT_EQ(held.size(), players / 2);
  }
}

TEST(Tournament, OfAHundredHostsTakes99Rounds) {
  EXPECT_EQ(tournament_rounds(100), 99U);
  EXPECT_EQ(tournament_rounds(101), 101U);
  for (std::size_t players : {0U, 1U, 2U, 3U, 40U, 99U, 100U})
    EXPECT_EQ(tournament(players).size(), tournament_rounds(players));
}

TEST(Uncrowded, KeepsEveryMatchAndTheRoomOfEachPlace) {
  std::vector<std::size_t> const place_of{0, 1, 0, 1, 2, 2, 2, 0, 1}, room{1, 2, 4};
  auto const before = tournament(place_of.size());
  auto const after = uncrowded(before, place_of, room);
  EXPECT_EQ(meetings(after), meetings(before));
  for (round const& held : after) {
    EXPECT_FALSE(held.empty());
    std::map<std::size_t, std::size_t> busy;
    for (auto const& [a, b] : held) ++busy[place_of[a]], ++busy[place_of[b]];
    for (auto const& [place, players] : busy) EXPECT_LE(players, std::max<std::size_t>(2, room[place]));
  }
}

TEST(Uncrowded, ChangesNothingWhereThereIsRoom) {
  EXPECT_EQ(uncrowded(tournament(6), {0, 0, 1, 1, 2, 2}, {2, 2, 2}), tournament(6));
}

}  // namespace
