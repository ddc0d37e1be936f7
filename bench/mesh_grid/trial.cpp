#include "mesh_grid/trial.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/runtime/iteration/run.hpp>

#include "grid/simulated_machine.hpp"

namespace bench {
namespace {

namespace mesh_cost = skel::cost::mesh;

/// Times that clusters are chosen by what a partition was counted to have, as grid.run() does.
constexpr std::size_t most_corrections = 3;

/// MPI sends messages of up to so many bytes before anybody asks for them: all of a program's, as a rank of skel takes
/// them from MPI whenever it looks for any. SMPI's own default begins to send when the receiver asks, one after the
/// other.
constexpr std::size_t sent_at_once = std::size_t{1} << 20;

}  // namespace

trial::trial(grid_case const& of, grid_mesh const& mesh, trial_settings settings)
    : of_(of), mesh_(mesh), settings_(std::move(settings)) {
  choose();
}

void trial::choose() {
  skel::mapping::mesh_clusters_problem const problem(1);
  skel::mapping::mesh_clusters_request asked{
      .name = of_.name, .machine = &of_.figures, .app = &of_.app, .relays_from = skel::plan::relays_pay_from};
  for (std::size_t correction = 0; correction <= most_corrections; ++correction) {
    auto const ways = problem.candidates(asked, asked.counted ? 1 : 0, true);
    auto const best = std::ranges::min_element(
        ways, {}, [&](auto const& one) { return problem.price(asked, asked.counted ? 1 : 0, one); });
    if (correction > 0 && best->plan.clusters == chosen_) break;
    corrections_ = correction;
    chosen_ = best->plan.clusters;
    auto const fitted = mesh_cost::fit_surface(hosts_of(of_.figures, chosen_), parted(chosen_).figures);
    asked.counted =
        skel::mapping::mesh_surfaces{fitted.host, fitted.cluster > 0 ? fitted.cluster : of_.app.beta_cluster};
  }
}

skel::mapping::partition_choice const& trial::parted(cluster_set const& on) {
  if (auto const found = partitions_.find(on); found != partitions_.end()) return found->second;
  auto const hosts = hosts_of(of_.figures, on);
  if (hosts.parts() > mesh_.graph.cells())
    throw skel::error(fmt::format("{} hosts are more than the {} cells of {}; take a larger mesh (--width)",
                                  hosts.parts(), mesh_.graph.cells(), mesh_.name));
  skel::mapping::partition_settings with;
  with.iterations = settings_.lasts;
  return partitions_
      .emplace(on, skel::mapping::choose_partition({.graph = &mesh_.graph, .weights = {}, .centres = mesh_.centres},
                                                   hosts, with))
      .first->second;
}

mesh_cost::part_hosts trial::hosts_of(skel::platform::description const& machine, cluster_set const& on) const {
  return mesh_cost::hosts_of_parts(machine, of_.app, mesh_cost::all_hosts(machine, on));
}

predictions trial::predict(cluster_set const& on, bool as_written) {
  auto const& machine = as_written ? of_.machine : of_.figures;
  return {.paper = mesh_cost::seconds_of(mesh_cost::program(machine, of_.app), on),
          .counted = mesh_cost::time_of(hosts_of(machine, on), parted(on).figures)};
}

double trial::least_inner(cluster_set const& on) {
  auto const& counted = parted(on).figures;
  double least = 1;
  for (std::size_t p = 0; p < counted.cells.size(); ++p)
    least = std::min(least, static_cast<double>(counted.inner[p]) / static_cast<double>(counted.cells[p]));
  return least;
}

std::vector<variant_times> trial::run(cluster_set const& on, std::vector<mesh_variant> variants) {
  return run(on, parted(on).best.part_of, std::move(variants));
}

std::vector<compared_partition> trial::compare_partitions(cluster_set const& on, mesh_variant variant) {
  auto const hosts = hosts_of(of_.figures, on);
  auto const problem =
      skel::mapping::problem_of({.graph = &mesh_.graph, .weights = {}, .centres = mesh_.centres}, hosts);
  constexpr double tolerance = 0.03;
  std::vector<compared_partition> out;
  for (auto const& method : skel::mapping::partition_methods()) {
    if (method.between_clusters && on.size() == 1) continue;
    auto& row = out.emplace_back(compared_partition{.method = method.name});
    try {
      skel::plan::partition const made{hosts.parts(), method.parts_of(problem, tolerance), method.name};
      row.fault = skel::mapping::why_broken(problem, made.part_of);
      if (!row.fault.empty()) continue;
      auto const figures = skel::plan::figures_of(mesh_.graph, made, {hosts.phases, {}}, hosts.cluster_of);
      row.counted = mesh_cost::time_of(hosts, figures).seconds;
      row.simulated = run(on, made.part_of, {variant}).front().iteration;
    } catch (skel::error const& refused) {
      row.fault = refused.what();
    }
  }
  auto const& chosen = parted(on);
  out.push_back({.method = "skel: " + chosen.candidates.front().method,
                 .counted = chosen.time.seconds,
                 .simulated = run(on, {variant}).front().iteration});
  return out;
}

std::vector<variant_times> trial::run(cluster_set const& on, std::vector<std::uint32_t> const& rank_of,
                                      std::vector<mesh_variant> variants) {
  auto const machine = part_of(of_.machine, on);
  mesh_job job{.updates = of_.app.updates,
               .allreduces = of_.app.allreduces,
               .bytes = static_cast<std::size_t>(of_.app.face_bytes),
               .iterations = settings_.iterations,
               .variants = std::move(variants)};
  for (std::size_t host = 0; host < machine.host_count(); ++host) job.cluster_of.push_back(machine.cluster_of(host));
  for (auto const& one : of_.app.phases) {
    simulated_phase phase{one.name, one.overlaps_update, {}};
    for (auto const& cluster : machine.clusters()) phase.seconds.push_back(one.seconds_per_element.at(cluster.name));
    job.phases.push_back(std::move(phase));
  }
  simulated_machine const simulated(machine);
  simulated.write("platform.xml", platform_with_uplinks(machine));
  simulated.write("mesh", to_bytes(mesh_.faces, rank_of));
  simulated.write("job.json", to_json(job));
  std::vector<std::string> settings{"contexts/stack-size:1024",  // KiB for each rank
                                    fmt::format("smpi/async-small-thresh:{}", sent_at_once),
                                    fmt::format("smpi/send-is-detached-thresh:{}", sent_at_once)};
  settings.insert(settings.end(), settings_.simulator.begin(), settings_.simulator.end());
  constexpr std::string_view mark = "times ";
  std::string result, problem;
  auto const end =
      simulated.run(SKEL_MESH_SIMULATED, "job.json", settings, settings_.time_limit, [&](std::string const& line) {
        if (line.starts_with(mark))
          result = line.substr(mark.size());
        else
          problem += line + '\n';
      });
  if (!end.in_time)
    throw skel::error(fmt::format("{}: the simulation of {} ranks did not end in {:g} s; give it --time-limit",
                                  of_.name, machine.host_count(), settings_.time_limit.count()));
  if (!end.succeeded || result.empty())
    throw skel::error(
        fmt::format("{}: the simulation of {} ranks failed: {}{}", of_.name, machine.host_count(), problem, end.said));
  return parse_variant_times(result);
}

}  // namespace bench
