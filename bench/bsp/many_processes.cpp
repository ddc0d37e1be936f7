#include "bsp/many_processes.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <nlohmann/json.hpp>

#include <skel/bsp.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/record/clock.hpp>

namespace bench {
namespace {

struct cell {
  double value = 0;
  std::uint64_t heard = 0;  ///< messages
};

/// The most memory that this process has had so far [B].
double peak_bytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return 1024.0 * static_cast<double>(used.ru_maxrss);
}

struct outcome {
  std::vector<double> seconds;  // of each superstep
  bool right = true;
};

outcome ring(skel::grid& grid, many_options const& how, bool measured) {
  std::vector<double> begins;
  auto program = skel::bsp<double, double>(
      "ring", how.processes, [](std::size_t process) { return cell{static_cast<double>(process)}; },
      [&begins, last = how.supersteps](skel::superstep<double, double>& now, cell& mine) {
        if (now.process() == 0) begins.push_back(skel::record::now());
        for (auto const& one : now.received()) mine.value += one.what, ++mine.heard;
        if (now.number() > last) return now.halt();
        mine.value /= 3;
        now.contribute(mine.value);
        now.send((now.process() + 1) % now.processes(), mine.value);
        now.send((now.process() + now.processes() - 1) % now.processes(), mine.value);
      },
      [](double a, double b) { return a + b; });
  program.migration.name = "never";
  if (measured) program.next_moves = [](skel::bsp_measures const&) { return std::vector<skel::bsp_move>(); };
  auto const all = grid.run(program, [](std::size_t, cell const& mine) { return mine.heard; });
  outcome out;
  for (std::size_t s = 1; s < begins.size(); ++s) out.seconds.push_back(begins[s] - begins[s - 1]);
  out.right = std::ranges::all_of(all.values, [&](std::uint64_t heard) { return heard == 2 * how.supersteps; });
  return out;
}

}  // namespace

int many_processes(skel::grid& grid, many_options const& how) {
  bool const prints = grid.rank() == 0;
  double const before = peak_bytes();
  auto rows = nlohmann::json::array();
  bool right = true;
  if (prints && !how.as_json)
    fmt::print(
        "{} processes on {} ranks, {} supersteps, 2 messages and a contribution of each\n{:>12} {:>14} {:>14} "
        "{:>22} {:>14}\n",
        how.processes, grid.size(), how.supersteps, "", "median [ms]", "most [ms]", "[ns] of a process", "peak [MiB]");
  for (bool const measured : {false, true}) {
    auto const out = ring(grid, how, measured);
    right = right && out.right;
    if (!prints) continue;
    using namespace skel::statistics;
    double const typical = median(out.seconds), most = std::ranges::max(out.seconds), peak = peak_bytes();
    char const* const name = measured ? "measuring" : "never";
    rows.push_back({{"name", name}, {"median_s", typical}, {"most_s", most}, {"peak_bytes", peak}});
    if (!how.as_json)
      fmt::print("{:>12} {:>14.2f} {:>14.2f} {:>22.0f} {:>14.0f}\n", name, 1e3 * typical, 1e3 * most,
                 1e9 * typical / static_cast<double>(how.processes), peak / (1 << 20));
  }
  if (prints && how.as_json)
    fmt::print("{}\n", nlohmann::json{{"benchmark", "many processes"},
                                      {"processes", how.processes},
                                      {"ranks", grid.size()},
                                      {"peak_bytes_before", before},
                                      {"rows", rows}}
                           .dump());
  if (prints && !right) fmt::print(stderr, "bench_bsp: messages were lost or doubled\n");
  return right ? 0 : 1;
}

}  // namespace bench
