#include <skel/detail/cost/mesh/partition_time.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/platform/mesh_app_file.hpp>
#include <skel/detail/platform/model_parameters.hpp>

namespace skel::cost::mesh {
namespace {

double surface_of(double elements) {
  double const edge = std::cbrt(elements);
  return edge * edge;
}

/// Paths from each of these clusters to each, in rows. A missing link, in either direction, is a path that nothing
/// passes.
std::vector<message_path> paths_between(platform::description const& machine, std::span<std::size_t const> taken,
                                        double usable) {
  constexpr platform::link none{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  std::size_t const n = taken.size();
  std::vector<message_path> paths(n * n, message_path(none, usable));
  std::vector<std::size_t> place(machine.clusters().size(), n);
  auto const where = [](std::string const& what, std::size_t k) { return what + "[" + std::to_string(k) + "]"; };
  for (std::size_t k = 0; k < n; ++k) {
    auto const& one = machine.clusters()[taken[k]];
    place[taken[k]] = k;
    paths[k * n + k] = {one.inside, usable,
                        platform::read_plogp(one.parameters, "platform", where("clusters", taken[k]))};
  }
  for (std::size_t k = 0; k < machine.links().size(); ++k) {
    auto const& one = machine.links()[k];
    if (place[one.from] == n || place[one.to] == n) continue;
    paths[place[one.from] * n + place[one.to]] = {one.path, usable,
                                                  platform::read_plogp(one.parameters, "platform", where("links", k))};
  }
  return paths;
}

/// The longest latency of the shortest tree that joins all clusters. If the mesh is connected, messages of an update
/// cross one that is as long, in both directions.
double least_wait(part_hosts const& on, std::vector<std::size_t> const& parts) {
  std::size_t const n = on.clusters();
  if (n == 1) return parts[0] > 1 ? on.paths[0].least_latency() : 0;
  std::vector<double> way(n, std::numeric_limits<double>::infinity());  // of each cluster to those that are joined
  std::vector<char> joined(n, 0);
  way[0] = 0;
  double longest = 0;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t next = n;
    for (std::size_t c = 0; c < n; ++c)
      if (joined[c] == 0 && (next == n || way[c] < way[next])) next = c;
    joined[next] = 1;
    longest = std::max(longest, way[next]);
    for (std::size_t c = 0; c < n; ++c)
      if (joined[c] == 0)
        way[c] = std::min(way[c], std::max(on.path(next, c).least_latency(), on.path(c, next).least_latency()));
  }
  return longest;
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
  part_hosts on;
  on.phases = app.phases.size();
  on.bytes = app.face_bytes;
  on.updates = of.updates(), on.allreduces = of.allreduces();
  on.asynchronous = of.asynchronous(), on.equal = app.partition == record::mesh_shares::equal;
  for (auto const& one : app.phases) on.overlaps.push_back(one.overlaps_update ? 1 : 0);
  auto const memory = platform::host_memory(machine);
  std::vector<std::size_t> taken, parts;
  for (auto const c : cluster_of_part) {
    SKEL_EXPECTS(c < machine.clusters().size());
    if (taken.empty() || taken.back() != c) {
      SKEL_EXPECTS(std::ranges::find(taken, c) == taken.end());
      taken.push_back(c), parts.push_back(0);
    }
    auto const& cluster = machine.clusters()[c];
    for (auto const& one : app.phases) on.seconds.push_back(one.seconds_per_element.at(cluster.name));
    on.most_cells.push_back(app.bytes_per_element > 0 ? memory[c] / app.bytes_per_element
                                                      : std::numeric_limits<double>::infinity());
    on.cluster_of.push_back(taken.size() - 1);
    ++parts.back();
  }
  on.paths = paths_between(machine, taken, app.usable_bandwidth);
  for (std::size_t k = 0; k < taken.size(); ++k) {
    auto const& cluster = machine.clusters()[taken[k]];
    double const hosts = static_cast<double>(std::min(parts[k], cluster.hosts)), u = app.usable_bandwidth,
                 leaving = std::min(cluster.leaving(), hosts * cluster.inside.bandwidth);
    on.port.push_back(app.face_bytes / (u * cluster.inside.bandwidth));
    on.uplink.push_back(app.face_bytes / (u * leaving));
    double usable = 1;
    for (std::size_t m = 0; m < taken.size(); ++m)
      if (m != k) usable = std::min(usable, on.paths[k * taken.size() + m].usable());
    on.leaving.push_back(usable * leaving);
    for (std::size_t m = 0; m < k; ++m) on.latency = std::max(on.latency, of.latency(taken[k], taken[m]));
  }
  if (std::isfinite(on.latency)) {
    on.least_latency = least_wait(on, parts);
    on.all_reduce = all_reduce_time(on.paths, parts);
  }
  return on;
}

double update_time::last() const {
  return *std::ranges::max_element(comes);
}

update_time update_of(part_hosts const& on, plan::partition_figures const& counted) {
  std::size_t const n = on.parts();
  update_time made{std::vector<double>(n), std::vector<double>(on.clusters()), std::vector<double>(n)};
  std::vector<double> arrives(n), leaves(on.clusters()), enters(on.clusters());
  auto const for_messages = [&](auto const& use) {
    for (std::size_t from = 0; from < n; ++from)
      for (auto const& one : counted.neighbours[from]) use(from, one.part, on.bytes * static_cast<double>(one.sends));
  };
  for_messages([&](std::size_t from, std::size_t to, double bytes) {
    std::size_t const a = on.cluster_of[from], b = on.cluster_of[to];
    made.port[from] += on.path(a, a).gap(bytes);
    arrives[to] += on.path(b, b).gap(bytes);
    if (a != b) leaves[a] += bytes, enters[b] += bytes;
  });
  for (std::size_t p = 0; p < n; ++p) made.port[p] = std::max(made.port[p], arrives[p]);
  for (std::size_t c = 0; c < on.clusters(); ++c) made.uplink[c] = std::max(leaves[c], enters[c]) / on.leaving[c];
  for_messages([&](std::size_t from, std::size_t to, double bytes) {
    std::size_t const a = on.cluster_of[from], b = on.cluster_of[to];
    auto const& path = on.path(a, b);
    double passes = std::max(made.port[from], made.port[to]);
    if (a != b) passes = std::max({passes, path.gap(bytes), made.uplink[a], made.uplink[b]});
    made.comes[to] = std::max(made.comes[to], path.latency(bytes) + passes);
  });
  return made;
}

iteration_time time_of(part_hosts const& on, plan::partition_figures const& counted) {
  SKEL_EXPECTS(counted.weights.size() == on.seconds.size() && counted.cluster_faces.size() <= on.clusters());
  iteration_time made;
  made.phases.resize(on.phases);
  auto const update = update_of(on, counted);
  double is_seen = 0;  // of updates
  bool fits = true;
  for (std::size_t p = 0; p < on.parts(); ++p) {
    double behind = 0;
    for (std::size_t j = 0; j < on.phases; ++j) {
      std::size_t const at = p * on.phases + j;
      double const seconds = on.seconds[at] * counted.weights[at];
      made.phases[j] = std::max(made.phases[j], seconds);
      if (on.asynchronous && on.overlaps[j] != 0) behind += seconds;
    }
    if (behind > 0) behind *= static_cast<double>(counted.inner[p]) / static_cast<double>(counted.cells[p]);
    is_seen = std::max(is_seen, on.updates * update.comes[p] - behind);
    fits = fits && static_cast<double>(counted.cells[p]) <= on.most_cells[p] * (1 + program::rounding);
  }
  double const exchange = on.updates * update.last();
  made.update = update.last() + on.wait;
  made.all_reduce = on.all_reduce + on.wait;
  made.communication = on.updates * made.update + on.allreduces * made.all_reduce;
  made.hidden = exchange - is_seen;
  double computes = 0;
  for (auto const one : made.phases) computes += one;
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
  double const exchange = on.updates * on.least_latency;
  double const both = on.asynchronous ? std::max(overlaps, exchange) : overlaps + exchange;
  return waits_for_nothing + both + on.allreduces * on.all_reduce + (on.updates + on.allreduces) * on.wait;
}

surface_factors fit_surface(part_hosts const& on, plan::partition_figures const& counted) {
  auto const update = update_of(on, counted);
  double cells = 0;
  for (auto const one : counted.cells) cells += static_cast<double>(one);
  auto const largest = [&](std::vector<double> const& seconds, double beyond, auto const& of_face) {
    double most = 0;
    for (std::size_t k = 0; k < seconds.size(); ++k)
      if (double const face = of_face(k); face > 0) most = std::max(most, (seconds[k] - beyond) / face);
    return most / surface_of(cells / static_cast<double>(seconds.size()));
  };
  double const port = *std::ranges::max_element(update.port);
  return {largest(update.port, 0, [&](std::size_t p) { return on.port[on.cluster_of[p]]; }),
          largest(update.uplink, port, [&](std::size_t c) { return on.uplink[c]; })};
}

}  // namespace skel::cost::mesh
