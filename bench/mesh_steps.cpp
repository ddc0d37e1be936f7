// bench_mesh_steps: what a step of a program over a mesh costs besides computing, on the ranks that mpirun has started.
// A program with a phase, an update and an all-reduce in each iteration runs on each number of ranks by itself, and
// then as a grid plans it and looks after it: which ranks it takes, and what it expects an iteration to take beside
// what that takes. Run it under mpirun with 1, 2 and 4 ranks.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <skel/detail/base/statistics.hpp>
#include <skel/detail/pattern/made_meshes.hpp>
#include <skel/detail/plan/block.hpp>
#include <skel/detail/plan/mesh_layout.hpp>
#include <skel/detail/runtime/iteration/run.hpp>
#include <skel/detail/runtime/iteration/typed_part.hpp>
#include <skel/iterate.hpp>
#include <skel/operators.hpp>

#include "support/spin.hpp"

namespace {

struct settings {
  std::vector<double> work{1, 10, 100, 1000, 10000};  // of all elements in an iteration, on one core [us]
  std::size_t width = 4, rounds = 5;
  bool reviews = false;
  double seconds = 0.2, long_run = 5;  // of a run by itself; of one that a grid looks after [s]
};

struct cell {
  double u = 0;
  std::uint64_t value = 1;
};

struct totals {
  double most = 0;
};

auto program_of(skel::mesh mesh, std::uint64_t turns, std::uint64_t iterations) {
  return skel::iterate("steps", std::move(mesh), totals{},
                       [](skel::mesh_element const& e) {
                         return cell{static_cast<double>(e.number()), e.number()};
                       }) |
         skel::phase("spin",
                     [turns](skel::element<cell> e) {
                       e->value = bench::spin(e->value, turns);
                       e->u = 0.5 * (e->u + static_cast<double>(e->value % 1024));
                     }) |
         skel::update("u", &cell::u) |
         skel::all_reduce(
             "most", &totals::most, [](cell const& c) { return c.u; }, skel::maximum{}) |
         skel::times(iterations);
}

/// An iteration on the first ranks alone [s], blocks of elements on each.
double alone(skel::grid& grid, skel::mesh const& mesh, std::uint64_t turns, std::uint64_t iterations,
             std::size_t ranks) {
  auto const program = program_of(mesh, turns, iterations);
  std::vector<std::uint32_t> rank_of(mesh.cells());
  for (std::uint32_t r = 0; r < ranks; ++r) {
    auto const block = skel::plan::block_of(mesh.cells(), ranks, r);
    std::fill(rank_of.begin() + static_cast<std::ptrdiff_t>(block.begin),
              rank_of.begin() + static_cast<std::ptrdiff_t>(block.end), r);
  }
  auto const layout = skel::plan::layout_of(*program.faces, rank_of, static_cast<std::uint32_t>(grid.rank()));
  skel::runtime::iteration::typed_part<std::decay_t<decltype(program)>> part(program);
  auto options = skel::runtime::iteration::options_of(program);
  options.most_iterations = iterations;
  auto const record = skel::runtime::iteration::run_mesh(part, layout, grid.ranks(), std::move(options));
  return record.iterating / static_cast<double>(iterations);
}

std::uint64_t times_in(double seconds, double iteration) {
  return static_cast<std::uint64_t>(std::clamp(seconds / iteration, 10.0, 1e6));
}

std::size_t with_elements(skel::mesh_report const& of) {
  return static_cast<std::size_t>(
      std::ranges::count_if(of.run.shares, [](auto const& one) { return one.inner + one.outer > 0; }));
}

int run(skel::grid& grid, settings const& with) {
  auto const mesh = skel::cube_of_tetrahedra(with.width);
  auto const size = static_cast<std::size_t>(grid.size());
  bool const prints = grid.rank() == 0;
  std::vector<std::size_t> numbers;
  for (std::size_t n = 1; n < size; n *= 2) numbers.push_back(n);
  numbers.push_back(size);
  double const turn = std::stod(grid.ranks().broadcast(std::to_string(bench::turn_time())));
  if (prints) {
    fmt::print("{} ranks, {} elements; an iteration [us]: on so many ranks alone (median of {} runs); then of a grid\n",
               size, mesh.cells(), with.rounds);
    fmt::print("{:>8}", "work");
    for (auto const n : numbers) fmt::print("{:>10}", fmt::format("on {}", n));
    fmt::print("{:>10}{:>10}{:>10}{:>10}{:>12}{:>10}\n", "planned", "expected", "taken", "at last", "whole", "best is");
  }
  for (double const work : with.work) {
    auto const turns = static_cast<std::uint64_t>(std::round(1e3 * work / turn / static_cast<double>(mesh.cells())));
    std::vector<std::vector<double>> took(numbers.size());
    for (std::size_t round = 0; round < with.rounds; ++round)
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        double const first =
            std::stod(grid.ranks().broadcast(std::to_string(alone(grid, mesh, turns, 10, numbers[k]))));
        took[k].push_back(alone(grid, mesh, turns, times_in(with.seconds, std::max(first, 1e-6)), numbers[k]));
      }
    std::vector<double> medians;
    medians.reserve(took.size());
    for (auto const& one : took) medians.push_back(skel::statistics::median(one));
    auto const best = std::ranges::min_element(medians);
    auto const iterations = std::stoull(grid.ranks().broadcast(std::to_string(times_in(with.long_run, *best))));
    auto const program = program_of(mesh, turns, iterations);
    auto const brief = grid.run(program_of(mesh, turns, times_in(0.1 * with.seconds, work * 1e-6))).report;
    auto const report = grid.run(program).report;
    if (!prints) continue;
    fmt::print("{:>8g}", work);
    for (auto const one : medians) fmt::print("{:>10.2f}", 1e6 * one);
    auto const each = [](skel::mesh_report const& of) {
      return 1e6 * of.run.iterating / static_cast<double>(of.iterations_made());
    };
    fmt::print("{:>10}{:>10.2f}{:>10.2f}{:>10}{:>12.2f}{:>10}\n",
               std::ranges::count_if(brief.plan.elements_of, [](auto const n) { return n > 0; }),
               1e6 * brief.plan.iteration, each(brief), with_elements(report), each(report),
               numbers[static_cast<std::size_t>(best - medians.begin())]);
    for (auto const& one : report.decisions.kept)
      if (with.reviews)
        fmt::print("    after {}: stays {:.2f}, goes {:.2f}, entry {:.1f} ms, lost {:.1f} ms{}\n", one.after,
                   1e6 * one.ways.front().period, 1e6 * one.way().period, 1e3 * one.way().entry, 1e3 * one.lost,
                   one.moved() ? ", moved" : "");
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  skel::grid grid(argc, argv);
  settings with;
  CLI::App app("What a step of a program over a mesh costs besides computing");
  app.add_option("--work", with.work, "of all elements in an iteration, on one core [us]");
  app.add_option("--width", with.width, "of the cube, of which each block has six elements")->check(CLI::Range(1, 100));
  app.add_option("--rounds", with.rounds, "runs on each number of ranks")->check(CLI::Range(1, 1000));
  app.add_option("--seconds", with.seconds, "about, of each such run");
  app.add_option("--long", with.long_run, "about, of the run that a grid looks after [s]");
  app.add_flag("--reviews", with.reviews, "what the grid thought of it on its way");
  CLI11_PARSE(app, argc, argv);
  return run(grid, with);
} catch (std::exception const& e) {
  fmt::print(stderr, "bench_mesh_steps: {}\n", e.what());
  return 1;
}
