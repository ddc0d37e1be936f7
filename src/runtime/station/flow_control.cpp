#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/runtime/station/flow_control.hpp>

namespace skel::runtime::flow_control {

namespace {

/// For plans that were written by hand: too large a count stays the largest number.
std::size_t plus(std::size_t a, std::size_t b) {
  std::size_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::size_t>::max() : sum;
}
std::size_t times(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::size_t>::max() : product;
}

}  // namespace

std::vector<std::pair<int, std::size_t>> sites(plan::station_plan const& station) {
  std::map<int, std::size_t> workers;
  for (int rank : station.ranks) ++workers[rank];
  return {workers.begin(), workers.end()};
}

plan::station_plan seen_by_neighbours(program const& line, plan::run_plan const& plan, std::size_t station) {
  plan::station_plan seen = plan.stations[station];
  if (line.stations[station].copies) seen.ranks.resize(1);
  return seen;
}

std::vector<std::pair<int, std::size_t>> copy_ranks(plan::station_plan const& station) {
  std::vector<std::pair<int, std::size_t>> out;
  for (int rank : station.ranks) {
    auto const known = std::find_if(out.begin(), out.end(), [rank](auto const& r) { return r.first == rank; });
    if (known != out.end())
      ++known->second;
    else
      out.emplace_back(rank, 1);
  }
  return out;
}

plan::tree copy_tree(plan::station_plan const& station) {
  std::size_t const ranks = copy_ranks(station).size();
  auto const& parents = station.parents;
  if (parents.empty()) return plan::binomial_tree(ranks);
  if (parents.size() != ranks)
    throw error("its tree has " + std::to_string(parents.size()) + " vertices, its copies are on " +
                counted(ranks, "rank"));
  for (std::size_t v = 1; v < ranks; ++v) {
    std::size_t above = v - 1;  // v hangs on it or on something above it, or a branch would have a gap
    while (above != 0 && above != parents[v]) above = parents[above];
    if (above != parents[v])
      throw error("its tree is not numbered branch by branch: the parent of vertex " + std::to_string(v) + " is " +
                  std::to_string(parents[v]) + ", which is not vertex " + std::to_string(v - 1) + " or above it");
  }
  return plan::tree(parents, false);
}

std::size_t copy_window(plan::station_plan const& station) {
  plan::tree const tree = copy_tree(station);
  std::size_t deepest = 0;
  for (std::size_t v = 0; v < tree.size(); ++v) deepest = std::max(deepest, tree.depth(v));
  return plus(station.capacity, plan::copies_under_way(deepest));
}

std::size_t room(plan::station_plan const& consuming, std::size_t consumer, std::size_t producers,
                 std::size_t producer) {
  std::size_t const all = times(sites(consuming)[consumer].second, plus(consuming.capacity, 1));
  std::size_t const share = all / producers + (producer < all % producers ? 1 : 0);
  return std::max<std::size_t>(1, share);
}

region region_around(program const& line, std::size_t station) {
  SKEL_EXPECTS(line.stations[station].replicable);
  region found{station, station, true};
  while (line.stations[found.entry].replicable) --found.entry;
  while (line.stations[found.exit].replicable) ++found.exit;
  for (std::size_t s = found.entry + 1; s < found.exit; ++s)
    found.ordered = found.ordered && line.stations[s].notes.ordered;
  return found;
}

std::size_t window(plan::run_plan const& plan, region const& farm) {
  std::size_t inside = 0;
  for (std::size_t s = farm.entry + 1; s < farm.exit; ++s)
    inside = plus(inside, times(plan.stations[s].ranks.size(), plus(plan.stations[s].capacity, 1)));
  return plus(times(plan.reorder_factor, inside), plus(plan.stations[farm.exit].capacity, 1));
}

std::size_t most_places(program const& line, plan::run_plan const& plan) {
  std::size_t most = 1;
  for (std::size_t s = 0; s < line.size(); ++s) {
    if (!line.stations[s].copies) continue;
    std::size_t const ranks = copy_ranks(plan.stations[s]).size(), copies = plan.stations[s].ranks.size();
    most = std::max(most, ranks + copies + ranks - 1);
  }
  return 2 * most;
}

std::size_t most_parcels(program const& line, plan::run_plan const& plan) {
  std::size_t total = 1;  // the batch that the source is filling
  for (std::size_t s = 0; s < plan.stations.size(); ++s) {
    std::size_t const producers = s == 0 ? 1 : sites(seen_by_neighbours(line, plan, s - 1)).size();
    auto const consumer = seen_by_neighbours(line, plan, s);
    for (std::size_t c = 0; c < sites(consumer).size(); ++c)
      for (std::size_t p = 0; p < producers; ++p) total = plus(total, room(consumer, c, producers, p));
    if (line.stations[s].copies) {  // each rank has the batch, each copy and each branch of the tree a contribution
      std::size_t const ranks = copy_ranks(plan.stations[s]).size(), copies = plan.stations[s].ranks.size();
      total = plus(total, times(copy_window(plan.stations[s]), ranks + copies + ranks - 1));
    }
    if (line.stations[s].replicable && !line.stations[s - 1].replicable) {
      region const farm = region_around(line, s);
      if (farm.ordered) total = plus(total, window(plan, farm));
    }
  }
  return total;
}

}  // namespace skel::runtime::flow_control
