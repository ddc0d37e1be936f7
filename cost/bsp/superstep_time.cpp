#include <skel/detail/cost/bsp/superstep_time.hpp>

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <unordered_map>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>

namespace skel::cost::bsp {

namespace {

/// Rounds in which something doubles from one to `many`.
double rounds(std::size_t many) {
  return many < 2 ? 0 : static_cast<double>(std::bit_width(many - 1));
}

/// The first host of each cluster. O(clusters).
std::vector<std::size_t> first_hosts(platform::description const& hosts) {
  std::vector<std::size_t> first;
  std::size_t next = 0;
  for (auto const& one : hosts.clusters()) first.push_back(next), next += one.hosts;
  return first;
}

/// Hosts of each cluster that have processes.
std::vector<std::size_t> used_hosts(machine const& grid, std::span<std::size_t const> hosts) {
  std::vector<bool> used(grid.hosts.host_count());
  std::vector<std::size_t> many(grid.hosts.clusters().size());
  for (auto const h : hosts)
    if (!used[h]) used[h] = true, ++many[grid.hosts.cluster_of(h)];
  return many;
}

}  // namespace

void require_connected(platform::description const& hosts) {
  auto const& clusters = hosts.clusters();
  auto const first = first_hosts(hosts);
  for (std::size_t a = 0; a < clusters.size(); ++a)
    for (std::size_t b = 0; b < clusters.size(); ++b)
      if (a != b && !hosts.connected(first[a], first[b]))
        throw error("there is no link from cluster '" + clusters[a].name + "' to cluster '" + clusters[b].name +
                    "'; processes of a BSP program may be anywhere, so every two clusters need one");
}

std::vector<double> host_times(machine const& grid, record::superstep const& step) {
  return host_times(grid, step, step.load.work);
}

std::vector<double> host_times(machine const& grid, record::superstep const& step, std::span<double const> work) {
  std::vector<double> times(grid.hosts.host_count());
  for (std::size_t p = 0; p < step.hosts.size(); ++p) times[step.hosts[p]] += work[p];
  for (std::size_t h = 0; h < times.size(); ++h)
    if (times[h] > 0) times[h] /= grid.speed(h, step.external_load);
  return times;
}

std::vector<double> process_times(machine const& grid, record::superstep const& step) {
  auto const& work = step.load.work;
  std::vector<std::size_t> order(work.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t p) { return std::pair(work[p], p); });
  std::vector<std::size_t> active(grid.hosts.host_count());
  for (std::size_t p = 0; p < work.size(); ++p)
    if (work[p] > 0) ++active[step.hosts[p]];
  std::vector<double> done(active.size()), times(work.size());  // work of processes that have less
  for (auto const p : order) {
    if (!(work[p] > 0)) continue;
    auto const h = step.hosts[p];
    times[p] = (done[h] + work[p] * static_cast<double>(active[h])) / grid.speed(h, step.external_load);
    done[h] += work[p], --active[h];
  }
  return times;
}

std::vector<double> message_times(machine const& grid, std::span<record::bsp_message const> messages,
                                  std::span<std::size_t const> hosts) {
  std::size_t const many = grid.hosts.host_count();
  std::unordered_map<std::size_t, messages_together> pairs;
  for (auto const& one : messages) {
    auto& all = pairs[hosts[one.from] * many + hosts[one.to]];
    all.bytes += one.bytes, ++all.messages;
  }
  std::vector<double> sent(many), got(many);
  for (auto const& [pair, all] : pairs) {
    double const time = all.time(grid.hosts.path(pair / many, pair % many));
    sent[pair / many] += time, got[pair % many] += time;
  }
  for (std::size_t h = 0; h < many; ++h) sent[h] = std::max(sent[h], got[h]);
  return sent;
}

std::vector<double> volume_times(machine const& grid, std::span<record::bsp_message const> messages,
                                 std::span<std::size_t const> hosts) {
  std::vector<double> sent(grid.hosts.host_count()), got(sent.size());
  if (!grid.beta) return sent;
  for (auto const& one : messages) {
    if (hosts[one.from] == hosts[one.to]) continue;
    sent[hosts[one.from]] += one.bytes, got[hosts[one.to]] += one.bytes;
  }
  for (std::size_t h = 0; h < sent.size(); ++h) sent[h] = *grid.beta * std::max(sent[h], got[h]);
  return sent;
}

