#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include <skel/detail/mapping/partition_problem.hpp>

namespace skel::mapping::partitioning {

/// Bisections in turn until each part is alone, where halves are of clusters first, then of the parts of each.
/// O(parts).
inline std::size_t levels_of(partition_problem const& of) {
  std::vector<std::size_t> parts(of.clusters(), 0);
  for (std::size_t p = 0; p < of.parts(); ++p) ++parts[of.cluster(p)];
  auto const halves = [](std::size_t count) { return static_cast<std::size_t>(std::bit_width(count - 1)); };
  return std::max<std::size_t>(1, halves(parts.size()) + halves(*std::ranges::max_element(parts)));
}

}  // namespace skel::mapping::partitioning
