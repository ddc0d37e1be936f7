#include "bsp_machine.hpp"

#include <numeric>
#include <utility>

#include <skel/detail/machine/run_platform.hpp>

namespace skel {

bsp_machine make_bsp_machine(run_platform const& where, platform::description const& of_ranks,
                             std::vector<std::size_t> const& threads) {
  auto made = make_machine_of_ranks(where, of_ranks, threads, rank_sets::equally_fast);
  cost::bsp::require_connected(made.hosts);
  bsp_machine out{.machine = {},
                  .host_of_rank = std::move(made.host_of_rank),
                  .rank_of_host = std::move(made.rank_of_host),
                  .threads = std::move(made.threads)};
  out.machine.hosts = std::move(made.hosts);
  out.machine.memory = std::move(made.memory);
  out.machine.fixed = cost::bsp::migration_messages(out.machine);
  return out;
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
