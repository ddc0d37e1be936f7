#pragma once

#include <cstddef>
#include <vector>

#include "kernels/tiles.hpp"

namespace kernels {

/// The first hosts of tiles. A tile begins on the host whose block of the grid has its middle. The blocks, one for each
/// host, are those of the kernels' own MPI programs.
inline std::vector<std::size_t> hosts_of_blocks(long side, tiling const& tiles, std::size_t hosts) {
  tiling const blocks = nearly_square(hosts);
  std::vector<std::size_t> all;
  for (std::size_t t = 0; t < tiles.count(); ++t) {
    range const x = part_of(side, tiles.columns, tiles.column(t)), y = part_of(side, tiles.rows, tiles.row(t));
    all.push_back(blocks.tile(part_with(side, blocks.columns, (x.begin + x.end) / 2),
                              part_with(side, blocks.rows, (y.begin + y.end) / 2)));
  }
  return all;
}

}  // namespace kernels
