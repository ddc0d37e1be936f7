// Light in a box of metal: Maxwell's equations in a cube of tetrahedra by a discontinuous Galerkin method. It begins
// with a standing wave whose frequency is known, and prints which one came out, what became of its energy, and the
// fields at a point. See --help.
//
//   12_maxwell --cells 8 --order 1 --flux central --integrator leapfrog --steps 800 --probe 0.3,0.4,0.5
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <numbers>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <skel/error.hpp>

#include "maxwell/cavity.hpp"
#include "maxwell/cavity_mode.hpp"
#include "maxwell/comparison.hpp"
#include "maxwell/dump.hpp"
#include "maxwell/oscillation.hpp"
#include "maxwell/probe.hpp"

namespace {

using namespace maxwell;

struct options {
  std::uint32_t cells = 8;
  std::size_t order = 1;
  std::string flux = "central", integrator = "leapfrog";
  std::uint64_t steps = 800;
  double step = 0;  // 0: the longest that is stable
  std::vector<double> probe{0.3, 0.4, 0.5};
  std::vector<unsigned> mode{1, 1, 1};
  double dielectric = 1;  // permittivity of the lower half
  std::string series{}, dump{};
};

struct sample {
  double time = 0;
  std::array<point, 2> fields{};
};

/// The fields at the probe, a line for each time.
void write_series(std::string const& path, std::vector<sample> const& all) {
  std::ofstream file(path);
  file.precision(12);
  file << "# t Ex Ey Ez Hx Hy Hz\n";
  for (auto const& one : all) {
    file << one.time;
    for (auto const& field : one.fields)
      for (double const x : field) file << ' ' << x;
    file << '\n';
  }
  file.close();
  if (!file) throw skel::error(path + ": cannot be written: does its folder exist, and is there room?");
}

/// Some of the samples, as many lines as a screen has room for.
void print_series(std::vector<sample> const& all) {
  constexpr std::size_t lines = 10;
  std::printf("%9s%10s%10s%10s%10s%10s%10s\n", "t", "Ex", "Ey", "Ez", "Hx", "Hy", "Hz");
  for (std::size_t line = 0; line <= lines; ++line) {
    auto const& one = all[line * (all.size() - 1) / lines];
    std::printf("%9.4f", one.time);
    for (auto const& field : one.fields)
      for (double const x : field) std::printf("%10.4f", std::abs(x) < 5e-5 ? 0.0 : x);  // no -0
    std::printf("\n");
  }
}

void print_frequency(std::vector<double> const& samples, double dt, double exact, bool decays) {
  auto const found = fitted(samples, dt, exact);
  if (!found) {
    std::printf("angular frequency: %.5f exact, none measured, which takes four periods\n", exact);
    return;
  }
  std::printf("angular frequency: %.5f exact, %.5f measured (%+.3f %%)", exact, found->frequency,
              100 * (found->frequency / exact - 1));
  if (decays)
    std::printf(", a period takes %.3f %%", 100 * (1 - std::exp(-found->decay * 2 * std::numbers::pi / exact)));
  std::printf("\n");
}

template <class Cell>
void run(options const& with) {
  constexpr std::size_t order = Cell::order;
  cavity_mode const mode({with.mode[0], with.mode[1], with.mode[2]});
  domain const box(cube(with.cells), [&](point const& middle) {
    return material{.permittivity = middle[2] < 0.5 ? with.dielectric : 1};
  });
  auto const where = probe_at(box, {with.probe[0], with.probe[1], with.probe[2]});
  flux const how = with.flux == "upwind" ? flux::upwind : flux::central;
  cavity<Cell> fields(box, mode, how, with.step);
  auto const at_first = all_E(fields);
  double const whole = projection(fields, at_first), energy_at_first = fields.energy();

  std::vector<double> projections{1};
  std::vector<sample> samples{{0, fields_at(where, fields.cells())}};
  double conserved_at_first = 0, conserved = 0;
  for (std::uint64_t step = 1; step <= with.steps; ++step) {
    if constexpr (cavity<Cell>::leaps) {
      conserved = fields.advance_with_energy();
      if (step == 1) conserved_at_first = conserved;
    } else {
      fields.advance();
    }
    projections.push_back(projection(fields, at_first) / whole);
    samples.push_back({fields.time(), fields_at(where, fields.cells())});
  }

  std::printf("%zu tetrahedra of order %zu, %s flux, %s: %ju steps of %.6f\n", box.mesh.cells.size(), order,
              with.flux.c_str(), with.integrator.c_str(), std::uintmax_t{with.steps}, fields.step());
  if constexpr (cavity<Cell>::leaps)
    std::printf("energy: %.6f, conserved %s\n", conserved,
                std::abs(conserved / conserved_at_first - 1) < 1e-12 ? "to 12 digits" : "less than it has to be");
  else
    std::printf("energy: %.6f at first, %.6f in the end\n", energy_at_first, fields.energy());
  if (with.dielectric == 1) {
    print_frequency(projections, fields.step(), mode.frequency(), how == flux::upwind);
    std::printf("distance from the exact wave at the end: %.3e of it\n", error_of(fields, box, mode));
  }
  std::printf("fields at %g, %g, %g%s\n", with.probe[0], with.probe[1], with.probe[2],
              cavity<Cell>::leaps ? " (H half a step later)" : "");
  print_series(samples);
  if (!with.series.empty()) write_series(with.series, samples);
  if (!with.dump.empty()) write_dump(with.dump, box, mode, how, with.steps, fields);
}

template <std::size_t Order>
void run_order(options const& with) {
  if (with.integrator == "leapfrog")
    run<cell<Order>>(with);
  else
    run<runge_kutta_cell<Order>>(with);
}

void declare(CLI::App& app, options& with) {
  app.add_option("--cells", with.cells, "small cubes along each edge, of six tetrahedra each")
      ->check(CLI::Range(1, 400))
      ->capture_default_str();
  app.add_option("--order", with.order, "of the polynomials in a tetrahedron")
      ->check(CLI::Range(0, 2))
      ->capture_default_str();
  app.add_option("--flux", with.flux, "on faces: central conserves energy, upwind takes what is not resolved")
      ->check(CLI::IsMember({"central", "upwind"}))
      ->capture_default_str();
  app.add_option("--integrator", with.integrator,
                 "leapfrog (order 2, central flux only) or lsrk (Runge-Kutta, order 4)")
      ->check(CLI::IsMember({"leapfrog", "lsrk"}))
      ->capture_default_str();
  app.add_option("--steps", with.steps)
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--step", with.step, "length of a step, instead of the longest that is known to be stable")
      ->check(CLI::PositiveNumber);
  app.add_option("--probe", with.probe, "where fields are printed")
      ->type_name("X,Y,Z")
      ->delimiter(',')
      ->expected(3)
      ->capture_default_str();
  app.add_option("--mode", with.mode, "half waves along each axis at first; two of them above 0")
      ->type_name("L,M,N")
      ->delimiter(',')
      ->expected(3)
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  app.add_option("--dielectric", with.dielectric, "permittivity of the lower half of the box")
      ->check(CLI::Range(1e-3, 1e3))
      ->capture_default_str();
  app.add_option("--series", with.series, "write the fields at the probe after each step")->type_name("FILE");
  app.add_option("--dump", with.dump, "write mesh and fields in the end as examples/maxwell/reference.m reads them")
      ->type_name("FILE");
}

}  // namespace

int main(int argc, char** argv) try {
  options with;
  CLI::App app{"Maxwell's equations in a cube with walls of metal, by a discontinuous Galerkin method on tetrahedra."};
  declare(app, with);
  CLI11_PARSE(app, argc, argv);
  if (with.order == 0)
    run_order<0>(with);
  else if (with.order == 1)
    run_order<1>(with);
  else
    run_order<2>(with);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw skel::error("standard output cannot be written");
  return 0;
} catch (std::exception const& e) {
  std::cerr << "12_maxwell: " << e.what() << "\n";
  return 1;
}
