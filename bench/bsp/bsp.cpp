// What supersteps cost: beside the same program by hand in MPI, with very many processes, and after many migrations.

#include <exception>
#include <iostream>

#include <CLI/CLI.hpp>

#include <skel/grid.hpp>

#include "bsp/many_processes.hpp"
#include "bsp/overhead.hpp"
#include "bsp/rotations.hpp"

namespace {

constexpr char const* footer =
    R"(Examples:
  mpirun -np 2 bench_bsp overhead
  bench_bsp many --processes 100000
  mpirun -np 2 bench_bsp rotations)";

int run(int argc, char** argv) {
  skel::grid grid(argc, argv);
  CLI::App app{"What supersteps of BSP programs cost; every number of ranks"};
  app.require_subcommand(1);
  app.footer(footer);
  bool quick = false, as_json = false;
  bench::overhead_options overhead;
  bench::many_options many;
  bench::rotation_options rotations;
  auto* const beside = app.add_subcommand("overhead", "beside the same program by hand in MPI, in turn");
  beside->add_option("--work", overhead.work, "of each rank in a superstep [us]")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  beside->add_option("--rounds", overhead.rounds, "of each")->check(CLI::PositiveNumber)->capture_default_str();
  beside->add_option("--seconds", overhead.seconds, "of a run")->check(CLI::PositiveNumber)->capture_default_str();
  auto* const crowd = app.add_subcommand("many", "with many processes: time and memory");
  crowd->add_option("--processes", many.processes)->check(CLI::PositiveNumber)->capture_default_str();
  crowd->add_option("--supersteps", many.supersteps)->check(CLI::PositiveNumber)->capture_default_str();
  auto* const moved = app.add_subcommand("rotations", "before and after many migrations");
  moved->add_option("--processes", rotations.processes)->check(CLI::PositiveNumber)->capture_default_str();
  moved->add_option("--rotations", rotations.rotations, "in a row; two at least")
      ->check(CLI::Range(2, 1'000'000))
      ->capture_default_str();
  moved->add_option("--rounds", rotations.rounds)->check(CLI::PositiveNumber)->capture_default_str();
  for (auto* const one : {beside, crowd, moved}) {
    one->add_flag("--json", as_json, "one object on stdout instead of tables");
    one->add_flag("--quick", quick, "few and short runs: shows that it works, not what it costs");
  }
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& e) {
    return grid.rank() == 0 ? app.exit(e) : e.get_exit_code();
  }
  if (quick) {
    overhead.rounds = 2, overhead.seconds = 0.01;
    many.processes = 2000, many.supersteps = 10;
    rotations.rotations = 50, rotations.rounds = 2;
  }
  overhead.as_json = many.as_json = rotations.as_json = as_json;
  if (beside->parsed()) {
    if (grid.size() < 2) throw std::runtime_error("overhead compares ranks: mpirun -np 2 bench_bsp overhead");
    return superstep_overhead(grid, overhead);
  }
  return crowd->parsed() ? many_processes(grid, many) : bench::rotations(grid, rotations);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (std::exception const& e) {
    std::cerr << "bench_bsp: " << e.what() << '\n';
    return 2;
  }
}
