#include <algorithm>
#include <map>

#include <skel/base/contract.hpp>
#include <skel/runtime/flow_control.hpp>

namespace skel::runtime::flow_control {

std::vector<std::pair<int, std::size_t>> sites(plan::station_plan const& station) {
  std::map<int, std::size_t> workers;
  for (int rank : station.ranks) ++workers[rank];
  return {workers.begin(), workers.end()};
}

std::size_t room(plan::station_plan const& consuming, std::size_t consumer, std::size_t producers,
                 std::size_t producer) {
  std::size_t const all = sites(consuming)[consumer].second * (1 + consuming.capacity);
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
    inside += plan.stations[s].ranks.size() * (1 + plan.stations[s].capacity);
  return plan.reorder_factor * inside + 1 + plan.stations[farm.exit].capacity;
}

std::size_t most_parcels(program const& line, plan::run_plan const& plan) {
  std::size_t total = 1;  // the batch that the source is filling
  for (std::size_t s = 0; s < plan.stations.size(); ++s) {
    std::size_t const producers = s == 0 ? 1 : sites(plan.stations[s - 1]).size();
    auto const consumers = sites(plan.stations[s]);
    for (std::size_t c = 0; c < consumers.size(); ++c)
      for (std::size_t p = 0; p < producers; ++p) total += room(plan.stations[s], c, producers, p);
    if (line.stations[s].replicable && !line.stations[s - 1].replicable) {
      region const farm = region_around(line, s);
      if (farm.ordered) total += window(plan, farm);
    }
  }
  return total;
}

}  // namespace skel::runtime::flow_control
