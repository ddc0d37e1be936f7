#include "overhead/watching.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <skel/skel.hpp>

#include "support/repeat.hpp"
#include "support/spin.hpp"

namespace bench {
namespace {

/// Ranks say how far they are four times a second: a run has to last some of these periods.
constexpr double least_seconds = 2;

/// A host of one core for each of two ranks, so that each stage is placed on its own. mpirun --bind-to core makes them
/// so.
skel::run_settings two_hosts() {
  skel::run_settings out;
  out.knowledge = "off";
  out.progress = false;
  std::vector<skel::platform::cluster> clusters;
  std::vector<skel::platform::cluster_link> links;
  for (std::size_t r = 0; r < 2; ++r) {
    clusters.push_back({.name = "host" + std::to_string(r), .hosts = 1, .cores = 1, .local_latency = 1e-6});
    links.push_back({.from = r, .to = 1 - r, .path = {1e-6, 1e10}});
  }
  out.platform = skel::platform::description(1e-6, clusters, links);
  return out;
}

/// Items per second; `moved` is counted up where the run was moved.
double run(skel::grid& grid, bool watched, std::uint64_t items, std::uint64_t turns, double work, std::size_t& moved) {
  grid.settings().remap = watched;
  auto const step = [turns](std::uint64_t x) { return spin(x, turns); };
  auto app = skel::source("source",
                          [next = std::uint64_t{0}, items]() mutable -> std::optional<std::uint64_t> {
                            return next < items ? std::optional(next++) : std::nullopt;
                          }) |
             skel::stage("first", step, skel::stateless, skel::work(work)) |
             skel::stage("second", step, skel::stateless, skel::work(work)) | skel::sink([](std::uint64_t) {});
  auto const report = grid.run(app);
  double rate = static_cast<double>(report.run.items) / report.run.seconds;
  if (std::ranges::any_of(report.run.remaps, [](auto const& one) { return one.done > 0; })) ++moved;
  grid.broadcast(rate);
  return rate;
}

}  // namespace

int watching(rank_options const& how, std::vector<double> const& work_us) {
  skel::grid grid(two_hosts());
  if (grid.size() != 2) {
    if (grid.rank() == 0) fmt::print(stderr, "bench_overhead: --watching runs under mpirun -np 2\n");
    return 2;
  }
  bool const print = grid.rank() == 0 && !how.as_json;
  nlohmann::json rows = nlohmann::json::array();
  double turn = turn_time();  // [ns]
  grid.broadcast(turn);
  if (print)
    fmt::print(
        "two stages on two ranks, watched (remap on) and not, {} rounds in turn\n{:>9} {:>12} {:>12} {:>8} {:>17} "
        "{:>5}\n",
        how.rounds, "work [us]", "not, items/s", "watched", "ratio", "of rounds", "moved");
  for (double const work : work_us) {
    auto const turns = static_cast<std::uint64_t>(work * 1e3 / turn);
    std::uint64_t items = 20'000;
    std::size_t moved = 0;
    auto const measured = [&](bool watched) {
      return run(grid, watched, items, turns, 1e-6 * std::max(1e-3, work), moved);
    };
    items = static_cast<std::uint64_t>(measured(false) * std::max(least_seconds, how.target_seconds)) + 1;
    grid.broadcast(items);
    std::vector<double> ratios, without;
    for (std::size_t round = 0; round < how.rounds; ++round) {
      bool const first = round % 2 == 0;
      double const a = measured(!first), b = measured(first);
      without.push_back(first ? a : b);
      ratios.push_back(first ? b / a : a / b);
    }
    auto const ratio = spread_of(ratios);
    double const base = spread_of(without).median;
    rows.push_back({{"work_us", work},
                    {"items_per_s", base},
                    {"ratio", ratio.median},
                    {"min", ratio.min},
                    {"max", ratio.max},
                    {"moved", moved}});
    if (print)
      fmt::print("{:>9} {:>12.0f} {:>12.0f} {:>8.4f} {:>8.4f} {:>8.4f} {:>5}\n", work, base, base * ratio.median,
                 ratio.median, ratio.min, ratio.max, moved);
  }
  if (grid.rank() == 0 && how.as_json)
    fmt::print("{}\n", nlohmann::json{{"benchmark", "watching"}, {"rounds", how.rounds}, {"rows", rows}}.dump());
  return 0;
}

}  // namespace bench
