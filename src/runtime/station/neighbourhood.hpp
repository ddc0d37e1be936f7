#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/runtime/line/program.hpp>

#include "flow.hpp"

namespace skel::runtime {

/// What a plan says of one station on one rank and those around it.
struct neighbourhood {
  std::vector<int> producers;  ///< ranks that it takes parcels from
  bool in_order = false;       ///< it takes them by their places in the stream
  /// Where it stands behind an ordered farm: the farm's entry, which is told when a parcel has left.
  struct place {
    std::uint32_t station = 0;
    int rank = 0;
  };
  std::optional<place> entry;
  outflow flow;  ///< to the next station
};

/// Of a broadcast stage the root of its tree has the neighbours, the other ranks have those above them in the tree.
neighbourhood neighbourhood_of(program const& line, plan::run_plan const& plan, std::size_t station, int rank);

}  // namespace skel::runtime
