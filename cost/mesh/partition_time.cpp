#include <skel/detail/cost/mesh/partition_time.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/platform/mesh_app_file.hpp>

namespace skel::cost::mesh {
namespace {

double surface_of(double elements) {
  double const edge = std::cbrt(elements);
  return edge * edge;
}

}  // namespace

std::vector<std::size_t> all_hosts(platform::description const& machine, std::span<std::size_t const> clusters) {
  std::vector<std::size_t> parts;
  for (auto const c : clusters) parts.insert(parts.end(), machine.clusters()[c].hosts, c);
  return parts;
}

part_hosts hosts_of_parts(platform::description const& machine, record::mesh_app const& app,
                          std::span<std::size_t const> cluster_of_part) {
  SKEL_EXPECTS(!cluster_of_part.empty());
  program const of(machine, app);  // has latencies, and checks coefficients
  part_hosts on{.phases = app.phases.size(),
                .seconds = {},
                .port = {},
                .most_cells = {},
                .cluster_of = {},
                .uplink = {},
                .updates = of.updates(),
                .allreduces = of.allreduces(),
                .asynchronous = of.asynchronous(),
                .equal = app.partition == record::mesh_shares::equal,
                .overlaps = {}};
  for (auto const& one : app.phases) on.overlaps.push_back(one.overlaps_update ? 1 : 0);
  auto const memory = platform::host_memory(machine);
  double const bytes = app.face_bytes / app.usable_bandwidth;
  std::vector<std::size_t> taken;
  for (auto const c : cluster_of_part) {
    SKEL_EXPECTS(c < machine.clusters().size());
    if (taken.empty() || taken.back() != c) {
      SKEL_EXPECTS(std::ranges::find(taken, c) == taken.end());
      taken.push_back(c);
      auto const& cluster = machine.clusters()[c];
      auto const parts = std::min(static_cast<std::size_t>(std::ranges::count(cluster_of_part, c)), cluster.hosts);
      double const leaving = std::min(cluster.leaving(), static_cast<double>(parts) * cluster.inside.bandwidth);
      on.uplink.push_back(bytes / leaving);
    }
    auto const& cluster = machine.clusters()[c];
    for (auto const& one : app.phases) on.seconds.push_back(one.seconds_per_element.at(cluster.name));
    on.port.push_back(bytes / cluster.inside.bandwidth);
    on.most_cells.push_back(app.bytes_per_element > 0 ? memory[c] / app.bytes_per_element
                                                      : std::numeric_limits<double>::infinity());
    on.cluster_of.push_back(taken.size() - 1);
  }
  for (std::size_t k = 0; k < taken.size(); ++k)
    for (std::size_t m = 0; m < k; ++m) on.latency = std::max(on.latency, of.latency(taken[k], taken[m]));
  return on;
}

iteration_time time_of(part_hosts const& on, plan::partition_figures const& counted) {
  SKEL_EXPECTS(counted.weights.size() == on.seconds.size() && counted.cluster_faces.size() <= on.clusters());
  iteration_time made;
  made.phases.resize(on.phases);
  double uplink = 0, port = 0;
  bool fits = true;
  for (std::size_t p = 0; p < on.parts(); ++p) {
    for (std::size_t j = 0; j < on.phases; ++j) {
      std::size_t const at = p * on.phases + j;
      made.phases[j] = std::max(made.phases[j], on.seconds[at] * counted.weights[at]);
    }
    port = std::max(port, on.port[p] * static_cast<double>(counted.faces[p]));
    fits = fits && static_cast<double>(counted.cells[p]) <= on.most_cells[p] * (1 + program::rounding);
  }
  for (std::size_t c = 0; c < counted.cluster_faces.size(); ++c)
    uplink = std::max(uplink, on.uplink[c] * static_cast<double>(counted.cluster_faces[c]));
  made.update = on.latency + uplink + port;
  made.all_reduce = on.latency;
  double const exchange = on.updates * made.update;
  made.communication = exchange + on.allreduces * on.latency;
  double computes = 0, overlaps = 0;
  for (std::size_t j = 0; j < on.phases; ++j) {
    computes += made.phases[j];
    if (on.overlaps[j] != 0) overlaps += made.phases[j];
  }
  if (on.asynchronous) made.hidden = std::min(overlaps, exchange);
  made.seconds = fits && std::isfinite(on.latency) ? computes + made.communication - made.hidden
                                                   : std::numeric_limits<double>::infinity();
  return made;
}

double least_seconds(part_hosts const& on, std::span<double const> all) {
  SKEL_EXPECTS(all.size() == on.phases);
  double waits_for_nothing = 0, overlaps = 0;
  for (std::size_t j = 0; j < on.phases; ++j) {
    double speed = 0;
    for (std::size_t p = 0; p < on.parts(); ++p) speed += 1 / on.seconds[p * on.phases + j];
    (on.overlaps[j] != 0 ? overlaps : waits_for_nothing) += all[j] / speed;
  }
  double const exchange = on.updates * on.latency;
  double const both = on.asynchronous ? std::max(overlaps, exchange) : overlaps + exchange;
  return waits_for_nothing + both + on.allreduces * on.latency;
}

surface_factors fit_surface(plan::partition_figures const& counted) {
  double cells = 0;
  for (auto const one : counted.cells) cells += static_cast<double>(one);
  auto const factor = [&](std::size_t faces, std::size_t among) {
    return faces == 0 ? 0 : static_cast<double>(faces) / surface_of(cells / static_cast<double>(among));
  };
  return {factor(counted.largest_faces(), counted.cells.size()),
          factor(counted.largest_cluster_faces(), counted.cluster_faces.size())};
}

}  // namespace skel::cost::mesh
