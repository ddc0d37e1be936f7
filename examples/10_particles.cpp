// Particles on a grid of charges: the kernel `pic` of the Parallel Research Kernels as a BSP program. Its processes are
// tiles of the grid, more than there are ranks. Particles that leave a tile are messages. The final place of each
// particle is known exactly, and is verified. See --help.
//
//   10_particles --steps 1000 --side 1000 --particles 500000 --k 2 --m -1 --linear 1 3 --tiles 64
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <skel/bsp.hpp>
#include <skel/skel.hpp>

#include "kernels/blocks.hpp"
#include "kernels/particle_trace.hpp"
#include "output_file.hpp"

namespace {

using namespace kernels;

struct options {
  cloud problem{};
  std::size_t tiles = 16;
  std::uint64_t lost = 0;  // a particle; 0: none
  trace_options trace{};
};

/// A message of a tile: the number of particles that begin in it, to all; or the particles that go to one.
struct parcel {
  std::uint64_t count = 0;
  std::vector<particle> particles{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(count, particles);
  }
};

/// Particles that a tile has sent in a step.
struct departure {
  std::uint64_t step;
  std::size_t to, particles;
};

struct tile {
  range columns, rows;
  charges vertices;
  std::vector<particle> particles;
  std::uint64_t placed = 0;             // in all tiles
  std::vector<std::uint64_t> moved{};   // in each step, for a trace
  std::vector<departure> departures{};  // likewise

