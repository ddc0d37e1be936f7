#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

#include <skel/detail/pattern/compose.hpp>
#include <skel/detail/runtime/line/run_line.hpp>

/// Sources and plans for tests of the engine.
namespace skel::test {

using namespace std::chrono_literals;
using skel::plan::run_plan;
using skel::runtime::communicator;
using skel::runtime::make_program;
using skel::runtime::program;
using skel::runtime::run_line;

inline communicator& ranks() {
  static communicator instance;
  return instance;
}

inline auto count_to(std::uint64_t n) {
  return skel::source("count", [n, i = std::uint64_t{0}]() mutable -> std::optional<std::uint64_t> {
    return i < n ? std::optional(i++) : std::nullopt;
  });
}

/// Source and sink on rank 0; everything else dealt out over the ranks, `width` workers per farm station and, unless
/// the program says how many, `width` copies per broadcast stage.
inline run_plan spread(program const& line, std::size_t width, std::size_t capacity = 1, int shift = 0) {
  run_plan plan;
  int next = shift;
  for (std::size_t s = 0; s < line.size(); ++s) {
    skel::plan::station_plan station;
    station.capacity = capacity;
    std::size_t const said = line.stations[s].copies ? line.stations[s].notes.width : 0;
    std::size_t const many = said > 0 ? said : width;
    std::size_t const workers = line.stations[s].replicable || line.stations[s].copies ? many : 1;
    for (std::size_t w = 0; w < workers; ++w)
      station.ranks.push_back(s == 0 || s + 1 == line.size() ? 0 : next++ % ranks().size());
    plan.stations.push_back(station);
  }
  return plan;
}

inline bool at_sink() {
  return ranks().rank() == 0;
}

/// An uneven load without a clock: later items overtake earlier ones.
inline void stumble(std::uint64_t item) {
  if (item % 97 == 0) std::this_thread::sleep_for(200us);
}

}  // namespace skel::test
