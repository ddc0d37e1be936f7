#include "bsp/rotations.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <nlohmann/json.hpp>

#include <skel/bsp.hpp>
#include <skel/detail/base/statistics.hpp>

namespace bench {
namespace {

/// 8 KiB, and what it has seen.
struct walker {
  std::vector<double> cells = std::vector<double>(1024);
  std::uint64_t heard = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(cells, heard);
  }
};

/// The most memory that this process has had so far [B].
double peak_bytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return 1024.0 * static_cast<double>(used.ru_maxrss);
}

struct outcome {
  double before = 0, during = 0, after = 0;  // of a superstep, medians on rank 0 [s]
  std::uint64_t migrated = 0, not_migrated = 0;
  bool right = true;
};

outcome rotate(skel::grid& grid, std::size_t processes, std::size_t rotations) {
  std::vector<double> took;
  std::uint64_t const last = 3 * rotations;
  auto const program = skel::bsp<std::uint64_t>(
                           "rotations", processes, [](std::size_t) { return walker(); },
                           [last](skel::superstep<std::uint64_t>& now, walker& mine) {
                             for (auto const& one : now.received())
                               mine.heard += one.what == now.number() - 1 ? 1 : 1u << 20;
                             for (auto& cell : mine.cells) cell = cell / 2 + static_cast<double>(mine.heard);
                             if (now.number() > last) return now.halt();
                             now.send((now.process() + 1) % now.processes(), now.number());
                             now.send((now.process() + now.processes() / 2) % now.processes(), now.number());
                           })
                           .moved_by([&](skel::bsp_measures const& of) {
                             took.push_back(of.took);
                             std::vector<skel::bsp_move> moves;
                             if (of.number <= rotations || of.number > 2 * rotations) return moves;
                             for (std::size_t p = 0; p < processes; ++p)
                               moves.push_back({p, of.rank_of[p], (of.rank_of[p] + 1) % grid.size()});
                             return moves;
                           });
  auto const all = grid.run(program, [](std::size_t, walker const& mine) { return mine.heard; });
  outcome out{.migrated = all.report.run.migrated, .not_migrated = all.report.run.not_migrated};
  out.right = std::ranges::all_of(all.values, [&](std::uint64_t heard) { return heard == 2 * last; });
  if (grid.rank() != 0) return out;
  auto const middle = [&](std::size_t first) {
    auto const begin = took.begin() + static_cast<std::ptrdiff_t>(first);
    return skel::statistics::median({begin, begin + static_cast<std::ptrdiff_t>(rotations) - 1});
  };
  out.before = middle(0), out.during = middle(rotations), out.after = middle(2 * rotations + 1);
  return out;
}

}  // namespace

int rotations(skel::grid& grid, rotation_options const& how) {
  auto const ranks = static_cast<std::size_t>(grid.size());
  std::size_t const rounded = (how.rotations + ranks - 1) / ranks * ranks;
  std::uint64_t const expected = ranks == 1 ? 0 : rounded * how.processes;
  bool right = true;
  std::vector<double> before, during, after, ratios;
  double first_peak = 0, last_peak = 0;
  for (std::size_t round = 0; round < how.rounds; ++round) {
    auto const out = rotate(grid, how.processes, rounded);
    right = right && out.right && out.migrated == expected && out.not_migrated == 0;
    before.push_back(out.before), during.push_back(out.during), after.push_back(out.after);
    ratios.push_back(out.after / out.before);
    (round == 0 ? first_peak : last_peak) = peak_bytes();
  }
  if (grid.rank() == 0) {
    using namespace skel::statistics;
    auto const sure = median_interval(ratios);
    if (how.as_json)
      fmt::print("{}\n", nlohmann::json{{"benchmark", "rotations"},
                                        {"ranks", ranks},
                                        {"processes", how.processes},
                                        {"rotations", rounded},
                                        {"migrations", expected},
                                        {"before_s", median(before)},
                                        {"during_s", median(during)},
                                        {"after_s", median(after)},
                                        {"after_over_before",
                                         {{"median", median(ratios)}, {"low", sure.low}, {"high", sure.high}}},
                                        {"peak_bytes_first_round", first_peak},
                                        {"peak_bytes_last_round", last_peak}}
                             .dump());
    else
      fmt::print(
          "{} processes on {} ranks, {} rotations in a row, {} rounds\na superstep takes {:.1f} us before, {:.1f} us "
          "while all move at each barrier, {:.1f} us after\nafter / before {:.3f} [{:.3f}, {:.3f}]; peak memory {:.0f} "
          "MiB after the first round, {:.0f} MiB after the last\n",
          how.processes, ranks, rounded, how.rounds, 1e6 * median(before), 1e6 * median(during), 1e6 * median(after),
          median(ratios), sure.low, sure.high, first_peak / (1 << 20), last_peak / (1 << 20));
  }
  if (grid.rank() == 0 && !right) fmt::print(stderr, "bench_bsp: a message was lost, or a process has not moved\n");
  return right ? 0 : 1;
}

}  // namespace bench