  template <class Archive>
  void serialize(Archive& archive) {
    archive(columns, rows, vertices, particles, placed, moved, departures);
  }
};

/// Results of a tile.
struct tally {
  std::uint64_t placed = 0, right = 0, numbers = 0, digest = 0;
  std::vector<std::uint64_t> moved{};
  std::vector<departure> departures{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(placed, right, numbers, digest, moved, departures);
  }
};

tally tally_of(cloud const& problem, tile const& mine) {
  tally all{.placed = mine.placed, .moved = mine.moved, .departures = mine.departures};
  for (auto const& one : mine.particles) {
    all.right += is_right(problem, one) ? 1U : 0U;
    all.numbers += one.number;
    std::uint64_t x = 0, y = 0;
    std::memcpy(&x, &one.x, sizeof x), std::memcpy(&y, &one.y, sizeof y);
    draws mixed;  // a sum, so that it does not matter which tile a particle is in
    mixed.skip_to(x ^ (y << 1) ^ one.number);
    all.digest += mixed.next(~std::uint64_t{0});
  }
  return all;
}

/// Moves all particles of a tile by a step, and sends those that leave it.
void step(options const& with, tiling const& tiles, skel::superstep<parcel>& now, tile& mine) {
  cloud const& problem = with.problem;
  std::uint64_t const number = now.number() - 2;
  if (with.lost > 0 && number == 0) std::erase_if(mine.particles, [&](auto const& p) { return p.number == with.lost; });
  if (!with.trace.file.empty()) mine.moved.push_back(mine.particles.size());
  std::vector<std::pair<std::size_t, parcel>> leaving;  // to few tiles: all particles move alike
  std::size_t stay = 0;
  for (auto& one : mine.particles) {
    mine.vertices.push(one, static_cast<double>(problem.side));
    auto const x = static_cast<long>(one.x), y = static_cast<long>(one.y);
    if (mine.columns.contains(x) && mine.rows.contains(y)) {
      mine.particles[stay++] = one;
      continue;
    }
    std::size_t const to =
        tiles.tile(part_with(problem.side, tiles.columns, x), part_with(problem.side, tiles.rows, y));
    auto found = std::ranges::find(leaving, to, &std::pair<std::size_t, parcel>::first);
    if (found == leaving.end()) found = leaving.insert(leaving.end(), {to, {}});
    found->second.particles.push_back(one);
  }
  mine.particles.resize(stay);
  for (auto& [to, what] : leaving) {
    if (!with.trace.file.empty()) mine.departures.push_back({number, to, what.particles.size()});
    now.send(to, std::move(what));
  }
}

/// Numbers the particles of all tiles from 1, tile by tile.
void number_particles(skel::superstep<parcel>& now, tile& mine) {
  std::uint64_t before = 0;
  for (auto const& [from, what] : now.received_by_all()) {
    mine.placed += what.count;
    if (from < now.process()) before += what.count;
  }
  for (auto& one : mine.particles) one.number = ++before;
}

auto program(options const& with, tiling const& tiles) {
  return skel::bsp<parcel>(
             "particles", tiles.count(),
             [=](std::size_t t) {
               range const x = part_of(with.problem.side, tiles.columns, tiles.column(t)),
                           y = part_of(with.problem.side, tiles.rows, tiles.row(t));
               return tile{.columns = x, .rows = y, .vertices = {x, y}, .particles = particles_in(with.problem, x, y)};
             },
             [=](skel::superstep<parcel>& now, tile& mine) {
               if (now.number() == 1) return now.send_to_all({.count = mine.particles.size()});
               if (now.number() == 2) number_particles(now, mine);
               for (auto& [from, what] : now.received())
                 mine.particles.insert(mine.particles.end(), what.particles.begin(), what.particles.end());
               if (now.number() > with.problem.steps + 2) return now.halt();
               step(with, tiles, now, mine);
             })
      .limited(with.problem.steps + 4)
      .migrated_by({.supersteps = with.problem.steps + 3});
}

/// Particles per second over all steps but the first, on the slowest rank.
double rate(cloud const& problem, std::uint64_t placed, skel::record::bsp_record const& run) {
  double seconds = 0, steps = 0;
  for (auto const& one : run.times) {
    if (one.first < 3) continue;
    seconds += one.computing[0] + one.waiting[0], steps += static_cast<double>(one.count);
  }
  return seconds > 0 && problem.steps > 0 ? static_cast<double>(placed) * steps / seconds : 0;
}

void write_trace(options const& with, tiling const& tiles, std::vector<tally> const& all, double speed) {
  std::vector<load> steps(with.problem.steps + 1);
  for (std::size_t t = 0; t < all.size(); ++t) {
    for (std::size_t s = 0; s < steps.size(); ++s) steps[s].work.push_back(static_cast<double>(all[t].moved[s]));
    for (auto const& one : all[t].departures)
      steps[one.step].messages.push_back({t, one.to, static_cast<double>(one.particles * sizeof(particle))});
  }
  if (!same(steps, trace_of(with.problem, tiles)))
    throw skel::error("tiles did not do what is known of where particles are");
  auto const text = scenario(with.trace, speed, steps, hosts_of_blocks(with.problem.side, tiles, with.trace.hosts),
                             state_bytes(with.problem, tiles, steps));
  examples::write_file(with.trace.file, [&](std::ostream& file) { file << text; });
}

/// Prints the checks. True if all is right.
bool verify(options const& with, tiling const& tiles, std::vector<tally> const& all) {
  tally sum;
  for (auto const& one : all) sum.right += one.right, sum.numbers += one.numbers, sum.digest += one.digest;
  std::uint64_t const placed = all[0].placed;
  cloud const& problem = with.problem;
  std::printf("%ld x %ld cells in %ld x %ld tiles, %s distribution\n", problem.side, problem.side, tiles.columns,
              tiles.rows, name_of(problem.kind));
  std::printf("%ju particles, %ju steps of %ld cells to the right and %ld up\n", std::uintmax_t{placed},
              std::uintmax_t{problem.steps + 1}, 2 * problem.k + 1, problem.m);
  std::printf("positions and numbers: %016jx\n", std::uintmax_t{sum.digest});
  if (sum.right != placed) {
    std::printf("verification failed: %ju particles are where they have to be, of %ju\n", std::uintmax_t{sum.right},
                std::uintmax_t{placed});
    return false;
  }
  if (sum.numbers != placed * (placed + 1) / 2) {
    std::printf("verification failed: the numbers of the particles add up to %ju, and not to %ju\n",
                std::uintmax_t{sum.numbers}, std::uintmax_t{placed * (placed + 1) / 2});
    return false;
  }
  std::printf("verified: every particle is there once, and where it has to be\n");
  return true;
}

/// Further options for a distribution.
struct wanted_distribution {
  bool sinusoidal = false;
  std::vector<double> linear{};
  std::vector<long> patch{};
};

void declare(CLI::App& app, options& with, wanted_distribution& wanted) {
  cloud& problem = with.problem;
  auto const count = CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40);
  app.add_option("--steps", problem.steps,
                 "Sets the number of steps. One more step runs before, which the kernel does not time.")
      ->check(count)
      ->capture_default_str();
  app.add_option("--side", problem.side, "Sets the number of cells in each direction, an even number.")
      ->check(CLI::Range(2L, 1L << 20))
      ->capture_default_str();
  app.add_option("--particles", problem.particles,
                 "Sets the wanted number of particles. Random numbers make it a little more or less.")
      ->check(count)
      ->capture_default_str();
  app.add_option("--k", problem.k, "Particles move 2 k + 1 cells to the right in each step.")
      ->check(CLI::Range(0L, 1L << 19))
      ->capture_default_str();
  app.add_option("--m", problem.m, "Particles move this number of cells up in each step, or down if it is negative.")
      ->capture_default_str();
  auto* const kinds = app.add_option_group(
      "distribution", "These options place the particles at the start. Default: --geometric 0.99.");
  kinds->add_option("--geometric", problem.factor, "Each column has FACTOR times the particles of the column before.")
      ->type_name("FACTOR");
  kinds->add_flag("--sinusoidal", wanted.sinusoidal,
                  "Particles follow the square of the cosine, once over the columns.");
  kinds->add_option("--linear", wanted.linear, "Particles follow B - A x, for x from 0 to 1 over the columns.")
      ->type_name("A B")
      ->expected(2);
  kinds
      ->add_option("--patch", wanted.patch,
                   "All particles are in columns LEFT to RIGHT and rows BOTTOM to TOP, equally many in each cell.")
      ->type_name("LEFT RIGHT BOTTOM TOP")
      ->expected(4);
  kinds->require_option(0, 1);
  app.add_option("--tiles", with.tiles,
                 "Sets the number of tiles, one for each process. Tiles are as near to squares as possible.")
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
  app.add_option("--lose", with.lost, "Loses this particle in the first step, to test that the check finds it.")
      ->type_name("NUMBER");
  app.footer("Exit status: 0 if the result is verified, 1 if it is not or an error came.");
}

