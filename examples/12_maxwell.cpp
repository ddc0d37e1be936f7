// Light in a box of metal: Maxwell's equations in tetrahedra by a discontinuous Galerkin method, as a program over a
// mesh on all ranks. In a box it begins with a standing wave of known frequency, and prints the frequency of the
// result. In a mesh of any shape, from a file, it begins with a pulse. It prints the development of the energy, and
// fields at a point. See --help.
//
//   mpirun -np 4 12_maxwell --cells 8 --order 1 --flux central --integrator leapfrog --steps 800 --probe 0.3,0.4,0.5
//   mpirun -np 4 12_maxwell --mesh lens.msh --epsilon glass=2.25 --wall outside=open --flux upwind --integrator lsrk
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <numbers>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>

#include <skel/error.hpp>
#include <skel/iterate.hpp>
#include <skel/mesh.hpp>

#include "maxwell/cavity.hpp"
#include "maxwell/cavity_mode.hpp"
#include "maxwell/dump.hpp"
#include "maxwell/filling.hpp"
#include "maxwell/mesh_file.hpp"
#include "maxwell/on_mesh.hpp"
#include "maxwell/oscillation.hpp"
#include "maxwell/paraview.hpp"
#include "maxwell/probe.hpp"
#include "maxwell/pulse.hpp"
#include "output_file.hpp"

