#include "periodic.hpp"

#include <algorithm>
#include <numeric>

#include <skel/detail/mapping/migration/host_memory.hpp>

namespace skel::mapping::migration {

namespace {

/// Of Charm++.
constexpr double overload = 1.05;

}  // namespace

std::vector<record::migration_candidate> greedy_refine::choose(record::superstep const& mean) {
  std::size_t const hosts = machine().hosts.host_count();
  auto const& work = mean.load.work;
  auto time = cost::bsp::host_times(machine(), mean);
  std::vector<double> speed(hosts);
  for (std::size_t h = 0; h < hosts; ++h) speed[h] = machine().speed(h, mean.external_load);
  double const threshold =
      overload * std::accumulate(work.begin(), work.end(), 0.0) / std::accumulate(speed.begin(), speed.end(), 0.0);
  std::vector<std::size_t> order;
  for (std::size_t p = 0; p < work.size(); ++p)
    if (!is_pinned(p) && work[p] > 0 && time[mean.hosts[p]] > threshold) order.push_back(p);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return work[a] > work[b]; });
  host_memory memory(machine(), mean);
  std::vector<record::migration_candidate> moves;
  for (auto const p : order) {
    std::size_t const from = mean.hosts[p];
    if (!(time[from] > threshold)) continue;
    std::size_t best = from;
    double first = time[from];
    for (std::size_t h = 0; h < hosts; ++h)
      if (double const done = time[h] + work[p] / speed[h]; h != from && done < first && memory.fits(h, p))
        best = h, first = done;
    if (best == from) continue;
    memory.move(p, best);
    moves.push_back({.process = p,
                     .from = from,
                     .to = best,
                     .t1 = time[from],
                     .t2 = first,
                     .accepted = true,
                     .why = "its host has more than the mean"});
    time[best] = first, time[from] -= work[p] / speed[from];
  }
  return moves;
}

}  // namespace skel::mapping::migration
