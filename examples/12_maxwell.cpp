// Light in a box of metal: Maxwell's equations in a cube of tetrahedra by a discontinuous Galerkin method, as a program
// over a mesh on all ranks. It begins with a standing wave whose frequency is known, and prints which one came out,
// what became of its energy, and the fields at a point. See --help.
//
//   mpirun -np 4 12_maxwell --cells 8 --order 1 --flux central --integrator leapfrog --steps 800 --probe 0.3,0.4,0.5
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
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <skel/error.hpp>
#include <skel/iterate.hpp>
#include <skel/mesh.hpp>

#include "maxwell/cavity.hpp"
#include "maxwell/cavity_mode.hpp"
#include "maxwell/dump.hpp"
#include "maxwell/on_mesh.hpp"
#include "maxwell/oscillation.hpp"
#include "maxwell/paraview.hpp"

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
  std::string series{}, dump{}, vtk{};
  std::uint64_t every = 100;
  bool report = false;
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

/// What is known of a cell in the end.
template <std::size_t Order>
struct cell_result {
  double wrong = 0, whole = 0;  ///< squares of the distance from the exact wave, and of that
  field<Order> E{}, H{};        ///< where a dump is asked for
};

/// The fields of all cells, as write_dump() takes them.
template <class Cell>
struct all_fields {
  std::vector<Cell> all;
  double dt = 0;

  std::vector<Cell> const& cells() const { return all; }
  double step() const { return dt; }
};

/// The mesh as it is written, with what fills it.
domain domain_of(skel::mesh const& mesh, matter_at const& matter) {
  tetrahedra out;
  for (std::size_t v = 0; v < mesh.nodes(); ++v) {
    auto const at = mesh.point(v);
    out.points.push_back({at[0], at[1], at[2]});
  }
  for (std::size_t c = 0; c < mesh.cells(); ++c) out.cells.push_back(corners_of(mesh, c));
  return domain(std::move(out), matter);
}

template <class Cell, class Program>
void run(skel::grid& grid, options const& with, skel::mesh const& mesh, experiment const& of, Program const& program) {
  constexpr std::size_t order = Cell::order;
  constexpr bool leaps = std::is_same_v<Cell, cell<order>>;
  double const end = of.step * static_cast<double>(with.steps), end_of_H = leaps ? end + of.step / 2 : end;
  std::vector<double> projections;
  std::vector<sample> samples;
  std::vector<double> energies;
  // Called on the ranks that have cells, after each step.
  auto const watched = program |
                       skel::output("watch", 1,
                                    [&](auto const& view) {
                                      auto const& now = view.totals.now;
                                      projections.push_back(now.projection / view.totals.at_first.projection);
                                      energies.push_back(now.energy);
                                      samples.push_back({of.step * static_cast<double>(view.iteration), now.at_probe});
                                      if (!with.vtk.empty() && view.iteration % with.every == 0)
                                        write_fields<order>(with.vtk, mesh, view);
                                    }) |
                       skel::times(with.steps);
  bool const dumps = !with.dump.empty();
  auto const found = grid.run(watched, [&](watched_cell<Cell> const& c) {
    cell_result<order> out;
    auto const points = points_of(mesh, c.number);
    auto E = interpolated<order>(points, [&](point const& x) { return of.mode.E(x, end); });
    auto H = interpolated<order>(points, [&](point const& x) { return of.mode.H(x, end_of_H); });
    double const size = volume(c.at);
    out.whole = product<order>(E, E, size) + product<order>(H, H, size);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t i = 0; i < nodes_of(order); ++i) E[a][i] -= c.E[a][i], H[a][i] -= c.H[a][i];
    out.wrong = product<order>(E, E, size) + product<order>(H, H, size);
    if (dumps) out.E = c.E, out.H = c.H;
    return out;
  });
  if (with.report && grid.rank() == 0) std::cerr << found.report.plan << found.report;
  if (samples.empty() || grid.rank() != found.report.first_rank()) return;

  projections.insert(projections.begin(), 1);
  samples.insert(samples.begin(), {0, found.totals.at_first.at_probe});
  std::printf("%zu tetrahedra of order %zu, %s flux, %s: %ju steps of %.6f\n", mesh.cells(), order, with.flux.c_str(),
              with.integrator.c_str(), std::uintmax_t{with.steps}, of.step);
  if constexpr (leaps)
    std::printf("energy: %.6f, conserved %s\n", energies.back(),
                std::abs(energies.back() / energies.front() - 1) < 1e-12 ? "to 12 digits" : "less than it has to be");
  else
    std::printf("energy: %.6f at first, %.6f in the end\n", found.totals.at_first.energy, energies.back());
  if (with.dielectric == 1) {
    print_frequency(projections, of.step, of.mode.frequency(), of.how == flux::upwind);
    double wrong = 0, whole = 0;
    for (auto const& one : found.values) wrong += one.wrong, whole += one.whole;
    std::printf("distance from the exact wave at the end: %.3e of it\n", std::sqrt(wrong / whole));
  }
  std::printf("fields at %g, %g, %g%s\n", with.probe[0], with.probe[1], with.probe[2],
              leaps ? " (H half a step later)" : "");
  print_series(samples);
  if (!with.series.empty()) write_series(with.series, samples);
  if (!dumps) return;
  all_fields<Cell> fields{.all = {}, .dt = of.step};
  for (auto const& one : found.values) {
    fields.all.emplace_back();
    fields.all.back().E = one.E, fields.all.back().H = one.H;
  }
  write_dump<Cell>(with.dump, domain_of(mesh, of.matter), of.mode, of.how, with.steps, fields);
}

