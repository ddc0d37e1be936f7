#include "problems.hpp"

#include <cmath>
#include <cstdint>

#include "kernels/blocks.hpp"
#include "kernels/particle_trace.hpp"
#include "own_meshes.hpp"

namespace bench {

using namespace skel;
using namespace kernels;

namespace {

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

kernel_problem particle_problem(kernel_settings const& with, std::string const& name, cloud of, std::size_t hosts) {
  tiling const tiles = nearly_square(hosts * with.tiles);
  auto const steps = trace_of(of, tiles);
  return {name,
          in_seconds(steps, with.particle_seconds),
          {hosts_of_blocks(of.side, tiles, hosts), state_bytes(of, tiles, steps)},
          {{"its blocks", in_seconds(trace_of(of, nearly_square(hosts)), with.particle_seconds)}}};
}

kernel_problem mesh_problem(kernel_settings const& with, mesh const& of, std::size_t hosts) {
  tiling const tiles = nearly_square(hosts * with.tiles);
  kernel_problem made{"amr", in_seconds(trace_of(of, tiles), with.operation_seconds), {{}, state_bytes(of, tiles)}, {}};
  std::size_t const processes = tiles.count() * grids;
  for (std::size_t p = 0; p < processes; ++p) made.begin.hosts.push_back(p * hosts / processes);
  for (auto const balancer : own_balancers)
    made.own.emplace_back(balancer, in_seconds(own_trace_of(of, balancer, hosts), with.operation_seconds));
  return made;
}

mapping::migration::simulated_run simulated(record::workload const& program, cost::bsp::machine const& machine,
                                            mapping::migration::start const& begin,
                                            skeletons::migration_settings const& how) {
  auto const policy = mapping::migration::make_policy(how, machine);
  return mapping::migration::simulate(program, machine, begin, *policy);
}

}  // namespace

cost::bsp::machine machine_of(std::size_t hosts, double ratio) {
  platform::link const link{link_latency, link_bandwidth};
  std::vector<platform::cluster> clusters{
      {.name = "fast", .hosts = hosts / 2, .speed = 1, .inside = link},
      {.name = "slow", .hosts = hosts - hosts / 2, .speed = 1 / ratio, .inside = link}};
  return {{local_latency, std::move(clusters), {{0, 1, link, {}}, {1, 0, link, {}}}}, migration_seconds};
}

std::vector<kernel_problem> kernel_problems(kernel_settings const& with, std::size_t hosts) {
  auto const many = static_cast<long>(hosts);
  cloud particles{.side = with.quick ? 480 : 2400,
                  .particles = static_cast<std::uint64_t>(hosts) * (with.quick ? 4000 : 400000),
                  .steps = with.quick ? 40U : 400U,
                  .k = 0,
                  .m = 1};
  particles.factor = with.quick ? 0.99 : 0.999;
  std::vector<kernel_problem> all;
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

mapping::migration::simulated_run simulated_own(record::workload const& program, cost::bsp::machine const& machine) {
  std::size_t const hosts = machine.hosts.host_count();
  mapping::migration::start begin{{}, std::vector<double>(hosts, 0.0)};
  for (std::size_t h = 0; h < hosts; ++h) begin.hosts.push_back(h);
  return simulated(program, machine, begin, {.name = "never"});
}

mapping::migration::simulated_run simulated_tiles(kernel_problem const& of, cost::bsp::machine const& machine,
                                                  skeletons::migration_settings const& how) {
  return simulated(of.tiles, machine, of.begin, how);
}

}  // namespace bench