namespace {

using namespace maxwell;

struct options {
  std::string mesh{};
  std::uint32_t cells = 8;
  std::size_t order = 1;
  std::string flux = "central", integrator = "leapfrog";
  std::uint64_t steps = 800;
  double step = 0;  // 0: the longest stable one
  std::vector<double> probe{};
  std::string start{};
  std::vector<unsigned> mode{1, 1, 1};
  std::vector<double> middle{};  // of the pulse
  double width = 0;
  double dielectric = 1;  // permittivity of the lower half
  std::vector<std::string> epsilon{}, walls{};
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
  examples::write_file(path, [&](std::ostream& file) {
    file.precision(12);
    file << "# t Ex Ey Ez Hx Hy Hz\n";
    for (auto const& one : all) {
      file << one.time;
      for (auto const& field : one.fields)
        for (double const x : field) file << ' ' << x;
      file << '\n';
    }
  });
}

/// Some of the samples, as many lines as a screen has room for.
void print_series(std::vector<sample> const& all) {
  std::size_t const lines = std::min<std::size_t>(10, all.size() - 1);
  std::printf("%9s%10s%10s%10s%10s%10s%10s\n", "t", "Ex", "Ey", "Ez", "Hx", "Hy", "Hz");
  for (std::size_t line = 0; line <= lines; ++line) {
    auto const& one = all[lines > 0 ? line * (all.size() - 1) / lines : 0];
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

/// Results of a cell.
template <std::size_t Order>
struct cell_result {
  double wrong = 0, whole = 0;  ///< squares of the distance from the exact wave, and of the exact wave
  field<Order> E{}, H{};        ///< for a dump
};

/// The fields of all cells, as write_dump() takes them.
template <class Cell>
struct all_fields {
  std::vector<Cell> all;
  double dt = 0;

  std::vector<Cell> const& cells() const { return all; }
  double step() const { return dt; }
};

/// The computation and its mesh, for any scheme.
struct scene {
  skel::mesh mesh;
  experiment of;
  bool in_vacuum = true;  // between electric walls
  std::string words{};    // its description
};

/// The point that the options name, which has to be inside; without one, a point near to `wished`.
point inside_point(skel::mesh const& mesh, std::vector<double> const& asked, point const& wished,
                   std::string const& what) {
  if (asked.empty()) return cell_at(mesh, wished) ? wished : nearest_middle(mesh, wished);
  point const at{asked[0], asked[1], asked[2]};
  if (cell_at(mesh, at)) return at;
  auto const in = brick_of(mesh);
  std::string around;
  for (std::size_t a = 0; a < 3; ++a)
    around += (a == 0 ? "" : " x ") + std::to_string(in.least[a]) + ".." + std::to_string(in.greatest[a]);
  throw skel::error(what + ": the point " + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " +
                    std::to_string(at[2]) + " is outside of the mesh, which is in " + around);
}

first_fields start_of(options const& with, skel::mesh const& mesh, mesh_sizes const& sizes) {
  auto const in = brick_of(mesh);
  if (with.start == "mode" || (with.start.empty() && with.mesh.empty())) {
    if (!fills(in, sizes.volume))
      throw skel::error(with.mesh +
                        ": modes are known of boxes along the axes, which this mesh does not fill; take --start pulse");
    return {cavity_mode({with.mode[0], with.mode[1], with.mode[2]}, {}, in)};
  }
  point wished{};
  for (std::size_t a = 0; a < 3; ++a) wished[a] = (in.least[a] + in.greatest[a]) / 2;
  // The pulse does not reach the walls. If the mesh is too coarse for that, it is two tetrahedra wide.
  double const width = std::max(std::min({in.edge(0), in.edge(1), in.edge(2)}) / 8, 2 * sizes.mean_edge);
  return {pulse{inside_point(mesh, with.middle, wished, "--middle"), with.width > 0 ? with.width : width}};
}

/// The description of a mesh from a file.
std::string words_of(marked_tetrahedra const& of, mesh_sizes const& sizes, boundary const& around,
                     first_fields const& start) {
  std::ostringstream text;
  text << of.mesh().nodes() << " nodes, volume " << sizes.volume << ", radius of the smallest inscribed sphere "
       << sizes.inscribed_radius << "\nwalls: " << around.faces_of[0] << " electric faces (" << around.untagged
       << " of them without a tag), " << around.faces_of[1] << " magnetic, " << around.faces_of[2] << " open\n";
  if (auto const* const ring = std::get_if<pulse>(&start.what))
    text << "a pulse of width " << ring->width << " at " << ring->middle[0] << ", " << ring->middle[1] << ", "
         << ring->middle[2] << "\n";
  return text.str();
}

scene make_scene(options const& with) {
  std::size_t const n = with.cells;
  auto given =
      with.mesh.empty() ? as_tetrahedra("the cube", skel::box_of_tetrahedra({n, n, n})) : read_tetrahedra(with.mesh);
  std::vector<tag_setting> epsilon, walls;
  for (auto const& text : with.epsilon) epsilon.push_back(parse_tag_setting("--epsilon", text));
  for (auto const& text : with.walls) walls.push_back(parse_tag_setting("--wall", text));
  auto around = boundary_of_tags(given, walls);
  filling in{matter_of_tags(given, epsilon), around.walls};
  if (with.dielectric != 1)
    in.matter = matter_by_middle(given.mesh(), [below = with.dielectric](point const& middle) {
      return material{.permittivity = middle[2] < 0.5 ? below : 1};
    });
  auto const sizes = sizes_of(given.mesh());
  auto const box = brick_of(given.mesh());
  point wished{};
  constexpr point of_edges{0.3, 0.4, 0.5};  // in only one plane of symmetry of a box
  for (std::size_t a = 0; a < 3; ++a) wished[a] = box.least[a] + of_edges[a] * box.edge(a);
  experiment of{.with = nullptr,
                .start = start_of(with, given.mesh(), sizes),
                .probe = inside_point(given.mesh(), with.probe, wished, "--probe"),
                .how = with.flux == "upwind" ? flux::upwind : flux::central,
                .step = with.step};
  of.probe_in = *cell_at(given.mesh(), of.probe);
  expect_scheme(in, of.how, with.integrator == "leapfrog");
  auto words = with.mesh.empty() ? std::string() : words_of(given, sizes, around, of.start);
  bool const vacuum = in.matter.empty() && around.faces_of[1] + around.faces_of[2] == 0;
  of.with = std::make_shared<filling const>(std::move(in));
  return {std::move(given.all.cells), std::move(of), vacuum, std::move(words)};
}

template <class Cell, class Program>
void run(skel::grid& grid, options const& with, scene const& in, Program const& program) {
  constexpr std::size_t order = Cell::order;
  constexpr bool leaps = std::is_same_v<Cell, cell<order>>;
  auto const& mesh = in.mesh;
  auto const& of = in.of;
  auto const* const mode = std::get_if<cavity_mode>(&of.start.what);
  double const end = of.step * static_cast<double>(with.steps), end_of_H = leaps ? end + of.step / 2 : end;
  std::uint64_t const files_after = with.vtk.empty() ? with.steps + 1 : with.every;  // none without a name
  auto const watched = program | write_parts<watched_cell<Cell>, totals>(with.vtk, files_after, mesh) |
                       reduce_light<Cell>() | join_parts<watched_cell<Cell>, totals>(with.vtk, files_after) |
                       keep_light() | skel::times(with.steps);
  bool const dumps = !with.dump.empty();
  auto const found = grid.run(watched, [&](watched_cell<Cell> const& c) {
    cell_result<order> out;
    if (dumps) out.E = c.E, out.H = c.H;
    if (mode == nullptr) return out;
    auto const points = points_of(mesh, c.number);
    auto E = interpolated<order>(points, [&](point const& x) { return mode->E(x, end); });
    auto H = interpolated<order>(points, [&](point const& x) { return mode->H(x, end_of_H); });
    double const size = volume(c.at);
    out.whole = product<order>(E, E, size) + product<order>(H, H, size);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t i = 0; i < nodes_of(order); ++i) E[a][i] -= c.E[a][i], H[a][i] -= c.H[a][i];
    out.wrong = product<order>(E, E, size) + product<order>(H, H, size);
    return out;
  });
  if (with.report && grid.rank() == 0) std::cerr << found.report.plan << found.report;
  if (grid.rank() != 0) return;

  auto const &at_first = found.totals.at_first, &in_the_end = found.totals.now;
  std::vector<double> projections{1};
  std::vector<sample> samples{{0, at_first.at_probe}};
  for (auto const& one : found.totals.after) {
    samples.push_back({of.step * static_cast<double>(samples.size()), one.at_probe});
    projections.push_back(one.projection / at_first.projection);
  }
  std::printf("%s%zu tetrahedra of order %zu, %s flux, %s: %ju steps of %.6f\n", in.words.c_str(), mesh.cells(), order,
              with.flux.c_str(), with.integrator.c_str(), std::uintmax_t{with.steps}, of.step);
  if constexpr (leaps)
    std::printf("energy: %.6f, conserved %s\n", in_the_end.energy,
                std::abs(in_the_end.energy / found.totals.after.front().energy - 1) < 1e-12 ? "to 12 digits"
                                                                                            : "less than it has to be");
  else
    std::printf("energy: %.6f at first, %.6f in the end\n", at_first.energy, in_the_end.energy);
  if (mode != nullptr && in.in_vacuum) {
    print_frequency(projections, of.step, mode->frequency(), of.how == flux::upwind);
    double wrong = 0, whole = 0;
    for (auto const& one : found.values) wrong += one.wrong, whole += one.whole;
    std::printf("distance from the exact wave at the end: %.3e of it\n", std::sqrt(wrong / whole));
  }
  std::printf("fields at %g, %g, %g%s\n", of.probe[0], of.probe[1], of.probe[2], leaps ? " (H half a step later)" : "");
  print_series(samples);
  if (!with.series.empty()) write_series(with.series, samples);
  if (!dumps) return;
  all_fields<Cell> fields{.all = {}, .dt = of.step};
  for (auto const& one : found.values) {
    fields.all.emplace_back();
    fields.all.back().E = one.E, fields.all.back().H = one.H;
  }
  write_dump<Cell>(with.dump, mesh, *of.with, *mode, of.how, with.steps, fields);
}

template <std::size_t Order>
void run_order(skel::grid& grid, options const& with, scene in) {
  auto& of = in.of;
  bool const leaps = with.integrator == "leapfrog";
  double const longest = stable_step<Order>(grid, in.mesh, *of.with, of.how, leaps);
  if (of.step == 0) of.step = longest;
  if (of.step > longest && grid.rank() == 0)
    std::cerr << "12_maxwell: --step " << of.step << " is longer than " << longest
              << ", the longest that is known to be stable: fields may grow without end\n";
  if (leaps) {
    of.at_first = first_light<cell<Order>>(grid, in.mesh, of, true);
    run<cell<Order>>(grid, with, in, leap_frog_program<Order>(in.mesh, of));
  } else {
    of.at_first = first_light<runge_kutta_cell<Order>>(grid, in.mesh, of, false);
    run<runge_kutta_cell<Order>>(grid, with, in, runge_kutta_program<Order>(in.mesh, of));
  }
}

void declare(CLI::App& app, options& with) {
  auto* const file =
      app.add_option("--mesh", with.mesh, "Reads the tetrahedra from this file: msh (Gmsh 4.1), pack or su2.")
          ->type_name("FILE");
  app.add_option("--cells", with.cells,
                 "Without a file, divides each edge of the unit cube by this number. Each small cube has six "
                 "tetrahedra.")
      ->check(CLI::Range(1, 400))
      ->capture_default_str()
      ->excludes(file);
  app.add_option("--order", with.order, "Sets the order of the polynomials in a tetrahedron.")
      ->check(CLI::Range(0, 2))
      ->capture_default_str();
  app.add_option("--flux", with.flux,
                 "Sets the flux on faces: central conserves energy, upwind damps what the mesh does not resolve.")
      ->check(CLI::IsMember({"central", "upwind"}))
      ->capture_default_str();
  app.add_option("--integrator", with.integrator,
                 "Sets the time integrator: leapfrog (order 2, central flux only) or lsrk (Runge-Kutta, order 4).")
      ->check(CLI::IsMember({"leapfrog", "lsrk"}))
      ->capture_default_str();
  app.add_option("--steps", with.steps, "Sets the number of time steps.")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--step", with.step, "Sets the length of a step. Default: the longest that is known to be stable.")
      ->check(CLI::PositiveNumber);
  app.add_option("--probe", with.probe,
                 "Prints the fields at this point. Default: 0.3, 0.4, 0.5 of the edges of the box around the mesh.")
      ->type_name("X,Y,Z")
      ->delimiter(',')
      ->expected(3);
  app.add_option("--start", with.start,
                 "Starts with a standing wave (mode, the default without a file) or with a ring of E around an axis "
                 "(pulse, with a file).")
      ->check(CLI::IsMember({"mode", "pulse"}));
  app.add_option("--middle", with.middle, "Sets the middle of the pulse. Default: that of the box around the mesh.")
      ->type_name("X,Y,Z")
      ->delimiter(',')
      ->expected(3);
  app.add_option(
         "--width", with.width,
         "Sets the width of the pulse. Default: an eighth of the shortest edge of that box, and two tetrahedra.")
      ->check(CLI::PositiveNumber);
  app.add_option("--mode", with.mode, "Sets the half waves along each axis at the start. Two of them must be above 0.")
      ->type_name("L,M,N")
      ->delimiter(',')
      ->expected(3)
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  app.add_option("--dielectric", with.dielectric, "Sets the permittivity of the lower half of the unit cube.")
      ->check(CLI::Range(1e-3, 1e3))
      ->capture_default_str()
      ->excludes(file);
  app.add_option("--epsilon", with.epsilon,
                 "Sets the permittivity of a physical volume by its tag or name. Can be repeated.")
      ->type_name("TAG=VALUE");
  app.add_option(
         "--wall", with.walls,
         "Sets the kind of a physical surface of the boundary: electric (a perfect conductor, the default), magnetic, "
         "or open (absorbing: Silver-Mueller). Can be repeated.")
      ->type_name("TAG=KIND");
  app.add_option("--series", with.series, "Writes the fields at the probe after each step.")->type_name("FILE");
  app.add_option("--vtk", with.vtk, "Writes fields for ParaView: NAME_0000100.pvtu, ...")->type_name("NAME");
  app.add_option("--every", with.every, "With --vtk, writes fields each time this number of steps has passed.")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->capture_default_str();
  app.add_flag("--report", with.report, "Prints the places of the cells and the times of all parts on standard error.");
  app.add_option("--dump", with.dump, "Writes mesh and fields at the end as examples/maxwell/reference.m reads them.")
      ->type_name("FILE");
}

}  // namespace

int main(int argc, char** argv) try {
  skel::grid grid(argc, argv);
  options with;
  CLI::App app{"Solves Maxwell's equations between walls of metal by a discontinuous Galerkin method on tetrahedra."};
  declare(app, with);
  CLI11_PARSE(app, argc, argv);
  auto in = make_scene(with);
  for (auto const& file : {with.series, with.dump, with.vtk}) examples::expect_folder_of(file);
  if (!with.dump.empty() && !(std::holds_alternative<cavity_mode>(in.of.start.what) && in.of.with->walls.empty()))
    throw skel::error("--dump is of modes between electric walls: take --start mode, without --wall");
  if (std::holds_alternative<cavity_mode>(in.of.start.what) ? !with.middle.empty() || with.width > 0
                                                            : app.count("--mode") > 0)
    throw skel::error("--middle and --width are of a pulse, --mode is of a standing wave: take the other --start");
  if (with.order == 0)
    run_order<0>(grid, with, std::move(in));
  else if (with.order == 1)
    run_order<1>(grid, with, std::move(in));
  else
    run_order<2>(grid, with, std::move(in));
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw skel::error("standard output cannot be written");
  return 0;
} catch (std::exception const& e) {
  std::cerr << "12_maxwell: " << e.what() << "\n";
  return 1;
}
