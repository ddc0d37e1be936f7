// Molecules that push each other away in a box without walls. Every 20 steps the near pairs are found. Their list is
// the pattern of an irregular reduction, and a new list lets it choose its algorithm anew.
//
//   05_molecules [STEPS]
//
// Forces are counted in whole units: their sums, and so the output, are the same in any order. The choices and their
// reasons go to standard error.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <random>
#include <span>
#include <vector>

#include <skel/skel.hpp>

namespace {

constexpr std::size_t molecules = 4000, steps_per_list = 20;
constexpr double side = 64, reach = 1.5;  // of the box, of the force
constexpr double margin = 0.25;           // extra distance of listed molecules
constexpr double unit = 1.0 / (1 << 20);  // of forces
constexpr double step = 1e-2;

/// The way from a to b on a ring, by the shorter side.
double between(double a, double b) {
  double const d = b - a;
  return d - side * std::round(d / side);
}

struct box {
  std::vector<double> x, y, vx, vy;

  /// All pairs nearer than reach + margin, found by cells of that size.
  skel::pattern near() const {
    constexpr double far = reach + margin;
    constexpr auto cells = static_cast<std::size_t>(side / far);
    auto const cell_of = [](double at) {
      return static_cast<std::size_t>(at / side * static_cast<double>(cells)) % cells;
    };
    std::vector<std::vector<std::uint32_t>> inside(cells * cells);
    for (std::uint32_t i = 0; i < molecules; ++i) inside[cell_of(x[i]) * cells + cell_of(y[i])].push_back(i);
    std::vector<std::uint32_t> pairs;
    for (std::uint32_t i = 0; i < molecules; ++i)
      for (std::size_t around = 0; around < 9; ++around) {
        std::size_t const column = (cell_of(x[i]) + cells - 1 + around / 3) % cells;
        std::size_t const row = (cell_of(y[i]) + cells - 1 + around % 3) % cells;
        for (std::uint32_t const j : inside[column * cells + row])
          if (j > i && std::hypot(between(x[i], x[j]), between(y[i], y[j])) < far) pairs.insert(pairs.end(), {i, j});
      }
    std::size_t const count = pairs.size() / 2;
    return skel::pattern(count, molecules, std::move(pairs));
  }
};

}  // namespace

int main(int argc, char** argv) try {
  std::size_t const steps = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100;

  box now;
  std::mt19937 dice(7);
  for (std::size_t i = 0; i < molecules; ++i) {  // on a lattice, a little disturbed
    now.x.push_back(static_cast<double>(i % 63) + 1e-3 * static_cast<double>(dice() % 1000));
    now.y.push_back(static_cast<double>(i / 63) + 1e-3 * static_cast<double>(dice() % 1000));
  }
  now.vx.assign(molecules, 0), now.vy.assign(molecules, 0);

  skel::irregular_reduction<std::plus<>, skel::reduction_rules{.replayable = true}> forces;
  skel::pattern pairs;
  std::vector<std::int64_t> fx(molecules), fy(molecules);

  for (std::size_t s = 0; s < steps; ++s) {
    if (s % steps_per_list == 0) {
      pairs = now.near();
      std::printf("step %3zu: %zu pairs\n", s, pairs.iterations());
    }
    fx.assign(molecules, 0), fy.assign(molecules, 0);
    forces.run(pairs, skel::arrays(std::span{fx}, std::span{fy}), [&](std::size_t p, auto& acc) {
      auto const ends = pairs.row(p);
      double const dx = between(now.x[ends[0]], now.x[ends[1]]), dy = between(now.y[ends[0]], now.y[ends[1]]);
      double const d = std::hypot(dx, dy);
      double const push = d < reach ? (reach - d) / d / unit : 0;  // a spring that only pushes
      auto const px = static_cast<std::int64_t>(push * dx), py = static_cast<std::int64_t>(push * dy);
      acc.add(0, -px, -py);
      acc.add(1, px, py);
    });
    for (std::size_t i = 0; i < molecules; ++i) {
      now.vx[i] += step * unit * static_cast<double>(fx[i]), now.vy[i] += step * unit * static_cast<double>(fy[i]);
      now.x[i] = std::fmod(now.x[i] + step * now.vx[i] + side, side);
      now.y[i] = std::fmod(now.y[i] + step * now.vy[i] + side, side);
    }
  }

  double energy = 0;
  for (std::size_t i = 0; i < molecules; ++i) energy += (now.vx[i] * now.vx[i] + now.vy[i] * now.vy[i]) / 2;
  std::printf("%zu lists in %zu steps; the molecules move with an energy of %.3f\n", forces.report().phases,
              forces.report().executions, energy);
  std::cerr << forces.report();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fprintf(stderr, "05_molecules: standard output cannot be written\n");
    return 1;
  }
  return 0;
} catch (std::exception const& problem) {
  std::fprintf(stderr, "05_molecules: %s\n", problem.what());
  return 1;
}
