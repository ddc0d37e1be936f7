// bench_mesh_phases: what an iteration of a program over a mesh takes beside loops that others would write for it, in
// turns: heat, whose phases are some additions, and the Maxwell solver of examples/12_maxwell. Takes all cores that it
// may use (taskset -c 0 bench_mesh_phases: one). Peers: OpenMP over the same cells, with and without a prefetch of
// neighbours, and over an array for each member; the roof: McCalpin's triad over as many bytes, with all threads.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <omp.h>
#include <CLI/CLI.hpp>

#include <skel/detail/base/statistics.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/iterate.hpp>
#include <skel/mesh.hpp>

#include "maxwell/cavity.hpp"
#include "maxwell/on_mesh.hpp"
#include "maxwell/probe.hpp"

namespace {

constexpr auto wall = skel::face_neighbours::none;
constexpr std::size_t ahead = 8;  // elements whose neighbours are prefetched before their turn

/// A way to compute some iterations: gives what each of them took [s].
using way = std::function<std::vector<double>(std::size_t iterations)>;

template <class Iteration>
way loop(Iteration iteration) {
  return [iteration](std::size_t iterations) {
    std::vector<double> out;
    for (std::size_t k = 0; k < iterations; ++k) {
      double const begin = skel::record::now();
      iteration();
      out.push_back(skel::record::now() - begin);
    }
    return out;
  };
}

template <class Program>
way program(skel::grid& grid, Program const& of) {
  return [&grid, of](std::size_t iterations) {
    std::vector<double> clock;
    using totals = typename Program::totals;
    grid.run(of | skel::on_totals("clock", [&](totals&) { clock.push_back(skel::record::now()); }) |
             skel::times(iterations + 1));
    std::vector<double> out;  // some iterations before were to measure
    for (std::size_t k = clock.size() - iterations; k < clock.size(); ++k) out.push_back(clock[k] - clock[k - 1]);
    return out;
  };
}

template <class Visit>
void for_elements(skel::face_neighbours const& behind, Visit const& visit) {
  auto const elements = static_cast<std::ptrdiff_t>(behind.cells());
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t e = 0; e < elements; ++e) visit(static_cast<std::size_t>(e));
}

template <class Member>
void prefetch(Member const& member) {
  auto const* const bytes = reinterpret_cast<char const*>(&member);
  for (std::size_t byte = 0; byte < sizeof member; byte += 64) __builtin_prefetch(bytes + byte);
  __builtin_prefetch(bytes + sizeof member - 1);
}

// Heat: what flows through faces, and what there is then.
namespace heat {

constexpr double share = 0.1;  // of a difference, in an iteration

struct cell {
  double u = 0, next = 0;
};

double first(std::size_t number) {
  return static_cast<double>(number % 17);
}

auto as_program(skel::mesh const& mesh) {
  return skel::iterate("heat", mesh, skel::no_totals(),
                       [](skel::mesh_element const& e) { return cell{first(e.number())}; }) |
         skel::phase("flow",
                     [](skel::element<cell> e) {
                       double sum = 0;
                       for (std::size_t f = 0; f < e.faces(); ++f)
                         if (auto const* const there = e.neighbour(f)) sum += there->u - e->u;
                       e->next = e->u + share * sum;
                     }) |
         skel::phase("take", [](cell& c) { c.u = c.next; }) | skel::update("u", &cell::u);
}

template <bool Prefetches>
auto over_cells(skel::face_neighbours const& behind, std::vector<cell>& cells) {
  return [&] {
    for_elements(behind, [&](std::size_t e) {
      if (Prefetches && e + ahead < cells.size())
        for (auto const there : behind.of(e + ahead))
          if (there != wall) __builtin_prefetch(&cells[there].u);
      double sum = 0;
      for (auto const there : behind.of(e))
        if (there != wall) sum += cells[there].u - cells[e].u;
      cells[e].next = cells[e].u + share * sum;
    });
    for_elements(behind, [&](std::size_t e) { cells[e].u = cells[e].next; });
  };
}

auto over_arrays(skel::face_neighbours const& behind, std::vector<double>& u, std::vector<double>& next) {
  return [&] {
    for_elements(behind, [&](std::size_t e) {
      double sum = 0;
      for (auto const there : behind.of(e))
        if (there != wall) sum += u[there] - u[e];
      next[e] = u[e] + share * sum;
    });
    for_elements(behind, [&](std::size_t e) { u[e] = next[e]; });
  };
}

}  // namespace heat

