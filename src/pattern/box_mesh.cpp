#include <skel/detail/pattern/made_meshes.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>

namespace skel {

namespace {

void check_box(std::array<std::size_t, 3> const& cells, std::array<double, 3> const& edges) {
  constexpr std::size_t most = std::size_t{1} << 31;
  std::size_t nodes = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    std::string const where = std::string("axis ") + "xyz"[d];
    if (cells[d] == 0) throw input_error("skel::box_of_tetrahedra", where, "has no cells; give at least 1");
    if (!(edges[d] > 0) || !std::isfinite(edges[d]))
      throw input_error("skel::box_of_tetrahedra", where, "has an edge that is not positive and finite");
    if (cells[d] >= most || nodes * (cells[d] + 1) > most)
      throw input_error("skel::box_of_tetrahedra", where, "the box would have more than 2147483648 nodes");
    nodes *= cells[d] + 1;
  }
}

/// The corners and the marked faces of a box, as they are made.
struct box_cells {
  std::vector<subscript> corners, faces;
  std::vector<std::uint32_t> face_sets;

  /// The face of the last tet that is opposite to one of its nodes, on side 0 to 5.
  void mark(std::size_t opposite, std::size_t side) {
    std::size_t const first = corners.size() - 4;
    for (std::uint8_t const place : face_corners(cell_kind::tet, opposite)) faces.push_back(corners[first + place]);
    face_sets.push_back(static_cast<std::uint32_t>(side + 1));
  }
};

}  // namespace

marked_mesh box_of_tetrahedra(std::array<std::size_t, 3> cells, std::array<double, 3> edges) {
  check_box(cells, edges);
  std::array<std::size_t, 3> const step{1, cells[0] + 1, (cells[0] + 1) * (cells[1] + 1)};
  std::size_t const nodes = step[2] * (cells[2] + 1), blocks = cells[0] * cells[1] * cells[2];

  node_positions where{3, {}};
  where.values.reserve(3 * nodes);
  auto const along = [&](std::size_t d, std::size_t k) {
    return k == cells[d] ? edges[d] : edges[d] * (static_cast<double>(k) / static_cast<double>(cells[d]));
  };
  for (std::size_t z = 0; z <= cells[2]; ++z)
    for (std::size_t y = 0; y <= cells[1]; ++y)
      for (std::size_t x = 0; x <= cells[0]; ++x)
        where.values.insert(where.values.end(), {along(0, x), along(1, y), along(2, z)});

  box_cells made;
  made.corners.reserve(24 * blocks);
  std::array<std::size_t, 3> at{};
  for (at[2] = 0; at[2] < cells[2]; ++at[2])
    for (at[1] = 0; at[1] < cells[1]; ++at[1])
      for (at[0] = 0; at[0] < cells[0]; ++at[0]) {
        // Each tet goes from the least corner to the greatest along the three axes, in one of their six orders.
        std::size_t const least = at[0] + at[1] * step[1] + at[2] * step[2];
        std::array<std::size_t, 3> way{0, 1, 2};
        do {
          std::size_t const second = least + step[way[0]], third = second + step[way[1]], last = third + step[way[2]];
          bool const even = (way[0] + 1) % 3 == way[1];  // an odd order turns the orientation
          for (std::size_t const node : {least, even ? second : third, even ? third : second, last})
            made.corners.push_back(static_cast<subscript>(node));
          if (at[way[2]] == 0) made.mark(3, 2 * way[2]);
          if (at[way[0]] + 1 == cells[way[0]]) made.mark(0, 2 * way[0] + 1);
        } while (std::next_permutation(way.begin(), way.end()));
      }

  mesh_marks marks;
  for (std::int32_t tag = 1; tag <= 6; ++tag) marks.sets.push_back({tag});
  marks.cell_sets.assign(6 * blocks, 1);
  marks.faces = mesh(nodes, cell_kind::triangle, std::move(made.faces));
  marks.face_sets = std::move(made.face_sets);
  marks.names = {{3, 1, "volume"}, {2, 1, "x-"}, {2, 2, "x+"}, {2, 3, "y-"}, {2, 4, "y+"}, {2, 5, "z-"}, {2, 6, "z+"}};
  return {mesh(nodes, cell_kind::tet, std::move(made.corners), std::move(where)), std::move(marks)};
}

mesh cube_of_tetrahedra(std::size_t cells_per_edge, double edge) {
  return box_of_tetrahedra({cells_per_edge, cells_per_edge, cells_per_edge}, {edge, edge, edge}).cells;
}

}  // namespace skel
