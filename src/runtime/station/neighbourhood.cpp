#include "neighbourhood.hpp"

#include <algorithm>
#include <utility>

#include <skel/detail/runtime/station/flow_control.hpp>

#include "copy_group.hpp"

namespace skel::runtime {

namespace {

void take_from(neighbourhood& out, program const& line, plan::run_plan const& plan, std::size_t station) {
  for (auto const& [rank, workers] : flow_control::sites(flow_control::seen_by_neighbours(line, plan, station - 1)))
    out.producers.push_back(rank);
  out.in_order = !line.stations[station].replicable;
  if (!out.in_order || !line.stations[station - 1].replicable) return;
  auto const farm = flow_control::region_around(line, station - 1);
  out.in_order = farm.ordered;
  if (farm.ordered) out.entry = {static_cast<std::uint32_t>(farm.entry), plan.stations[farm.entry].ranks.front()};
}

outflow give_to(program const& line, plan::run_plan const& plan, std::size_t station, int rank) {
  auto const producers = flow_control::sites(flow_control::seen_by_neighbours(line, plan, station));
  auto const me = static_cast<std::size_t>(
      std::find_if(producers.begin(), producers.end(), [rank](auto const& p) { return p.first == rank; }) -
      producers.begin());
  bool const serial = !line.stations[station].replicable, into_farm = line.stations[station + 1].replicable;
  bool const into_exit = !serial && !into_farm && flow_control::region_around(line, station).ordered;
  auto const consuming = flow_control::seen_by_neighbours(line, plan, station + 1);
  auto const consumers = flow_control::sites(consuming);
  std::vector<outflow::outlet> outlets;
  for (std::size_t c = 0; c < consumers.size(); ++c) {
    outflow::outlet out;
    out.rank = consumers[c].first;
    out.workers = consumers[c].second;
    out.room = flow_control::room(consuming, c, producers.size(), me);
    out.unlimited = into_exit;
    outlets.push_back(out);
  }
  // Behind a station that folds pass other items, and fewer.
  outflow::listening how{false, !line.stations[station].folds};
  std::optional<std::size_t> window;
  if (serial && into_farm) {
    auto const farm = flow_control::region_around(line, station + 1);
    if (farm.ordered) {
      window = flow_control::window(plan, farm);
      how.to_exit = !line.stations[farm.exit - 1].folds;
    }
  }
  return {std::move(outlets), window, how};
}

}  // namespace

neighbourhood neighbourhood_of(program const& line, plan::run_plan const& plan, std::size_t station, int rank) {
  neighbourhood out;
  if (line.stations[station].copies) {
    if (auto const above = copy_group(plan.stations[station], rank).parent()) {
      out.producers = {*above};
      out.in_order = true;
      return out;
    }
  }
  if (station > 0) take_from(out, line, plan, station);
  if (station + 1 < line.size()) out.flow = give_to(line, plan, station, rank);
  return out;
}

}  // namespace skel::runtime
