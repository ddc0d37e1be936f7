#include "stage_states.hpp"

#include <algorithm>

#include <skel/detail/base/error.hpp>
#include <skel/detail/runtime/line/move_states.hpp>

namespace skel {
namespace {

constexpr char const* remedy =
    "say skel::stateless if its function keeps nothing from item to item, or give its type a skel::serializer (or a "
    "serialize() for cereal) that names only types that can travel";

std::optional<int> home_of(runtime::station const& station) {
  return station.stateful && station.home != nullptr ? *station.home : std::nullopt;
}

[[noreturn]] void refuse(runtime::station const& station, int from, int to) {
  throw error("'" + station.notes.name + "' may keep state, which is on rank " + std::to_string(from) +
              " since an earlier run and cannot travel to rank " + std::to_string(to) + ": " + remedy +
              ", or run it on its old rank");
}

void remember(runtime::station const& station, int rank) {
  if (station.stateful && station.home != nullptr) *station.home = rank;
}

bool has(std::vector<runtime::unmoved_state> const& states, std::size_t station) {
  return std::ranges::find(states, station, &runtime::unmoved_state::station) != states.end();
}

/// A station is on this rank after all, with those beside it whose items cannot be sent: their states are still there
/// too.
void keep_at(int rank, runtime::program const& line, std::size_t station, plan::run_plan& plan) {
  std::size_t begin = station, end = station + 1;
  while (begin > 0 && line.stations[begin].input == nullptr) --begin;
  while (end < line.size() && line.stations[end].input == nullptr) ++end;
  for (; begin != end; ++begin) std::ranges::fill(plan.stations[begin].ranks, rank);
}

}  // namespace

void bring_states(runtime::program const& line, runtime::communicator const& ranks) {
  std::vector<runtime::state_move> moves;
  for (std::size_t s = 0; s < line.size(); ++s) {
    auto const from = home_of(line.stations[s]);
    if (!from || *from == measuring_rank) continue;
    if (line.stations[s].stays()) refuse(line.stations[s], *from, measuring_rank);
    moves.push_back({s, *from, measuring_rank});
  }
  auto const stayed = runtime::move_states(line, moves, ranks);
  for (auto const& move : moves)
    if (!has(stayed, move.station)) remember(line.stations[move.station], move.to);
  if (!stayed.empty()) throw_failure(stayed.front().why);
}

void check_pins(runtime::program const& line, processor_map const& where) {
  for (auto const& station : line.stations) {
    if (!station.stays() || station.notes.at.empty()) continue;
    auto const ranks = where.find_ranks(station.notes.at.front());
    if (std::ranges::find(ranks, measuring_rank) == ranks.end())
      throw error("stage '" + station.notes.name + "' may keep state and is pinned to '" + station.notes.at.front() +
                  "', but its first items would be measured on rank " + std::to_string(measuring_rank) +
                  ": say skel::work for every stage, so that nothing is measured; or " + remedy);
  }
}

std::vector<std::optional<int>> ranks_of_states(runtime::program const& line, bool measured) {
  std::vector<std::optional<int>> ranks(line.size());
  for (std::size_t s = 1; s + 1 < line.size(); ++s)  // source and sink have ranks of their own
    if (line.stations[s].stays()) ranks[s] = measured ? measuring_rank : home_of(line.stations[s]);
  return ranks;
}

std::map<std::size_t, std::string> settle_states(runtime::program const& line, plan::run_plan& plan, bool measured,
                                                 runtime::communicator const& ranks) {
  std::vector<runtime::state_move> moves;
  for (std::size_t s = 0; s < line.size(); ++s) {
    auto const& station = line.stations[s];
    auto const& at = plan.stations[s].ranks;
    if (!station.stateful) continue;
    auto const from = measured ? std::optional(measuring_rank) : home_of(station);
    if (!from || *from == at.front()) continue;
    if (station.stays()) refuse(station, *from, at.front());
    moves.push_back({s, *from, at.front()});
  }
  auto const stayed = runtime::move_states(line, moves, ranks);
  std::vector<std::vector<int>> planned;
  for (auto const& station : plan.stations) planned.push_back(station.ranks);
  for (auto const& move : moves)
    if (has(stayed, move.station)) keep_at(move.from, line, move.station, plan);
  for (std::size_t s = 0; s < line.size(); ++s) remember(line.stations[s], plan.stations[s].ranks.front());
  std::map<std::size_t, std::string> out;
  for (auto const& [station, why] : stayed) {
    // Its author, or that of one beside it that has to go along, demands another host.
    for (std::size_t s = 0; s < line.size(); ++s)
      if (!line.stations[s].notes.at.empty() && plan.stations[s].ranks != planned[s]) throw_failure(why);
    out.emplace(station, why_it_stays(why));
  }
  return out;
}

void remember_states(runtime::program const& line, std::vector<std::vector<int>> const& ranks) {
  for (std::size_t s = 0; s < ranks.size(); ++s) remember(line.stations[s], ranks[s].front());
}

void settle_where_measured(runtime::program const& line) {
  for (auto const& station : line.stations) remember(station, measuring_rank);
}

}  // namespace skel
