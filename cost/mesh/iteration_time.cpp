#include <skel/detail/cost/mesh/iteration_time.hpp>

#include <algorithm>
#include <numeric>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/platform/mesh_app_file.hpp>

namespace skel::cost::mesh {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Elements of a volume to those of its surface, but for a factor: n^(2/3).
double surface(double elements) {
  double const edge = std::cbrt(elements);
  return edge * edge;
}

double coefficient(record::mesh_phase const& phase, std::string const& cluster) {
  auto const found = phase.seconds_per_element.find(cluster);
  if (found == phase.seconds_per_element.end())
    throw error("phase '" + phase.name + "' has no seconds per element for cluster '" + cluster +
                "'; measure it there, or leave the cluster out");
  return found->second;
}

/// The longer one of both directions, by pairs of clusters.
std::vector<double> round_trips(platform::description const& machine) {
  std::size_t const n = machine.clusters().size();
  std::vector<double> there(n * n, infinity);
  for (std::size_t c = 0; c < n; ++c) there[c * n + c] = 0;
  for (auto const& one : machine.links()) there[one.from * n + one.to] = one.path.latency;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b)
      there[a * n + b] = there[b * n + a] = std::max(there[a * n + b], there[b * n + a]);
  return there;
}

struct together {
  sums of;
  std::vector<double> worst;
  double latency = 0;
};

/// Takes so many hosts of each of the clusters together; all of them if `hosts` is empty.
together of_clusters(program const& of, std::span<std::size_t const> clusters,
                     std::span<std::size_t const> hosts = {}) {
  SKEL_EXPECTS(!clusters.empty() && (hosts.empty() || hosts.size() == clusters.size()));
  std::size_t const uplink = of.phases();
  together all{.of = {}, .worst = std::vector<double>(of.criteria()), .latency = 0};
  for (std::size_t k = 0; k < clusters.size(); ++k) {
    auto const c = clusters[k];
    all.of.weight += hosts.empty() ? of.weight(c) : of.weight_of(c, hosts[k]);
    all.of.hosts += hosts.empty() ? of.hosts(c) : static_cast<double>(hosts[k]);
    ++all.of.clusters;
    auto const row = of.row(c);
    for (std::size_t j = 0; j < row.size(); ++j)
      all.worst[j] = std::max(all.worst[j], j == uplink && !hosts.empty() ? of.uplink(c, hosts[k]) : row[j]);
    auto const latencies = of.latencies(c);
    for (std::size_t m = 0; m < k; ++m) all.latency = std::max(all.latency, latencies[clusters[m]]);
  }
  return all;
}

double seconds_of(program const& of, together const& all) {
  return std::isfinite(all.latency) ? of.seconds(all.of, all.worst, all.latency) : infinity;
}

iteration_time time_of(program const& of, together const& all) {
  iteration_time made;
  double overlaps = 0;
  for (std::size_t j = 0; j < of.phases(); ++j) {
    made.phases.push_back(all.worst[j] * of.elements() / all.of.weight);
    if (of.overlaps(j)) overlaps += made.phases.back();
  }
  made.seconds = seconds_of(of, all);
  made.update = of.update(all.of, all.worst, all.latency);
  made.all_reduce = all.latency;
  double const exchange = of.updates() * made.update;
  made.communication = exchange + of.allreduces() * all.latency;
  if (of.asynchronous()) made.hidden = std::min(overlaps, exchange);
  return made;
}

}  // namespace

program::program(platform::description const& machine, record::mesh_app const& app)
    : elements_(app.elements),
      updates_(static_cast<double>(app.updates)),
      allreduces_(static_cast<double>(app.allreduces)),
      asynchronous_(app.mode == record::update_mode::asynchronous),
      latencies_(round_trips(machine)) {
  std::size_t const n = machine.clusters().size();
  bool const by_speed = app.partition == record::mesh_shares::by_speed;
  for (auto const& one : app.phases) overlaps_.push_back(one.overlaps_update ? 1 : 0);
  rows_.reserve(n * criteria()), weight_.reserve(n), hosts_.reserve(n);
  double const bytes = app.face_bytes * surface(app.elements) / app.usable_bandwidth;
  between_ = app.beta_cluster * bytes;
  auto const memory = platform::host_memory(machine);
  for (std::size_t c = 0; c < n; ++c) {
    auto const& cluster = machine.clusters()[c];
    auto const hosts = static_cast<double>(cluster.hosts);
    double alpha = 0;
    for (auto const& one : app.phases) alpha += coefficient(one, cluster.name);
    for (auto const& one : app.phases) rows_.push_back(coefficient(one, cluster.name) / (by_speed ? alpha : 1));
    leaving_.push_back(cluster.leaving()), port_.push_back(cluster.inside.bandwidth);
    rows_.push_back(uplink(c, cluster.hosts));
    rows_.push_back(app.beta_host * bytes / cluster.inside.bandwidth);
    rows_.push_back(app.elements * app.bytes_per_element / (memory[c] * (by_speed ? alpha : 1)));
    weight_.push_back(by_speed ? hosts / alpha : hosts);
    hosts_.push_back(hosts);
    auto const price = app.price_per_hour.find(cluster.name);
    price_.push_back(price == app.price_per_hour.end() ? 0 : price->second);
  }
  of_clusters_.push_back(0);
  for (std::size_t k = 1; k <= n; ++k) of_clusters_.push_back(1 / surface(static_cast<double>(k)));
}

double seconds_of(program const& of, std::span<std::size_t const> clusters) {
  return seconds_of(of, of_clusters(of, clusters));
}

double seconds_of(program const& of, std::span<std::size_t const> clusters, std::span<std::size_t const> hosts) {
  return seconds_of(of, of_clusters(of, clusters, hosts));
}

iteration_time time_of(program const& of, std::span<std::size_t const> clusters) {
  return time_of(of, of_clusters(of, clusters));
}

iteration_time time_of(program const& of, std::span<std::size_t const> clusters, std::span<std::size_t const> hosts) {
  return time_of(of, of_clusters(of, clusters, hosts));
}

std::string why_nothing_fits(program const& of, platform::description const& machine, record::mesh_app const& app) {
  std::size_t const memory = of.phases() + 2;
  std::vector<std::size_t> order(of.clusters());
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto const need = [&](std::size_t c) { return of.row(c)[memory]; };
  std::ranges::stable_sort(order, {}, need);
  sums all;
  double most = 0;  // part of the mesh that fits on some clusters, whatever links they have
  std::size_t last = order.front();
  for (auto const c : order) {
    all.weight += of.weight(c);
    if (double const part = all.weight / need(c); part > most) most = part, last = c;
  }
  if (most * (1 + program::rounding) >= 1)
    return "memory: the mesh takes " + shown(app.elements * app.bytes_per_element) +
           " B (\"elements\" x \"bytes_per_element\"), and clusters that together have that have no links to each "
           "other; "
           "add links to the platform, or memory";
  return "memory: the mesh takes " + shown(app.elements * app.bytes_per_element) +
         " B (\"elements\" x \"bytes_per_element\"), and no clusters have room for more than " + shown(100 * most) +
         " % of it, as a host of cluster '" + machine.clusters()[last].name + "' has " +
         shown(platform::host_memory(machine)[last]) + " B; add hosts or memory, or take a smaller mesh";
}

}  // namespace skel::cost::mesh
