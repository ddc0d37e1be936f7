#include "tetrahedra.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace bench {

using namespace skel;

mesh cube_of_tetrahedra(std::size_t width) {
  std::size_t const side = width + 1;
  node_positions where{3, {}};
  for (std::size_t z = 0; z < side; ++z)
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t x = 0; x < side; ++x)
        for (auto const at : {x, y, z}) where.values.push_back(static_cast<double>(at) / static_cast<double>(width));
  // From the first to the last corner along the axes, in each order of them.
  constexpr std::array<std::array<std::size_t, 3>, 6> orders{
      {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
  std::array<std::size_t, 3> const step{1, side, side * side};
  std::vector<subscript> corners;
  for (std::size_t z = 0; z < width; ++z)
    for (std::size_t y = 0; y < width; ++y)
      for (std::size_t x = 0; x < width; ++x)
        for (auto const& order : orders) {
          std::size_t node = x + side * (y + side * z);
          corners.push_back(static_cast<subscript>(node));
          for (auto const axis : order) corners.push_back(static_cast<subscript>(node += step[axis]));
        }
  return {side * side * side, cell_kind::tet, std::move(corners), std::move(where)};
}

plan::cell_graph joined_by_faces(mesh const& tetrahedra) {
  using face = std::pair<std::array<subscript, 3>, std::uint32_t>;  // nodes, rising, and the cell
  std::vector<face> faces;
  for (std::uint32_t c = 0; c < tetrahedra.cells(); ++c) {
    auto const nodes = tetrahedra.cell(c);
    for (std::size_t left = 0; left < 4; ++left) {
      std::array<subscript, 3> of{};
      for (std::size_t k = 0, at = 0; k < 4; ++k)
        if (k != left) of[at++] = nodes[k];
      std::ranges::sort(of);
      faces.emplace_back(of, c);
    }
  }
  std::ranges::sort(faces);
  std::vector<std::vector<std::uint32_t>> rows(tetrahedra.cells());
  for (std::size_t k = 1; k < faces.size(); ++k)
    if (faces[k].first == faces[k - 1].first) {
      rows[faces[k].second].push_back(faces[k - 1].second);
      rows[faces[k - 1].second].push_back(faces[k].second);
    }
  plan::cell_graph made{{0}, {}};
  for (auto const& row : rows) {
    made.neighbours.insert(made.neighbours.end(), row.begin(), row.end());
    made.offsets.push_back(made.neighbours.size());
  }
  return made;
}

std::vector<double> centres_of(mesh const& of) {
  std::vector<double> made;
  for (std::size_t c = 0; c < of.cells(); ++c) {
    std::array<double, 3> sum{};
    for (auto const node : of.cell(c))
      for (std::size_t d = 0; d < of.dimension(); ++d) sum[d] += of.point(static_cast<std::size_t>(node))[d];
    for (auto const one : sum) made.push_back(one / static_cast<double>(of.cell(c).size()));
  }
  return made;
}

}  // namespace bench