// Leap-frog of order 1.
namespace light {

using namespace maxwell;
using cell_type = cell<1>;

/// Without what 12_maxwell looks at.
auto as_program(skel::mesh const& mesh, experiment const& of) {
  double const dt = of.step;
  return skel::iterate("light", mesh, skel::no_totals(),
                       [of](skel::mesh_element const& e) -> cell_type { return first_cell<cell_type>(e, of, true); }) |
         skel::phase("E",
                     [dt](skel::element<cell_type> e) { advance_E<1>(*e, members_behind(e, &cell_type::H), dt); }) |
         skel::update("E", &cell_type::E) |
         skel::phase("H",
                     [dt](skel::element<cell_type> e) { advance_H<1>(*e, members_behind(e, &cell_type::E), dt); }) |
         skel::update("H", &cell_type::H);
}

/// As 12_maxwell computes it, with the energy and the light of each step.
auto as_example(skel::mesh const& mesh, experiment const& of) {
  return leap_frog_program<1>(mesh, of) | reduce_light<cell_type>() | keep_light();
}

template <bool Prefetches>
auto over_cells(skel::face_neighbours const& behind, std::vector<cell_type>& cells, double dt) {
  return [&, dt] {
    auto const phase = [&](auto member, auto const& advance) {
      for_elements(behind, [&](std::size_t e) {
        if (Prefetches && e + ahead < cells.size())
          for (auto const there : behind.of(e + ahead))
            if (there != wall) prefetch(cells[there].*member);
        std::array<field<1> const*, 4> all{};
        for (std::size_t f = 0; f < 4; ++f)
          all[f] = behind.of(e)[f] == wall ? nullptr : &(cells[behind.of(e)[f]].*member);
        advance(cells[e], all);
      });
    };
    phase(&cell_type::H, [&](cell_type& own, auto const& all) { advance_E<1>(own, all, dt); });
    phase(&cell_type::E, [&](cell_type& own, auto const& all) { advance_H<1>(own, all, dt); });
  };
}

/// An array for each member.
struct arrays {
  std::vector<field<1>> E{}, H{};
  std::vector<element<>> at{};
};

auto over_arrays(skel::face_neighbours const& behind, arrays& of, double dt) {
  return [&, dt] {
    auto const phase = [&](std::vector<field<1>> const& from, std::vector<field<1>>& to, part which, double sign) {
      for_elements(behind, [&](std::size_t e) {
        if (e + ahead < from.size())
          for (auto const there : behind.of(e + ahead))
            if (there != wall) prefetch(from[there]);
        std::array<field<1> const*, 4> all{};
        for (std::size_t f = 0; f < 4; ++f) all[f] = behind.of(e)[f] == wall ? nullptr : &from[behind.of(e)[f]];
        auto const rate = central_curl<1>(of.at[e], from[e], all, which);
        double const factor =
            sign * dt * (which == part::H ? of.at[e].inverse_permittivity : of.at[e].inverse_permeability);
        for (std::size_t a = 0; a < 3; ++a)
          for (std::size_t i = 0; i < 4; ++i) to[e][a][i] += factor * rate[a][i];
      });
    };
    phase(of.H, of.E, part::H, 1);
    phase(of.E, of.H, part::E, -1);
  };
}

/// Bytes of an element in an iteration: see bench_maxwell.
constexpr double bytes = 2.0 * (sizeof(cell_type) + 4 * sizeof(std::uint32_t) + sizeof(field<1>));

}  // namespace light

/// Bytes per second of a triad over so many bytes, with all threads. The best of ten.
double triad(std::size_t bytes) {
  auto const n = static_cast<std::ptrdiff_t>(bytes / 3 / sizeof(double));
  std::vector<double> a(static_cast<std::size_t>(n)), b = a, c = a;
  double best = 0;
  for (int k = 0; k < 10; ++k) {
    double const begin = skel::record::now();
#pragma omp parallel for schedule(static)
    for (std::ptrdiff_t i = 0; i < n; ++i)
      a[static_cast<std::size_t>(i)] = b[static_cast<std::size_t>(i)] + 3 * c[static_cast<std::size_t>(i)];
    best = std::max(best, 3 * sizeof(double) * static_cast<double>(n) / (skel::record::now() - begin));
    std::swap(a, c);
  }
  return best;
}

