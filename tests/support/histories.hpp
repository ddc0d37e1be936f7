#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/record/history_recorder.hpp>

/// Histories of runs that never were.
namespace skel::made_up {

/// A run of a source, a stage named so and a sink, which was reported on so often: the stage is on the last rank.
inline record::run_history run(std::string stage, std::size_t ranks, std::size_t reports) {
  record::run_history begun;
  begun.stations = {"source", std::move(stage), "sink"};
  for (std::size_t r = 0; r < ranks; ++r) begun.hosts.push_back("node-" + std::to_string(r));
  begun.counted = 2;
  begun.period = 0.25;
  record::history_recorder recorder(begun);
  int const last = static_cast<int>(ranks) - 1;
  recorder.begin("plan: here and there\nwhy: it is best", 3, {{0}, {last}, {0}});
  for (std::size_t k = 1; k <= reports; ++k) {
    double const at = 0.25 * static_cast<double>(k);
    for (std::size_t r = ranks; r-- > 0;) {
      record::rank_progress said;
      said.rank = static_cast<std::int32_t>(r);
      said.seconds = at;
      said.run = 0.2;
      said.waited = 0.05;
      auto const items = static_cast<std::uint64_t>(25 * k);
      if (r == 0) said.stations = {{0, items + 8, 0.01 * at}, {2, items, 0.01 * at}};
      if (static_cast<int>(r) == last) said.stations.push_back({1, items + 2, 0.9 * at});
      recorder.hear(said);
    }
    recorder.expect(std::vector<record::share_forecast>(ranks, {.share = 0.8, .error = 0.1}));
  }
  return recorder.history();
}

/// A decision with this number that moved the second stage from rank 0 to rank 1, or to stay.
inline record::move_decision decision(std::uint64_t number, bool moved, std::string refused = {}) {
  record::move_decision out;
  out.number = number;
  out.seconds = static_cast<double>(number);
  out.ways = {{"stay", 2e-3, 0, 0}, {"(node-0, node-1, node-0)", 1e-3, 0.1, 0.3}};
  out.chosen = moved ? 1 : 0;
  out.uses = 1000;
  out.lost = 0.35;
  out.why = moved ? "it pays" : "no move pays yet";
  out.measured = 1.1e-3;
  out.took = moved && refused.empty() ? 0.5 : 0;
  out.refused = std::move(refused);
  if (moved) out.stages = {{1, {0}, {1}}};
  return out;
}

}  // namespace skel::made_up
