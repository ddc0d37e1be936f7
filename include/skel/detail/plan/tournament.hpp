#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

/// Pairs of players that are measured together, in rounds.
namespace skel::plan {

/// Two players, the smaller number first.
using match = std::pair<std::size_t, std::size_t>;
/// Matches at the same time: no player is in two of them.
using round = std::vector<match>;

/// Rounds of a tournament in which each two players meet once: the fewest possible, with all players busy in every
/// round (all but one for an odd number).
constexpr std::size_t tournament_rounds(std::size_t players) {
  return players < 2 ? 0 : players - 1 + players % 2;
}

/// Every pair of players once, in tournament_rounds(players) rounds of players / 2 disjoint matches. One player keeps
/// the seat. The others sit in a circle that turns by one from round to round, and opposite seats play. O(players^2).
/// Source: Kirkman 1850, "Note on an unanswered prize question", Cambridge and Dublin Mathematical Journal 5:255-262.
inline std::vector<round> tournament(std::size_t players) {
  std::size_t const seats = players + players % 2;  // an empty seat for an odd number
  std::vector<round> rounds(tournament_rounds(players));
  for (std::size_t turn = 0; turn < rounds.size(); ++turn)
    for (std::size_t i = 0; i < seats / 2; ++i) {
      std::size_t const a = i == 0 ? seats - 1 : (turn + i) % (seats - 1);
      std::size_t const b = (turn + seats - 1 - i) % (seats - 1);
      if (std::max(a, b) < players) rounds[turn].emplace_back(std::min(a, b), std::max(a, b));
    }
  return rounds;
}

/// The same matches in the same order, with further rounds for crowded places. In a round, no place has more busy
/// players than room. It has room for two at least, so that a match between two of its players can be held.
/// `place_of[player]` is an index into `room`. O(matches) if no match has to be moved, O(matches x rounds) at worst.
inline std::vector<round> uncrowded(std::vector<round> const& rounds, std::vector<std::size_t> const& place_of,
                                    std::vector<std::size_t> const& room) {
  std::vector<round> result;
  std::vector<std::size_t> places(room.size());
  for (round waiting : rounds)
    while (!waiting.empty()) {
      std::transform(room.begin(), room.end(), places.begin(),
                     [](std::size_t seats) { return std::max<std::size_t>(2, seats); });
      round held, later;
      for (match const& one : waiting) {
        std::size_t& first = places[place_of[one.first]];
        std::size_t& second = places[place_of[one.second]];
        bool const fits = &first == &second ? first >= 2 : first >= 1 && second >= 1;
        if (fits) --first, --second;
        (fits ? held : later).push_back(one);
      }
      result.push_back(std::move(held));
      waiting = std::move(later);
    }
  return result;
}

}  // namespace skel::plan
