#include "restart/cost.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include <skel/detail/base/statistics.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/errors.hpp>

#include "restart/program.hpp"

namespace bench {
namespace {

/// Of the loop in the farm: some microseconds for an item.
constexpr std::uint64_t turns = 10'000;
/// That a first look at the throughput takes.
constexpr std::uint64_t few_items = 20'000;

/// The stage with state is on another rank than the source, where there is one.
skel::plan::run_plan plan_on(int ranks) {
  skel::plan::run_plan plan;
  plan.stations = {{{0}}, {{0, ranks - 1}}, {{ranks - 1}}, {{0}}};
  return plan;
}

/// Seconds from the call of a run that goes on to its first item.
double time_to_restore(skel::grid& grid, restart_program what) {
  what.throw_at = what.items / 2;
  try {
    run(what, grid);
  } catch (skel::stage_error const&) {
    what.throw_at = restart_program().throw_at;
  }
  std::atomic<std::int64_t> begun = 0;
  what.begun = &begun;
  std::int64_t const called = skel::record::now_ns();
  auto const report = run(what, grid);
  return report.resumed ? static_cast<double>(begun - called) * 1e-9 : 0;
}

}  // namespace

checkpoint_cost measure_cost(skel::grid& grid, std::filesystem::path const& folder, std::size_t state, double seconds,
                             std::size_t rounds) {
  grid.settings().plan = plan_on(grid.size());
  restart_program what;
  what.out = folder / "out";
  what.turns = turns;
  what.state = state;
  what.items = few_items;
  auto const run_it = [&](bool with) {
    grid.settings().checkpoint = with ? (folder / "checkpoints").string() : "";
    grid.settings().checkpoint_period = 1;
    return run(what, grid).run;
  };
  what.items = static_cast<std::uint64_t>(run_it(false).throughput() * seconds);
  checkpoint_cost out;
  out.state = state;
  std::vector<double> without, ratios, restores;
  double writing = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    bool const first = round % 2 == 0;  // who is first is so by turns
    auto const one = run_it(first), other = run_it(!first);
    auto const& with = first ? one : other;
    without.push_back((first ? other : one).throughput());
    ratios.push_back(with.throughput() / without.back());
    out.written += with.checkpoints.written;
    writing += with.checkpoints.seconds;
  }
  grid.settings().checkpoint = folder / "checkpoints";
  grid.settings().checkpoint_period = seconds / 8;
  for (std::size_t round = 0; round < rounds; ++round)
    if (double const took = time_to_restore(grid, what); took > 0) restores.push_back(took);
  out.without = skel::statistics::median(without);
  out.ratio = skel::statistics::median(ratios);
  out.least = *std::ranges::min_element(ratios);
  out.most = *std::ranges::max_element(ratios);
  if (out.written > 0) out.each = writing / static_cast<double>(out.written);
  if (!restores.empty()) out.restore = skel::statistics::median(restores);
  return out;
}

}  // namespace bench
