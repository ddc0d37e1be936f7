#include "bsp_machine.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <skel/detail/base/contract.hpp>

namespace skel {

namespace {

/// Bytes that the processes of each rank may have, infinite where nobody knows; nothing where that is so of all.
std::vector<double> memory_of_ranks(run_platform const& where) {
  auto const& machine = where.picture.machine();
  std::vector<std::size_t> ranks(machine.host_count());
  for (auto const host : where.host_of_rank) ++ranks[host];
  std::vector<double> memory;
  bool known = false;
  for (auto const host : where.host_of_rank) {
    double const measured = where.picture.host(host).memory,
                 bytes = machine.clusters()[machine.cluster_of(host)].memory.value_or(measured);
    known = known || bytes > 0;
    memory.push_back(bytes > 0 ? bytes / static_cast<double>(ranks[host]) : std::numeric_limits<double>::infinity());
  }
  return known ? memory : std::vector<double>();
}

/// The slower of both, in each figure.
platform::link slower(platform::link a, platform::link b) {
  return {std::max(a.latency, b.latency), std::min(a.bandwidth, b.bandwidth)};
}

/// The slowest path from the first of some ranks to others, and to the first of these from the rest: where there are
/// two hosts, one of these pairs is on both. Nothing where no pair is connected. O(ranks).
std::optional<platform::link> slowest_path(platform::description const& of_ranks, std::vector<std::size_t> const& from,
                                           std::vector<std::size_t> const& to) {
  std::optional<platform::link> out;
  auto const add = [&](std::size_t a, std::size_t b) {
    if (a == b || !of_ranks.connected(a, b)) return;
    auto const path = of_ranks.path(a, b);
    out = out ? slower(*out, path) : path;
  };
  for (auto const r : to) add(from.front(), r);
  for (auto const r : from) add(r, to.front());
  return out;
}

/// Sets of ranks, `members`, as a machine of clusters, with the paths of of_ranks. O(ranks sets).
platform::description connected(platform::description const& of_ranks, std::vector<platform::cluster> sets,
                                std::vector<std::vector<std::size_t>> const& members) {
  std::vector<platform::cluster_link> links;
  for (std::size_t a = 0; a < members.size(); ++a) {
    if (auto const path = slowest_path(of_ranks, members[a], members[a])) sets[a].inside = *path;
    for (std::size_t b = 0; b < members.size(); ++b) {
      if (a == b) continue;
      if (auto const path = slowest_path(of_ranks, members[a], members[b])) links.push_back({a, b, *path, {}});
    }
  }
  return {of_ranks.local_latency(), std::move(sets), std::move(links)};
}

}  // namespace

bsp_machine make_bsp_machine(run_platform const& where, platform::description const& of_ranks,
                             std::vector<std::size_t> const& threads) {
  SKEL_EXPECTS(threads.size() == where.host_of_rank.size() && of_ranks.host_count() == threads.size());
  std::map<std::pair<std::size_t, double>, std::vector<std::size_t>> sets;  // ranks, by cluster and speed
  for (std::size_t r = 0; r < threads.size(); ++r)
    sets[{where.picture.machine().cluster_of(where.host_of_rank[r]),
          of_ranks.speed(r) * static_cast<double>(threads[r])}]
        .push_back(r);
  std::vector<platform::cluster> clusters;
  std::vector<std::vector<std::size_t>> members;  // ranks of each set
  bsp_machine out;
  out.threads = threads;
  out.host_of_rank.resize(threads.size());
  for (auto const& [key, ranks] : sets) {
    platform::cluster one{.name = of_ranks.host_name(ranks.front()), .hosts = ranks.size(), .speed = key.second};
    if (ranks.size() > 1) one.name += " to " + of_ranks.host_name(ranks.back());
    clusters.push_back(std::move(one));
    members.push_back(ranks);
    for (auto const r : ranks) {
      out.host_of_rank[r] = out.rank_of_host.size();
      out.rank_of_host.push_back(static_cast<int>(r));
    }
  }
  out.machine.hosts = connected(of_ranks, std::move(clusters), members);
  cost::bsp::require_connected(out.machine.hosts);
  if (auto const memory = memory_of_ranks(where); !memory.empty())
    for (int const r : out.rank_of_host) out.machine.memory.push_back(memory[static_cast<std::size_t>(r)]);
  out.machine.fixed = migration_messages(out.machine);
  return out;
}

bsp_machine with_paths(bsp_machine machine, platform::description const& of_ranks) {
  auto sets = machine.machine.hosts.clusters();
  std::vector<std::vector<std::size_t>> members;
  for (std::size_t host = 0; auto const& one : sets) {
    auto& own = members.emplace_back();
    for (std::size_t k = 0; k < one.hosts; ++k) own.push_back(static_cast<std::size_t>(machine.rank_of_host[host++]));
  }
  machine.machine.hosts = connected(of_ranks, std::move(sets), members);
  return machine;
}

double migration_messages(cost::bsp::machine const& among) {
  std::vector<std::size_t> all(among.hosts.host_count());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return 2 * cost::bsp::barrier_time(among, all);
}

bsp_plan plan_on(bsp_machine const& where, std::vector<int> const& first_ranks) {
  auto const& hosts = where.machine.hosts;
  bsp_plan out;
  out.threads = where.threads;
  std::vector<std::size_t> all(where.threads.size()), first;
  std::iota(all.begin(), all.end(), std::size_t{0});
  out.processes_of.resize(all.size());
  for (int const rank : first_ranks) ++out.processes_of[static_cast<std::size_t>(rank)];
  for (std::size_t host = 0; auto const& one : hosts.clusters()) {
    bsp_set set{.name = one.name, .speed = one.speed};
    for (std::size_t i = 0; i < one.hosts; ++i) set.ranks.push_back(where.rank_of_host[host + i]);
    if (one.hosts > 1) set.gap = 1 / one.inside.bandwidth, set.latency = one.inside.latency;
    first.push_back(host);
    out.sets.push_back(std::move(set));
    host += one.hosts;
  }
  for (std::size_t a = 0; a < first.size(); ++a)
    for (std::size_t b = 0; b < first.size(); ++b) {
      if (a == b) continue;
      auto const path = hosts.path(first[a], first[b]);
      out.paths.push_back({a, b, 1 / path.bandwidth, path.latency});
    }
  out.barrier = cost::bsp::barrier_time(where.machine, all);
  out.migration = where.machine.fixed, out.migration_per_byte = where.machine.per_byte;
  return out;
}

}  // namespace skel
