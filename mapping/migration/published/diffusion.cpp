#include "periodic.hpp"

#include <algorithm>
#include <utility>

#include <skel/detail/mapping/migration/host_memory.hpp>

namespace skel::mapping::migration {

std::vector<record::migration_candidate> diffusion::choose(record::superstep const& mean) {
  std::size_t const hosts = machine().hosts.host_count();
  auto const& work = mean.load.work;
  auto const time = cost::bsp::host_times(machine(), mean);
  std::vector<std::vector<std::size_t>> here(hosts);
  for (std::size_t p = 0; p < work.size(); ++p)
    if (!is_pinned(p) && work[p] > 0) here[mean.hosts[p]].push_back(p);
  for (auto& all : here) std::ranges::stable_sort(all, [&](std::size_t a, std::size_t b) { return work[a] > work[b]; });
  host_memory memory(machine(), mean);
  std::vector<record::migration_candidate> moves;
  for (std::size_t from = 0; from < hosts; ++from) {
    for (std::size_t const to : {(from + 1) % hosts, (from + hosts - 1) % hosts}) {
      if (to == from || !(time[from] > time[to])) continue;
      // Both have the same time when this much work has gone over; two thirds of it, a third of the difference, as each
      // has two neighbours and itself.
      double const a = machine().speed(from, mean.external_load), b = machine().speed(to, mean.external_load);
      double left = (time[from] - time[to]) * a * b / (a + b) * 2 / 3;
      std::vector<std::size_t> stay;
      for (auto const p : here[from]) {
        if (work[p] > left || !memory.fits(to, p)) {
          stay.push_back(p);
          continue;
        }
        left -= work[p];
        memory.move(p, to);
        moves.push_back({.process = p,
                         .from = from,
                         .to = to,
                         .t1 = time[from],
                         .t2 = time[to],
                         .accepted = true,
                         .why = "its neighbour has less"});
      }
      here[from] = std::move(stay);
      if (hosts == 2) break;  // both neighbours are the same
    }
  }
  return moves;
}

}  // namespace skel::mapping::migration
