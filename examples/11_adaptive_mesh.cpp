// A grid with refinements that come and go: the kernel `amr` of the Parallel Research Kernels as a BSP program. Its
// processes are tiles of the background and of each refinement, more than there are ranks. They work only while their
// grid is there. The means of all grids are known, and are verified. See --help.
//
//   11_adaptive_mesh --iterations 200 --side 2000 --refined 500 --level 2 --period 20 --duration 10 --tiles 16
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <skel/bsp.hpp>
#include <skel/skel.hpp>

#include "kernels/blocks.hpp"
#include "kernels/mesh_trace.hpp"
#include "output_file.hpp"

namespace {

using namespace kernels;

struct options {
  mesh problem{};
  std::size_t tiles = 8;
  std::uint64_t deaf = 0;  // a superstep that reads no edge of a neighbour of lower number; 0: none
  trace_options trace{};
};

/// Points of the receiver's grid, or of the background for a refinement.
struct points {
  area where;
  bool background = false;
  std::vector<double> values{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(where, background, values);
  }
};

struct tile {
  field cells;
  std::vector<load> did{};  // in each superstep, for a trace: work of this process, and its messages

  template <class Archive>
  void serialize(Archive& archive) {
    archive(cells, did);
  }
};

/// Results of a tile.
struct tally {
  double output = 0, input = 0;
  std::vector<load> did{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(output, input, did);
  }
};

/// Reads the messages of others. Returns the work for this.
double take(options const& with, skel::superstep<points>& now, int grid, tile& mine) {
  area coarse{};
  std::vector<double> background;
  if (grid > 0) coarse = background_of(with.problem, mine.cells.own(), grid - 1);
  for (auto const& [from, what] : now.received()) {
    if (!what.background) {
      if (now.number() != with.deaf || from > now.process()) mine.cells.paste(what.where, what.values);
      continue;
    }
    background.resize(static_cast<std::size_t>(coarse.size()));
    auto next = what.values.begin();
    for (long y = what.where.y.begin; y < what.where.y.end; ++y, next += what.where.x.size())
      std::copy(next, next + what.where.x.size(),
                background.begin() + ((y - coarse.y.begin) * coarse.x.size() + what.where.x.begin - coarse.x.begin));
  }
  if (background.empty()) return 0;
  interpolate(with.problem, grid - 1, coarse, background, mine.cells);
  return interpolation_work(with.problem, mine.cells.own(), grid - 1);
}

void step(options const& with, tiling const& tiles, skel::superstep<points>& now, tile& mine) {
  mesh const& problem = with.problem;
  auto const grid = static_cast<int>(now.process() % grids);
  std::size_t const t = now.process() / grids;
  load did{.work = {take(with, now, grid, mine)}};
  auto const does = activity_of(problem, now.number(), grid);
  auto const send = [&](std::size_t to, area const& where, bool background) {
    did.messages.push_back({now.process(), to, static_cast<double>(where.size()) * sizeof(double)});
    now.send(to, {where, background, mine.cells.cut(where)});
  };
  if (does.updates) {
    mine.cells.update(grid == 0 ? 1 : 1 / static_cast<double>(problem.expand()));
    did.work[0] += update_work(mine.cells.own(), grid == 0 ? problem.side : problem.fine_side());
  }
  if (does.sends_edges)
    for_each_edge(tiles, t, mine.cells.own(),
                  [&](std::size_t to, area const& edge) { send(process_of(to, grid), edge, false); });
  if (int const g = does.next_refinement; g >= 0)
    for_each_interpolation(problem, tiles, mine.cells.own(), g,
                           [&](std::size_t to, area const& cut) { send(process_of(to, g + 1), cut, true); });
  if (!with.trace.file.empty()) mine.did.push_back(std::move(did));
  if (now.number() == supersteps_of(problem)) now.halt();
}

auto program(options const& with, tiling const& tiles) {
  return skel::bsp<points>(
             "mesh", tiles.count() * grids,
             [=](std::size_t p) {
               auto const grid = static_cast<int>(p % grids);
               area const own = area_of(with.problem, tiles, p / grids, grid);
               tile made{.cells = {own, grid == 0 ? with.problem.side : with.problem.fine_side()}};
               if (grid > 0) return made;
               for (long y = own.y.begin; y < own.y.end; ++y)
                 for (long x = own.x.begin; x < own.x.end; ++x) made.cells.in(x, y) = static_cast<double>(x + y);
               return made;
             },
             [=](skel::superstep<points>& now, tile& mine) { step(with, tiles, now, mine); })
      .limited(supersteps_of(with.problem) + 1)
      .migrated_by({.supersteps = supersteps_of(with.problem)});
}

/// Operations per second in all supersteps but the first iteration's, on the slowest rank.
double rate(mesh const& problem, tiling const& tiles, skel::record::bsp_record const& run) {
  std::uint64_t const first = 2 + static_cast<std::uint64_t>(problem.sub_iterations);
  double seconds = 0, work = 0;
  auto const steps = trace_of(problem, tiles);  // from superstep 2 on
  for (auto const& one : run.times) {
    if (one.first < first) continue;
    seconds += one.computing[0] + one.waiting[0];
    for (std::uint64_t s = one.first; s < one.first + one.count; ++s)
      for (double const w : steps[s - 2].work) work += w;
  }
  return seconds > 0 ? work / seconds : 0;
}

void write_trace(options const& with, tiling const& tiles, std::vector<tally> const& all, double speed) {
  std::vector<load> steps(supersteps_of(with.problem) - 1);
  for (std::size_t s = 0; s < steps.size(); ++s)
    for (auto const& one : all) {
      steps[s].work.push_back(one.did[s + 1].work[0]);
      auto const& messages = one.did[s + 1].messages;
      steps[s].messages.insert(steps[s].messages.end(), messages.begin(), messages.end());
    }
  if (!same(steps, trace_of(with.problem, tiles))) throw skel::error("tiles did not do what is known of their grids");
  std::vector<std::size_t> begins;
  for (std::size_t p = 0; p < all.size(); ++p) begins.push_back(p * with.trace.hosts / all.size());
  auto const text = scenario(with.trace, speed, steps, begins, state_bytes(with.problem, tiles));
  examples::write_file(with.trace.file, [&](std::ostream& file) { file << text; });
}

/// Prints the means of a grid. True if they are right within 1e-8, as the kernel demands it.
bool verify(std::string const& name, means const& got, means const& expected) {
  bool const right = std::abs(got.output - expected.output) <= 1e-8 && std::abs(got.input - expected.input) <= 1e-8;
  std::printf("%-13s output %.10g (%.10g), input %.10g (%.10g)%s\n", name.c_str(), got.output, expected.output,
              got.input, expected.input, right ? "" : "  wrong");
  return right;
}

/// Prints the checks. True if all is right.
bool verify(options const& with, tiling const& tiles, std::vector<tally> const& all) {
  mesh const& problem = with.problem;
  std::printf("%ld x %ld points in %ld x %ld tiles, refinements of %ld x %ld in as many each\n", problem.side,
              problem.side, tiles.columns, tiles.rows, problem.fine_side(), problem.fine_side());
  std::printf("%ld iterations, a refinement every %ld for %ld, with %ld updates in each\n", problem.iterations + 1,
              problem.period, problem.duration, problem.sub_iterations);
  std::printf("means, and what they have to be:\n");
  bool right = true;
  for (int grid = 0; grid < static_cast<int>(grids); ++grid) {
    means sum;
    for (std::size_t t = 0; t < tiles.count(); ++t) {
      auto const& one = all[process_of(t, grid)];
      sum.output += one.output, sum.input += one.input;
    }
    auto const side = static_cast<double>(grid == 0 ? problem.side : problem.fine_side()), inner = side - 2 * radius;
    means const got{sum.output / (inner * inner), sum.input / (side * side)};
    right &= grid == 0 ? verify("background", got, expected_background(problem))
                       : verify("refinement " + std::to_string(grid), got, expected_refinement(problem, grid - 1));
  }
  std::printf(right ? "verified: all means are as they have to be\n" : "verification failed\n");
  return right;
}

void declare(CLI::App& app, options& with) {
  mesh& problem = with.problem;
  auto const count = CLI::Range(1L, 1L << 30);
  auto const side = CLI::Range(2L * radius + 1, 1L << 20);
  app.add_option("--iterations", problem.iterations,
                 "Sets the number of iterations. One more runs before, which the kernel does not time.")
      ->check(count)
      ->capture_default_str();
  app.add_option("--side", problem.side, "Sets the number of points of the background in each direction.")
      ->check(side)
      ->capture_default_str();
  app.add_option("--refined", problem.refined, "Sets the number of points that a refinement covers in each direction.")
      ->check(CLI::Range(2L, 1L << 20))
      ->capture_default_str();
  app.add_option("--level", problem.level, "Splits each interval into 2^LEVEL in a refinement.")
      ->check(CLI::Range(0, 10))
      ->capture_default_str();
  app.add_option("--period", problem.period, "Sets the number of iterations from one refinement to the next.")
      ->check(count)
      ->capture_default_str();
  app.add_option("--duration", problem.duration,
                 "Sets the number of iterations that a refinement lasts, at most the period.")
      ->check(count)
      ->capture_default_str();
  app.add_option("--sub-iterations", problem.sub_iterations,
                 "Sets the number of updates of a refinement in each iteration.")
      ->check(count)
      ->capture_default_str();
  app.add_option(
         "--tiles", with.tiles,
         "Sets the number of tiles of the background and of each refinement. There are five times as many processes.")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--trace", with.trace.file,
                 "Writes the work of the tiles as a scenario, of which `skel bsp` reads up to 32 MiB.")
      ->type_name("FILE");
  app.add_option("--hosts", with.trace.hosts,
                 "Sets the number of hosts in the scenario. Each begins with one block of tiles.")
      ->check(CLI::Range(2, 100000))
      ->capture_default_str();
  app.add_option("--ratio", with.trace.ratio, "Makes the first half of the hosts faster by this factor.")
      ->check(CLI::Range(1e-3, 1e3))
      ->capture_default_str();
  app.add_option("--deaf", with.deaf,
                 "Ignores edges of lower neighbours in this superstep, to test that the check finds it.")
      ->type_name("SUPERSTEP");
  app.footer("Exit status: 0 if the result is verified, 1 if it is not or an error came.");
}