double barrier_time(machine const& grid, std::span<std::size_t const> hosts) {
  auto const many = used_hosts(grid, hosts);
  auto const& clusters = grid.hosts.clusters();
  auto const first = first_hosts(grid.hosts);
  double inside = 0, between = 0;
  std::size_t sets = 0;
  for (std::size_t a = 0; a < many.size(); ++a) {
    if (many[a] == 0) continue;
    ++sets;
    inside = std::max(inside, rounds(many[a]) * clusters[a].inside.latency);
    for (std::size_t b = 0; b < many.size(); ++b)
      if (many[b] > 0 && a != b) between = std::max(between, grid.hosts.path(first[a], first[b]).latency);
  }
  return 2 * inside + rounds(sets) * between;
}

superstep_time time_of(machine const& grid, record::superstep const& step) {
  SKEL_EXPECTS(step.load.work.size() == step.hosts.size());
  if (grid.beta) {
    auto const work = host_times(grid, step), volume = volume_times(grid, step.load.messages, step.hosts);
    superstep_time slowest{.barrier = barrier_time(grid, step.hosts)};
    for (std::size_t h = 0; h < work.size(); ++h)
      if (work[h] + volume[h] > slowest.computation + slowest.communication)
        slowest.computation = work[h], slowest.communication = volume[h];
    return slowest;
  }
  auto const messages = message_times(grid, step.load.messages, step.hosts);
  return {.computation = std::ranges::max(host_times(grid, step)),
          .communication = std::ranges::max(messages),
          .barrier = barrier_time(grid, step.hosts)};
}

double least_slowest(std::span<double const> work, std::span<double const> speeds) {
  SKEL_EXPECTS(!speeds.empty());
  if (work.empty()) return 0;
  return std::max(std::accumulate(work.begin(), work.end(), 0.0) / std::accumulate(speeds.begin(), speeds.end(), 0.0),
                  std::ranges::max(work) / std::ranges::max(speeds));
}

double imbalance(std::span<double const> host_times, std::span<std::size_t const> hosts) {
  std::vector<bool> used(host_times.size());
  for (auto const h : hosts) used[h] = true;
  double most = 0, sum = 0, many = 0;
  for (std::size_t h = 0; h < used.size(); ++h)
    if (used[h]) most = std::max(most, host_times[h]), sum += host_times[h], ++many;
  return sum > 0 ? most * many / sum - 1 : 0;
}

double migration_time(machine const& grid, std::span<migration const> moves) {
  if (moves.empty()) return 0;
  std::vector<double> leaving(grid.hosts.host_count()), coming(leaving.size());
  for (auto const& one : moves) {
    double const time = grid.fixed + grid.per_byte * one.bytes + grid.hosts.path(one.from, one.to).time(one.bytes);
    leaving[one.from] += time, coming[one.to] += time;
  }
  return std::max(std::ranges::max(leaving), std::ranges::max(coming));
}

double rescheduling_time(machine const& grid, std::span<std::size_t const> hosts) {
  auto const& clusters = grid.hosts.clusters();
  std::vector<double> processes(clusters.size());
  for (auto const h : hosts) processes[grid.hosts.cluster_of(h)] += 1;
  double inside = 0, between = 0;
  auto const managers = first_hosts(grid.hosts);
  for (std::size_t a = 0; a < clusters.size(); ++a) {
    inside = std::max(inside, clusters[a].inside.time(processes[a] * report_bytes));
    double told = 0;
    for (std::size_t b = 0; b < clusters.size(); ++b)
      if (a != b) told += grid.hosts.path(managers[a], managers[b]).time(processes[a] * report_bytes);
    between = std::max(between, told);
  }
  return 2 * inside + between;
}

double migration_messages(machine const& among) {
  std::vector<std::size_t> all(among.hosts.host_count());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return 2 * barrier_time(among, all);
}

}  // namespace skel::cost::bsp
