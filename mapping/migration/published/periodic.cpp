#include "periodic.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <skel/detail/mapping/migration/host_memory.hpp>

namespace skel::mapping::migration {

std::optional<record::rescheduling> periodic::after(record::superstep const& step) {
  if (step.migration_fixed) machine_.fixed = *step.migration_fixed, machine_.per_byte = step.migration_per_byte;
  sum_.resize(step.load.work.size());
  for (std::size_t p = 0; p < sum_.size(); ++p) sum_[p] += step.load.work[p];
  if (++steps_ < alpha_) return std::nullopt;
  record::superstep mean = step;
  for (std::size_t p = 0; p < sum_.size(); ++p) mean.load.work[p] = sum_[p] / static_cast<double>(steps_);
  sum_.clear(), steps_ = 0;
  return finish_call(machine_, mean, choose(mean), apply_);
}

std::vector<record::migration_candidate> rotate::choose(record::superstep const& mean) {
  std::vector<std::size_t> free;
  for (std::size_t p = 0; p < mean.hosts.size(); ++p)
    if (!is_pinned(p)) free.push_back(p);
  std::vector<record::migration_candidate> moves;
  host_memory memory(machine(), mean);
  for (std::size_t k = 0; k < free.size(); ++k) {
    std::size_t const p = free[k], from = mean.hosts[p], to = mean.hosts[free[(k + 1) % free.size()]];
    if (from == to) continue;
    memory.move(p, to);
    moves.push_back({.process = p, .from = from, .to = to, .accepted = true, .why = "its turn"});
  }
  for (auto const& one : moves)  // all change places at once, or none
    if (!memory.is_kept(one.to)) return {};
  return moves;
}

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
      // Both have the same time when this much work has gone over. A host gives two thirds of it, a third of the
      // difference, because it has two neighbours and itself.
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