template <std::size_t Order>
void run_order(skel::grid& grid, options const& with) {
  auto const mesh = skel::cube_of_tetrahedra(with.cells);
  bool const leaps = with.integrator == "leapfrog";
  experiment of{.matter = [below = with.dielectric](
                              point const& middle) { return material{.permittivity = middle[2] < 0.5 ? below : 1}; },
                .mode = cavity_mode({with.mode[0], with.mode[1], with.mode[2]}),
                .probe = {with.probe[0], with.probe[1], with.probe[2]},
                .how = with.flux == "upwind" ? flux::upwind : flux::central,
                .step = with.step};
  if (leaps && of.how == flux::upwind)
    throw skel::error("leap-frog is stable with no step where the flux is upwind: take central, or Runge-Kutta (lsrk)");
  auto const probe_in = element_at(mesh, of.probe);
  if (of.step == 0) of.step = stable_step<Order>(grid, mesh, of.matter, of.how, leaps);
  if (leaps) {
    of.at_first = first_light<cell<Order>>(grid, mesh, of, probe_in, true);
    run<cell<Order>>(grid, with, mesh, of, leap_frog_program<Order>(mesh, of, probe_in));
  } else {
    of.at_first = first_light<runge_kutta_cell<Order>>(grid, mesh, of, probe_in, false);
    run<runge_kutta_cell<Order>>(grid, with, mesh, of, runge_kutta_program<Order>(mesh, of, probe_in));
  }
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
  app.add_option("--vtk", with.vtk, "write fields for ParaView: NAME_0000100.pvtu, ...")->type_name("NAME");
  app.add_option("--every", with.every, "so many steps, with --vtk")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->capture_default_str();
  app.add_flag("--report", with.report, "say on standard error where the cells were, and what took how long");
  app.add_option("--dump", with.dump, "write mesh and fields in the end as examples/maxwell/reference.m reads them")
      ->type_name("FILE");
}

}  // namespace

int main(int argc, char** argv) try {
  skel::grid grid(argc, argv);
  options with;
  CLI::App app{"Maxwell's equations in a cube with walls of metal, by a discontinuous Galerkin method on tetrahedra."};
  declare(app, with);
  CLI11_PARSE(app, argc, argv);
  if (with.order == 0)
    run_order<0>(grid, with);
  else if (with.order == 1)
    run_order<1>(grid, with);
  else
    run_order<2>(grid, with);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw skel::error("standard output cannot be written");
  return 0;
} catch (std::exception const& e) {
  std::cerr << "12_maxwell: " << e.what() << "\n";
  return 1;
}
