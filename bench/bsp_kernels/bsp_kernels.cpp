// Particles in cells and adaptive meshes as the Parallel Research Kernels define them, simulated: how long the kernels'
// own MPI programs take on clusters of equal and unequal hosts, and how long the same work takes in tiles that policies
// of migration move (examples/10_particles and 11_adaptive_mesh). Simulated time: the same on every machine.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "problems.hpp"

namespace {

using namespace skel;

struct contestant {
  std::string name;
  skeletons::migration_settings how;
  bool told = false;  // how many supersteps there are
};
std::vector<contestant> contestants() {
  return {{"never", {.name = "never"}},
          {"greedy_refine", {.name = "greedy_refine", .alpha = 8}},
          {"diffusion", {.name = "diffusion", .alpha = 8}},
          {"migbsp", {.name = "migbsp", .alpha = 8}},
          {"skel", {.name = "skel"}},
          {"skel, told its end", {.name = "skel"}, true}};
}

void print(bench::kernel_problem const& one, std::size_t hosts, double ratio) {
  auto const machine = bench::machine_of(hosts, ratio);
  std::vector<double> own;
  fmt::print("\n{}, {} hosts, speeds 1:{}\n", one.name, hosts, ratio);
  for (auto const& [name, program] : one.own) {
    auto const run = bench::simulated_own(program, machine);
    own.push_back(run.seconds);
    fmt::print("  {:<20} {:>9.3f} s  imbalance {:.3f}\n", "own, " + name, run.seconds, run.imbalance);
  }
  for (auto contestant : contestants()) {
    if (contestant.told) contestant.how.supersteps = record::supersteps_of(one.tiles);
    auto const run = bench::simulated_tiles(one, machine, contestant.how);
    std::size_t moved = 0;
    for (auto const& call : run.calls)
      moved +=
          static_cast<std::size_t>(std::ranges::count(call.candidates, true, &record::migration_candidate::accepted));
    fmt::print("  {:<20} {:>9.3f} s  imbalance {:.3f}, {} calls, {} moves; times own:", contestant.name, run.seconds,
               run.imbalance, run.calls.size(), moved);
    for (double const seconds : own) fmt::print(" {:.3f}", run.seconds / seconds);
    fmt::print("\n");
    std::fflush(stdout);
  }
}

int run(int argc, char** argv) {
  CLI::App app{
      "Kernels pic and amr of the Parallel Research Kernels in simulated time: their own MPI programs, and tiles that\n"
      "policies of migration move"};
  bench::kernel_settings with;
  std::vector<std::size_t> hosts{16, 64};
  std::vector<double> ratios{1, 4};
  app.add_option("--hosts", hosts, "in two clusters")->check(CLI::Range(2, 10000))->capture_default_str();
  app.add_option("--ratios", ratios, "of the speeds of the two")->check(CLI::Range(1.0, 1e3))->capture_default_str();
  app.add_option("--tiles", with.tiles, "for each host")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--particle", with.particle_seconds, "seconds that moving a particle takes")->capture_default_str();
  app.add_option("--operation", with.operation_seconds, "seconds of a floating-point operation of amr")
      ->capture_default_str();
  app.add_option("--only", with.only, "problems whose names begin so: pic, or amr, for instance");
  app.add_flag("--quick", with.quick, "small problems");
  CLI11_PARSE(app, argc, argv);
  for (auto const many : hosts)
    for (auto const& one : bench::kernel_problems(with, many))
      for (double const ratio : ratios) print(one, many, ratio);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (std::exception const& e) {
    std::cerr << "bench_bsp_kernels: " << e.what() << '\n';
    return 1;
  }
}