/// Refuses meaningless options, and takes the distribution over.
void check(options& with, wanted_distribution const& wanted) {
  cloud& problem = with.problem;
  auto const refuse = [](std::string const& what) { throw CLI::ValidationError(what); };
  if (problem.side % 2 != 0)
    refuse("--side is " + std::to_string(problem.side) + ": charges alternate by column, so that it has to be even");
  if (2 * problem.k + 1 > problem.side || std::abs(problem.m) >= problem.side)
    refuse("--k and --m move particles once around the grid in one step: take less, or a longer --side");
  if (!(problem.factor > 0) || problem.factor == 1 || !std::isfinite(problem.factor))
    refuse("--geometric takes a factor above 0 other than 1; for the same number everywhere take --linear 0 1");
  if (wanted.sinusoidal) problem.kind = distribution::sinusoidal;
  if (auto const& linear = wanted.linear; !linear.empty()) {
    problem.kind = distribution::linear, problem.slope = linear[0], problem.offset = linear[1];
    if (!(problem.offset > 0 && problem.offset >= problem.slope && std::isfinite(problem.offset - problem.slope)))
      refuse("--linear A B gives cells less than no particles, or none at all: take B > 0 and B >= A");
  }
  if (auto const& patch = wanted.patch; !patch.empty()) {
    problem.kind = distribution::patch;
    problem.columns = {patch[0], patch[1] + 1}, problem.rows = {patch[2], patch[3] + 1};
    if (patch[0] < 0 || patch[2] < 0 || patch[0] >= patch[1] || patch[2] >= patch[3] || patch[1] > problem.side ||
        patch[3] > problem.side)
      refuse("--patch LEFT RIGHT BOTTOM TOP needs 0 <= LEFT < RIGHT <= side and 0 <= BOTTOM < TOP <= side");
  }
  tiling const tiles = nearly_square(with.tiles);
  if (tiles.rows > problem.side)
    refuse("--tiles " + std::to_string(with.tiles) + " are " + std::to_string(tiles.rows) +
           " rows of tiles, more than the grid has rows of cells: take fewer, with more factors");
}

}  // namespace

int main(int argc, char** argv) try {
  skel::grid grid(argc, argv);
  options with;
  wanted_distribution wanted;
  CLI::App app{
      "Moves particles on a periodic grid of charges, as the kernel pic of the Parallel Research Kernels defines it.\n"
      "Each tile of the grid is a BSP process. Runs alone or under mpirun, with the same positions on any number of "
      "ranks."};
  declare(app, with, wanted);
  app.callback([&] {
    check(with, wanted);
    examples::expect_folder_of(with.trace.file);
  });
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& e) {
    return grid.rank() == 0 ? app.exit(e) : e.get_exit_code();
  }

  tiling const tiles = nearly_square(with.tiles);
  auto const tally = [problem = with.problem](std::size_t, tile const& mine) { return tally_of(problem, mine); };
  auto const results = grid.run(program(with, tiles), tally);
  if (grid.rank() != 0) return 0;
  bool const right = verify(with, tiles, results.values);
  double const speed = rate(with.problem, results.values[0].placed, results.report.run);
  std::cerr << results.report << "moved " << speed / 1e6 << " million particles/s after the first step\n";
  if (right && !with.trace.file.empty()) write_trace(with, tiles, results.values, speed);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw skel::error("standard output cannot be written");
  return right ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << "10_particles: " << e.what() << "\n";
  return 1;
}
