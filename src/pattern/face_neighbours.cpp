#include <skel/detail/pattern/face_neighbours.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>

#include "face_nodes.hpp"

namespace skel {

namespace {

[[noreturn]] void refuse_neighbours(std::size_t cell, std::string reason) {
  throw input_error("skel::neighbours_by_faces", "cell " + std::to_string(cell), std::move(reason));
}

using skeletons::face_nodes;
using skeletons::nodes_of_face;

bool is_surface(cell_kind kind) {
  return kind == cell_kind::triangle || kind == cell_kind::quad || kind == cell_kind::polygon;
}

/// The index of the first face of each cell, after a look at the kinds of cells.
std::vector<std::size_t> places_of_faces(mesh const& of) {
  if (of.cells() >= face_neighbours::none)
    throw input_error("skel::neighbours_by_faces", "",
                      std::to_string(of.cells()) + " cells are more than the 4294967294 whose neighbours are numbered");
  std::vector<std::size_t> offsets{0};
  offsets.reserve(of.cells() + 1);
  for (std::size_t c = 0; c < of.cells(); ++c) {
    if (of.kind(c) == cell_kind::line)
      refuse_neighbours(c, "lines have no faces; give a mesh of surfaces or of volumes");
    if (is_surface(of.kind(c)) != is_surface(of.kind(0)))
      refuse_neighbours(c, "is a " + std::string(name_of(of.kind(c))) + ", cell 0 a " +
                               std::string(name_of(of.kind(0))) + "; give a mesh of surfaces, or one of volumes");
    offsets.push_back(offsets.back() + face_count(of.kind(c), of.cell(c).size()));
  }
  return offsets;
}

/// Face `face` of cell `cell`.
struct half_face {
  std::uint32_t cell, face;
};

}  // namespace

face_neighbours::face_neighbours(std::vector<std::size_t> offsets, std::vector<std::uint32_t> neighbours)
    : offsets_(std::move(offsets)), neighbours_(std::move(neighbours)) {
  if (offsets_.empty() || offsets_.front() != 0 || offsets_.back() != neighbours_.size() ||
      !std::is_sorted(offsets_.begin(), offsets_.end()))
    throw input_error("skel::face_neighbours", "offsets",
                      "must rise from 0 to the number of neighbours, " + std::to_string(neighbours_.size()));
}

void face_neighbours::refuse_cell(std::size_t cell) const {
  throw input_error("skel::face_neighbours", "cell " + std::to_string(cell),
                    "is not one of the " + std::to_string(cells()) + " cells, which count from 0");
}

void mesh_detail::refuse_face(cell_kind kind, std::size_t face) {
  std::size_t const faces = faces_of(kind).size();
  throw input_error(
      "skel::face_corners", "face " + std::to_string(face),
      "a " + std::string(name_of(kind)) +
          (kind == cell_kind::polygon ? " has any number of faces: face k goes from its node k to the next"
                                      : " has " + std::to_string(faces) + " faces, which count from 0"));
}

face_neighbours neighbours_by_faces(mesh const& of) {
  std::vector<std::size_t> offsets = places_of_faces(of);
  std::vector<std::uint32_t> neighbours(offsets.back(), face_neighbours::none);

  // A counting sort sorts the faces by their least nodes. Then the faces of each least node are sorted by the others:
  // they are few and near each other in memory.
  std::vector<std::size_t> begins(of.nodes() + 2);  // of node v at v + 1, so that filling moves them to v
  auto const for_each_face = [&](auto&& visit) {
    for (std::size_t c = 0; c < of.cells(); ++c)
      for (std::size_t f = 0; f < offsets[c + 1] - offsets[c]; ++f) visit(c, f, nodes_of_face(of, c, f));
  };
  for_each_face([&](std::size_t, std::size_t, face_nodes const& nodes) { ++begins[nodes[0] + 2]; });
  for (std::size_t v = 2; v < begins.size(); ++v) begins[v] += begins[v - 1];
  std::vector<half_face> faces(offsets.back());
  for_each_face([&](std::size_t c, std::size_t f, face_nodes const& nodes) {
    faces[begins[nodes[0] + 1]++] = {static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(f)};
  });

  std::vector<std::pair<face_nodes, half_face>> here;
  for (std::size_t v = 0; v < of.nodes(); ++v) {
    here.clear();
    for (std::size_t k = begins[v]; k < begins[v + 1]; ++k)
      here.emplace_back(nodes_of_face(of, faces[k].cell, faces[k].face), faces[k]);
    std::stable_sort(here.begin(), here.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
    for (std::size_t k = 0, end = 0; k < here.size(); k = end) {
      while (end < here.size() && here[end].first == here[k].first) ++end;
      if (end - k == 1) continue;
      half_face const a = here[k].second, b = here[k + 1].second;
      if (a.cell == b.cell)
        refuse_neighbours(a.cell, "has its face " + std::to_string(a.face) + " again as face " +
                                      std::to_string(b.face) + "; a node stands in it twice");
      if (end - k > 2)
        refuse_neighbours(a.cell, "shares its face " + std::to_string(a.face) + " with the cells " +
                                      std::to_string(b.cell) + " and " + std::to_string(here[k + 2].second.cell) +
                                      "; a face has one cell or two");
      neighbours[offsets[a.cell] + a.face] = b.cell;
      neighbours[offsets[b.cell] + b.face] = a.cell;
    }
  }
  return {std::move(offsets), std::move(neighbours)};
}

}  // namespace skel
