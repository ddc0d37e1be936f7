#include "shared_grid/job.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "simulation/own_process.hpp"

namespace bench {

using nlohmann::json;

namespace {

/// So many frames are a rate, as in scripts/shared_grid.
constexpr std::size_t window = 40;

}  // namespace

double shared_grid_outcome::rate_afterwards() const {
  auto const first = std::ranges::lower_bound(times, disturbed);
  auto const frames = times.end() - first;
  return frames < 2 ? 0 : static_cast<double>(frames - 1) / (times.back() - *first);
}

std::size_t shared_grid_outcome::moves_before() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(moves, [this](auto const& one) { return one.seconds < disturbed; }));
}

station_ranks const& shared_grid_outcome::placement_before() const {
  return moves_before() == 0 ? begin : moves[moves_before() - 1].to;
}

std::optional<recovery> recovery_of(shared_grid_outcome const& run, double rate) {
  auto const& times = run.times;
  auto const first = static_cast<std::size_t>(std::ranges::lower_bound(times, run.disturbed) - times.begin());
  for (std::size_t i = first; i + window < times.size(); ++i)
    if (static_cast<double>(window) / (times[i + window] - times[i]) >= 0.9 * rate)
      return recovery{times[i] - run.disturbed, i - first};
  return std::nullopt;
}

std::string to_json(shared_grid_outcome const& outcome) {
  auto moves = json::array();
  for (auto const& one : outcome.moves)
    moves.push_back({one.seconds, one.to, one.expected, one.took, one.before, one.after});
  return json{{"times", outcome.times}, {"disturbed", outcome.disturbed},
              {"host", outcome.host},   {"begin", outcome.begin},
              {"moves", moves},         {"decisions", outcome.decisions}}
      .dump();
}

shared_grid_outcome parse_shared_grid_outcome(std::string_view text) {
  auto const in = json::parse(text);
  shared_grid_outcome out{.times = in.at("times").get<std::vector<double>>(),
                          .disturbed = in.at("disturbed"),
                          .host = in.at("host"),
                          .begin = in.at("begin").get<station_ranks>(),
                          .moves = {},
                          .decisions = in.at("decisions")};
  for (auto const& one : in.at("moves"))
    out.moves.push_back({one.at(0), one.at(1).get<station_ranks>(), one.at(2), one.at(3), one.at(4), one.at(5)});
  return out;
}

shared_grid_outcome simulate(shared_grid_job const& job) {
  return parse_shared_grid_outcome(in_own_process([&] { return to_json(simulate_here(job)); }));
}

}  // namespace bench
