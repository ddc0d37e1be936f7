#include "copy_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <skel/detail/runtime/station/flow_control.hpp>

namespace skel {

mapping::copy_tree_request ranks_of_copies(plan::station_plan const& station, processor_map const& processors) {
  auto const& machine = processors.platform;
  auto const& rank_of = processors.rank_of;
  mapping::copy_tree_request asked{.capacity = station.capacity};
  std::vector<std::size_t> processor;
  for (auto const& [rank, copies] : runtime::flow_control::copy_ranks(station)) {
    processor.push_back(static_cast<std::size_t>(std::ranges::find(rank_of, rank) - rank_of.begin()));
    asked.ranks.push_back(processors.rank_names[static_cast<std::size_t>(rank)]);
  }
  for (std::size_t const a : processor)
    for (std::size_t const b : processor)
      asked.paths.push_back(machine.connected(a, b) && machine.connected(b, a)
                                ? machine.path(a, b)
                                : platform::link{std::numeric_limits<double>::infinity()});
  return asked;
}

void take_tree(plan::station_plan& station, mapping::copy_tree const& tree) {
  auto const ranks = runtime::flow_control::copy_ranks(station);
  station.ranks.clear();
  for (std::size_t const vertex : tree.order)
    station.ranks.insert(station.ranks.end(), ranks[vertex].second, ranks[vertex].first);
  station.parents = tree.parents;
}

}  // namespace skel