/// Refuses meaningless options.
void check(options const& with) {
  mesh const& problem = with.problem;
  auto const refuse = [](std::string const& what) { throw CLI::ValidationError(what); };
  if (problem.refined > problem.side)
    refuse("--refined " + std::to_string(problem.refined) + " is more than there is of the background (--side " +
           std::to_string(problem.side) + ")");
  if (problem.fine_side() < 2 * radius + 1)
    refuse("refinements have " + std::to_string(problem.fine_side()) +
           " points in each direction, and the stencil needs " + std::to_string(2 * radius + 1) +
           ": take more of --refined or --level");
  if (problem.duration > problem.period)
    refuse("--duration is more than --period: the next refinement would come before this one has gone");
  tiling const tiles = nearly_square(with.tiles);
  if (std::min(problem.side, problem.fine_side()) / tiles.rows < radius)
    refuse("--tiles " + std::to_string(with.tiles) + " are " + std::to_string(tiles.rows) +
           " rows of tiles, with less than " + std::to_string(radius) +
           " points each: take fewer, with more factors, or larger grids");
}

}  // namespace

int main(int argc, char** argv) try {
  skel::grid grid(argc, argv);
  options with;
  CLI::App app{
      "Computes on a grid with refinements that come and go, as the kernel amr of the Parallel Research Kernels\n"
      "defines it. Each tile is a BSP process. Runs alone or under mpirun, with the same means on any number of "
      "ranks."};
  declare(app, with);
  app.callback([&] {
    check(with);
    examples::expect_folder_of(with.trace.file);
  });
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& e) {
    return grid.rank() == 0 ? app.exit(e) : e.get_exit_code();
  }

  tiling const tiles = nearly_square(with.tiles);
  auto const results = grid.run(program(with, tiles), [](std::size_t, tile const& mine) {
    return tally{mine.cells.output_sum(), mine.cells.input_sum(), mine.did};
  });
  if (grid.rank() != 0) return 0;
  bool const right = verify(with, tiles, results.values);
  double const speed = rate(with.problem, tiles, results.report.run);
  std::cerr << results.report << speed / 1e6 << " million operations/s after the first iteration\n";
  if (right && !with.trace.file.empty()) write_trace(with, tiles, results.values, speed);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw skel::error("standard output cannot be written");
  return right ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << "11_adaptive_mesh: " << e.what() << "\n";
  return 1;
}