/// A line for each way, and what the first one has of the best of the others: their time / its time in each round.
void compare(std::string const& title, std::size_t elements, std::vector<std::pair<std::string, way>> const& ways,
             std::size_t rounds, std::size_t iterations, double roof) {
  std::vector<std::vector<double>> took(ways.size());
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t w = 0; w < ways.size(); ++w)
      took[w].push_back(skel::statistics::median(ways[w].second(iterations)));
  fmt::print("{}, {} elements, {} threads\n", title, elements, omp_get_max_threads());
  fmt::print("  {:<34}{:>12}{:>14}{:>12}{:>20}\n", "", "iteration us", "M elements/s", roof > 0 ? "% of triad" : "",
             "its time / first's");
  for (std::size_t w = 0; w < ways.size(); ++w) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < rounds; ++round) ratios.push_back(took[w][round] / took[0][round]);
    double const seconds = skel::statistics::median(took[w]), rate = static_cast<double>(elements) / seconds;
    auto const spread = skel::statistics::median_interval(ratios);
    fmt::print("  {:<34}{:>12.1f}{:>14.2f}{:>12}{:>20}\n", ways[w].first, seconds * 1e6, rate / 1e6,
               roof > 0 ? fmt::format("{:.0f}", 100 * rate / roof) : "",
               fmt::format("{:.2f} [{:.2f}, {:.2f}]", skel::statistics::median(ratios), spread.low, spread.high));
  }
}

int run(int argc, char** argv) {
  skel::grid grid(argc, argv);
  CLI::App app{"Times iterations of programs over a mesh beside loops that others would write for them."};
  std::vector<std::uint32_t> sizes{8, 16, 32};
  std::size_t rounds = 9, iterations = 30;
  app.add_option("--cells", sizes, "Small cubes along each edge, of six tetrahedra each.")->capture_default_str();
  app.add_option("--rounds", rounds, "Rounds in which each way has its turn.")->capture_default_str();
  app.add_option("--iterations", iterations, "Iterations of a turn, whose median counts.")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  for (auto const n : sizes) {
    auto const mesh = skel::cube_of_tetrahedra(n);
    auto const behind = skel::neighbours_by_faces(mesh);
    std::size_t const elements = mesh.cells();
    std::vector<heat::cell> cells(elements);
    std::vector<double> u(elements), next(elements);
    for (std::size_t e = 0; e < elements; ++e) cells[e].u = u[e] = heat::first(e);
    compare("heat", elements,
            {{"skel", program(grid, heat::as_program(mesh))},
             {"OpenMP, cells", loop(heat::over_cells<false>(behind, cells))},
             {"OpenMP, cells, prefetch", loop(heat::over_cells<true>(behind, cells))},
             {"OpenMP, arrays", loop(heat::over_arrays(behind, u, next))}},
            rounds, iterations, 0);
    maxwell::domain const box = maxwell::cube(n);
    auto const filled = std::make_shared<maxwell::filling const>();
    maxwell::experiment of{.with = filled, .start = {maxwell::cavity_mode({1, 1, 1})}, .probe = {0.3, 0.4, 0.5}};
    of.step = maxwell::stable_step<1>(grid, mesh, *filled, maxwell::flux::central, true);
    of.probe_in = *maxwell::cell_at(mesh, of.probe);
    of.at_first = maxwell::first_light<light::cell_type>(grid, mesh, of, true);
    std::vector<light::cell_type> tetrahedra(elements);
    light::arrays arrays;
    arrays.E.resize(elements), arrays.H.resize(elements);
    for (std::size_t e = 0; e < elements; ++e)
      arrays.at.push_back(tetrahedra[e].at = box.element_of(e)), tetrahedra[e].H[e % 3].fill(1),
          arrays.H[e][e % 3].fill(1);
    double const roof =
        triad(static_cast<std::size_t>(light::bytes / 2 * static_cast<double>(elements))) / light::bytes;
    compare("Maxwell, order 1, leap-frog", elements,
            {{"skel", program(grid, light::as_program(mesh, of))},
             {"skel, as 12_maxwell", program(grid, light::as_example(mesh, of))},
             {"OpenMP, cells", loop(light::over_cells<false>(behind, tetrahedra, of.step))},
             {"OpenMP, cells, prefetch", loop(light::over_cells<true>(behind, tetrahedra, of.step))},
             {"OpenMP, arrays, prefetch", loop(light::over_arrays(behind, arrays, of.step))}},
            rounds, iterations, roof);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (std::exception const& e) {
    std::cerr << "bench_mesh_phases: " << e.what() << '\n';
    return 1;
  }
}
