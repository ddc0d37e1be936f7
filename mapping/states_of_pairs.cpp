#include "states_of_pairs.hpp"

#include <algorithm>

#include <skel/detail/cost/line_bounds.hpp>

namespace skel::mapping {

double states_of_pairs(cost::line const& line) {
  double most = line.stations.size() == 1 ? cost::count_states(line) : 0;
  for (std::size_t i = 0; i + 2 <= line.stations.size(); ++i)
    most = std::max(most, cost::count_states(cost::sub_line(line, i, 2)));
  return most;
}

}  // namespace skel::mapping
