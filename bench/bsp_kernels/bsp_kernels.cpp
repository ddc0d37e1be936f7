// Particles in cells and adaptive meshes as the Parallel Research Kernels define them, simulated: how long the kernels'
// own MPI programs take on clusters of equal and unequal hosts, and how long the same work takes in tiles that policies
// of migration move (examples/10_particles and 11_adaptive_mesh). Simulated time: the same on every machine.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <skel/detail/mapping/migration/simulate.hpp>

#include "kernels/blocks.hpp"
#include "kernels/particle_trace.hpp"
#include "own_meshes.hpp"

namespace {

using namespace skel;
using namespace kernels;

struct settings {
  std::size_t tiles = 16;  // of one host
  // Of hosts 1.4 times as fast as one core of the virtual machine on which 10_particles takes 55 ns for a particle and
  // 11_adaptive_mesh 0.16 ns for an operation: the faster, the more communication counts.
  double particle_seconds = 4e-8, operation_seconds = 1.2e-10;
  std::string only{};
  bool quick = false;

  bool wants(std::string const& name) const { return name.starts_with(only); }
};

record::load_trace in_seconds(std::vector<load> const& steps, double seconds) {
  record::load_trace made;
  for (auto const& step : steps) {
    record::superstep_load next{.work = step.work, .messages = {}};
    for (auto& one : next.work) one *= seconds;
    for (auto const& one : step.messages) next.messages.push_back({one.from, one.to, one.bytes});
    made.steps.push_back(std::move(next));
  }
  return made;
}

/// Two clusters of half of the hosts each; the second one's are `ratio` times as slow.
cost::bsp::machine machine_of(std::size_t hosts, double ratio) {
  platform::link const link{link_latency, link_bandwidth};
  std::vector<platform::cluster> clusters{
      {.name = "fast", .hosts = hosts / 2, .speed = 1, .inside = link},
      {.name = "slow", .hosts = hosts - hosts / 2, .speed = 1 / ratio, .inside = link}};
  return {{local_latency, std::move(clusters), {{0, 1, link, {}}, {1, 0, link, {}}}}, migration_seconds};
}

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

/// A program in tiles, and its kernel's own ways.
struct problem {
  std::string name;
  record::workload tiles;
  mapping::migration::start begin;
  std::vector<std::pair<std::string, record::workload>> own;
};

problem particle_problem(settings const& with, std::string const& name, cloud of, std::size_t hosts) {
  tiling const tiles = nearly_square(hosts * with.tiles);
  auto const steps = trace_of(of, tiles);
  return {name,
          in_seconds(steps, with.particle_seconds),
          {hosts_of_blocks(of.side, tiles, hosts), state_bytes(of, tiles, steps)},
          {{"its blocks", in_seconds(trace_of(of, nearly_square(hosts)), with.particle_seconds)}}};
}

problem mesh_problem(settings const& with, mesh const& of, std::size_t hosts) {
  tiling const tiles = nearly_square(hosts * with.tiles);
  problem made{"amr", in_seconds(trace_of(of, tiles), with.operation_seconds), {{}, state_bytes(of, tiles)}, {}};
  std::size_t const processes = tiles.count() * grids;
  for (std::size_t p = 0; p < processes; ++p) made.begin.hosts.push_back(p * hosts / processes);
  for (auto const balancer : bench::own_balancers)
    made.own.emplace_back(balancer, in_seconds(bench::own_trace_of(of, balancer, hosts), with.operation_seconds));
  return made;
}

mapping::migration::simulated_run simulated(record::workload const& program, cost::bsp::machine const& machine,
                                            mapping::migration::start const& begin,
                                            skeletons::migration_settings const& how) {
  auto const policy = mapping::migration::make_policy(how, machine);
  return mapping::migration::simulate(program, machine, begin, *policy);
}

void print(problem const& one, std::size_t hosts, double ratio) {
  auto const machine = machine_of(hosts, ratio);
  std::vector<double> own;
  fmt::print("\n{}, {} hosts, speeds 1:{}\n", one.name, hosts, ratio);
  for (auto const& [name, program] : one.own) {
    mapping::migration::start begin{{}, std::vector<double>(hosts, 0.0)};
    for (std::size_t h = 0; h < hosts; ++h) begin.hosts.push_back(h);
    auto const run = simulated(program, machine, begin, {.name = "never"});
    own.push_back(run.seconds);
    fmt::print("  {:<20} {:>9.3f} s  imbalance {:.3f}\n", "own, " + name, run.seconds, run.imbalance);
  }
  for (auto contestant : contestants()) {
    if (contestant.told) contestant.how.supersteps = record::supersteps_of(one.tiles);
    auto const run = simulated(one.tiles, machine, one.begin, contestant.how);
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

std::vector<problem> problems(settings const& with, std::size_t hosts) {
  auto const many = static_cast<long>(hosts);
  cloud particles{.side = with.quick ? 480 : 2400,
                  .particles = static_cast<std::uint64_t>(hosts) * (with.quick ? 4000 : 400000),
                  .steps = with.quick ? 40U : 400U,
                  .k = 0,
                  .m = 1};
  particles.factor = with.quick ? 0.99 : 0.999;
  std::vector<problem> all;
  auto const add = [&](std::string const& name, distribution kind, auto const& change) {
    if (!with.wants("pic, " + name)) return;
    cloud one = particles;
    one.kind = kind;
    change(one);
    all.push_back(particle_problem(with, "pic, " + name, one, hosts));
  };
  add("the same in all cells", distribution::linear, [](cloud& one) { one.slope = 0, one.offset = 1; });
  add("geometric", distribution::geometric, [](cloud&) {});
  add("sinusoidal", distribution::sinusoidal, [](cloud&) {});
  add("linear", distribution::linear, [](cloud& one) { one.slope = 1, one.offset = 1; });
  add("patch", distribution::patch, [](cloud& one) {
    one.columns = {one.side / 8, one.side / 2}, one.rows = {one.side / 4, one.side / 2};
  });
  if (!with.wants("amr")) return all;
  long const side = static_cast<long>(std::lround(std::sqrt(static_cast<double>(many)))) * (with.quick ? 100 : 2048);
  all.push_back(mesh_problem(with,
                             {.iterations = with.quick ? 39 : 239,
                              .side = side,
                              .refined = side / 4,
                              .level = 2,
                              .period = with.quick ? 5 : 20,
                              .duration = with.quick ? 3 : 10,
                              .sub_iterations = 4},
                             hosts));
  return all;
}

int run(int argc, char** argv) {
  CLI::App app{
      "Kernels pic and amr of the Parallel Research Kernels in simulated time: their own MPI programs, and tiles that\n"
      "policies of migration move"};
  settings with;
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
    for (auto const& one : problems(with, many))
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
