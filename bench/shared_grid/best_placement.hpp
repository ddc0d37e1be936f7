#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "shared_grid/job.hpp"

namespace bench {

/// A placement and the frames per second that it does for good.
struct fixed_placement {
  station_ranks where;
  double rate = 0;
};

/// The best of all placements of the four stages on four hosts for what the grid is like after a disturbance of `host`:
/// each is simulated with it from the beginning. Source and sink are on host 0. Of those that differ in which of the
/// other hosts they use only, one. Without hosts that are to be left then. The first of those that are within a
/// thousandth of the best. `told`: how many of how many have been simulated.
fixed_placement best_placement(std::string const& scenario, std::size_t host, std::size_t frames,
                               std::function<void(std::size_t, std::size_t)> const& told);

}  // namespace bench
