// The Maxwell solver of examples/12_maxwell by itself. --convergence: errors of its frequency and fields on finer and
// finer meshes. --roofline: elements per second on one core beside what memory and arithmetic of this machine allow.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "counted.hpp"
#include "machine.hpp"
#include "maxwell/cavity.hpp"
#include "maxwell/cavity_mode.hpp"
#include "maxwell/comparison.hpp"
#include "maxwell/curl.hpp"
#include "maxwell/oscillation.hpp"
#include "maxwell/upwind.hpp"

namespace {

using namespace maxwell;

std::string_view name_of(flux how) {
  return how == flux::central ? "central" : "upwind";
}

struct row {
  double frequency = 0, decay = 0, field = 0;  // relative, per period, relative
};

/// Some periods of a mode.
template <class Cell>
void print_convergence(std::array<unsigned, 3> const& numbers, flux how, std::uint32_t most, double periods) {
  cavity_mode const mode(numbers);
  fmt::print("order {}, {} flux, {}, mode ({}, {}, {})\n{:>6}{:>12}{:>9}{:>19}{:>8}{:>16}{:>8}{:>14}{:>8}\n",
             Cell::order, name_of(how), cavity<Cell>::leaps ? "leap-frog" : "Runge-Kutta", numbers[0], numbers[1],
             numbers[2], "n", "tetrahedra", "steps", "frequency error %", "order", "lost a period %", "order",
             "fields error", "order");
  std::optional<row> before;
  for (std::uint32_t n = 4; n <= most; n *= 2) {
    domain const box = cube(n);
    cavity<Cell> fields(box, mode, how);
    auto const at_first = all_E(fields);
    double const whole = projection(fields, at_first);
    std::vector<double> samples{1};
    while (fields.time() * mode.frequency() < periods * 2 * std::numbers::pi) {
      fields.advance();
      samples.push_back(projection(fields, at_first) / whole);
    }
    auto const found = fitted(samples, fields.step(), mode.frequency()).value_or(oscillation{});
    row const now{found.frequency / mode.frequency() - 1,  // -100 %: nothing that oscillates
                  1 - std::exp(-found.decay * 2 * std::numbers::pi / mode.frequency()), error_of(fields, box, mode)};
    // Errors of opposite signs have no order: the terms of which they consist take each other away in between.
    auto const order = [&](double row::*of) -> std::string {
      if (!before) return "";
      double const ratio = (*before).*of / (now.*of);
      return ratio > 0 ? fmt::format("{:.2f}", std::log2(ratio)) : "sign";
    };
    bool const loses = how == flux::upwind;
    fmt::print("{:>6}{:>12}{:>9}{:>19.5f}{:>8}{:>16}{:>8}{:>14.3e}{:>8}\n", n, box.mesh.cells(), samples.size() - 1,
               100 * now.frequency, order(&row::frequency), loses ? fmt::format("{:.5f}", 100 * now.decay) : "-",
               loses ? order(&row::decay) : "", now.field, order(&row::field));
    before = now;
  }
  fmt::print("\n");
}

void print_all_convergences(std::uint32_t most, double periods) {
  for (auto const& numbers : {std::array{1U, 1U, 0U}, std::array{1U, 1U, 1U}}) {
    print_convergence<cell<0>>(numbers, flux::central, most, periods);
    print_convergence<cell<1>>(numbers, flux::central, most, periods);
    print_convergence<cell<2>>(numbers, flux::central, most / 2, periods);
    print_convergence<runge_kutta_cell<0>>(numbers, flux::upwind, most, periods);
    print_convergence<runge_kutta_cell<1>>(numbers, flux::upwind, most, periods);
    print_convergence<runge_kutta_cell<2>>(numbers, flux::upwind, most / 2, periods);
  }
}

/// What a cell takes in a step.
struct cost {
  double operations = 0, bytes = 0;
};

/// Operations: those of an inner cell, counted by computing one. Bytes: each phase reads the cell and the four numbers
/// of its neighbours once, and writes the fields that it changes; fields of neighbours are in the cache from their own
/// turn, or for it.
template <class Cell>
cost cost_of(flux how) {
  using bench::counted;
  constexpr std::size_t order = Cell::order, nodes = nodes_of(order);
  counted::operations = 0;
  element<counted> const at{.gradients = {{{counted(1), counted(2), counted(3), counted(4)}, {}, {}}}};
  field<order, counted> const x{};
  std::array<field<order, counted> const*, 4> const around{&x, &x, &x, &x};
  constexpr double cells = sizeof(Cell) + 4 * sizeof(std::uint32_t), one_field = sizeof(field<order>);
  if constexpr (cavity<Cell>::leaps) {
    curl_with_means<order>(at, x, around, part::H);
    return {2 * (static_cast<double>(counted::operations) + 2.0 * 3 * nodes + 1), 2 * (cells + one_field)};
  } else {
    if (how == flux::upwind)
      upwind_curls<order>(at, x, x, around, around, {counted(1), counted(1), counted(1), counted(1)});
    else
      curl_with_means<order>(at, x, around, part::H), curl_with_means<order>(at, x, around, part::H);
    double const stage = static_cast<double>(counted::operations) + 2.0 * (3 + 2) * 3 * nodes + 2;
    return {runge_kutta::stages * stage, runge_kutta::stages * (cells + 2 * one_field + sizeof(Cell) + 2 * one_field)};
  }
}

template <class Cell>
void print_speed(std::uint32_t n, flux how, double operations_per_second, double seconds_each) {
  domain const box = cube(n);
  cavity<Cell> fields(box, cavity_mode({1, 1, 1}), how);
  double best = 0, spent = 0;
  std::size_t const steps = 1 + 30000 / box.mesh.cells();  // a millisecond at least, as the clock tells microseconds
  do {
    double const start = bench::processor_seconds();
    for (std::size_t step = 0; step < steps; ++step) fields.advance();
    double const seconds = bench::processor_seconds() - start;
    best = std::max(best, static_cast<double>(steps) / seconds), spent += seconds;
  } while (spent < seconds_each);
  auto const cells = static_cast<double>(box.mesh.cells());
  auto const of = cost_of<Cell>(how);
  double const bandwidth = bench::triad_bandwidth(box.mesh.cells() * (sizeof(Cell) + 16), seconds_each / 2);
  double const rate = best * cells, limit = std::min(operations_per_second / of.operations, bandwidth / of.bytes);
  fmt::print("{:>5}{:>9}{:>13}{:>9.0f}{:>8.0f}{:>8.2f}{:>12.3f}{:>9.2f}{:>9.2f}{:>12.2f}{:>12.3f}{:>8}{:>10.0f}\n",
             Cell::order, name_of(how), cavity<Cell>::leaps ? "leap-frog" : "Runge-Kutta", of.operations, of.bytes,
             of.operations / of.bytes, rate / 1e6, rate * of.operations / 1e9, rate * of.bytes / 1e9, bandwidth / 1e9,
             limit / 1e6, operations_per_second / of.operations < bandwidth / of.bytes ? "ops" : "memory",
             100 * rate / limit);
}

void print_roofline(std::uint32_t n, double seconds) {
  double const operations = bench::most_operations();
  fmt::print(
      "{} tetrahedra on one core, best of {} s of steps each; arithmetic of this machine: {:.2f} G operations/s\n",
      6 * n * n * n, seconds, operations / 1e9);
  fmt::print("triad: over as much memory as the solver has. roof: what the least of both allows\n");
  fmt::print("{:>5}{:>9}{:>13}{:>9}{:>8}{:>8}{:>12}{:>9}{:>9}{:>12}{:>12}{:>8}{:>10}\n", "order", "flux", "integrator",
             "ops", "bytes", "ops/B", "M cells/s", "Gop/s", "GB/s", "triad GB/s", "roof M/s", "by", "% of it");
  print_speed<cell<0>>(n, flux::central, operations, seconds);
  print_speed<cell<1>>(n, flux::central, operations, seconds);
  print_speed<cell<2>>(n, flux::central, operations, seconds);
  for (auto const how : {flux::central, flux::upwind}) {
    print_speed<runge_kutta_cell<0>>(n, how, operations, seconds);
    print_speed<runge_kutta_cell<1>>(n, how, operations, seconds);
    print_speed<runge_kutta_cell<2>>(n, how, operations, seconds);
  }
}

int run(int argc, char** argv) {
  CLI::App app{"The Maxwell solver by itself: whether it is right, and how fast it is"};
  bool convergence = false, roofline = false;
  std::uint32_t most = 16, cells = 32;
  double periods = 6, seconds = 2;
  app.add_flag("--convergence", convergence, "errors on finer and finer meshes");
  app.add_option("--most", most, "small cubes along each edge on the finest; half as many with order 2")
      ->check(CLI::Range(4, 64))
      ->capture_default_str();
  app.add_option("--periods", periods, "of the wave that are computed")
      ->check(CLI::Range(4.0, 1000.0))
      ->capture_default_str();
  app.add_flag("--roofline", roofline, "elements per second beside what this machine can do");
  app.add_option("--cells", cells, "with --roofline: small cubes along each edge")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--seconds", seconds, "with --roofline: that each scheme is computed for")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  app.require_option(1, 0);
  CLI11_PARSE(app, argc, argv);
  if (convergence) print_all_convergences(most, periods);
  if (roofline) print_roofline(cells, seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (std::exception const& e) {
    std::cerr << "bench_maxwell: " << e.what() << '\n';
    return 1;
  }
}
