#include "edges_by_rows.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace bench::reductions {

skel::mesh edges_by_rows(skel::mesh const& of) {
  skel::mesh const edges = edges_of(of);
  std::vector<std::pair<skel::subscript, skel::subscript>> rows(edges.cells());
  for (std::size_t e = 0; e < edges.cells(); ++e) rows[e] = std::minmax({edges.cell(e)[0], edges.cell(e)[1]});
  std::sort(rows.begin(), rows.end());
  std::vector<skel::subscript> ends;
  ends.reserve(2 * rows.size());
  for (auto const& row : rows) ends.insert(ends.end(), {row.first, row.second});
  return {edges.nodes(), skel::cell_kind::line, std::move(ends), edges.where()};
}

}  // namespace bench::reductions
