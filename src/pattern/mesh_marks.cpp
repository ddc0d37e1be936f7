#include <skel/detail/pattern/mesh_marks.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>

#include "face_nodes.hpp"

namespace skel {

namespace {

std::span<std::int32_t const> set_of(mesh_marks const& marks, std::vector<std::uint32_t> const& numbers, std::size_t k,
                                     char const* what) {
  auto const refuse = [&](std::string reason) {
    throw input_error("skel::mesh_marks", what + (" " + std::to_string(k)), std::move(reason));
  };
  if (k >= numbers.size())
    refuse("is not one of the " + std::to_string(numbers.size()) + " that have a set, which count from 0");
  if (numbers[k] >= marks.sets.size())
    refuse("has set " + std::to_string(numbers[k]) + ", which is not one of the " + std::to_string(marks.sets.size()) +
           " sets");
  return marks.sets[numbers[k]];
}

}  // namespace

std::span<std::int32_t const> mesh_marks::of_cell(std::size_t cell) const {
  if (cell_sets.empty()) return {};
  return set_of(*this, cell_sets, cell, "cell");
}

std::span<std::int32_t const> mesh_marks::of_face(std::size_t face) const {
  return set_of(*this, face_sets, face, "marked face");
}

std::optional<std::int32_t> mesh_marks::tag_named(std::size_t dimension, std::string_view name) const {
  for (mark_name const& one : names)
    if (one.dimension == dimension && one.name == name) return one.tag;
  return std::nullopt;
}

std::string_view mesh_marks::name_of(std::size_t dimension, std::int32_t tag) const {
  for (mark_name const& one : names)
    if (one.dimension == dimension && one.tag == tag) return one.name;
  return {};
}

namespace {

void check_marked_faces(mesh_marks const& marks) {
  auto const refuse = [](std::string where, std::string reason) {
    throw input_error("skel::sets_of_faces", std::move(where), std::move(reason));
  };
  if (marks.face_sets.size() != marks.faces.cells())
    refuse("face_sets", "has " + std::to_string(marks.face_sets.size()) + " numbers of sets for " +
                            std::to_string(marks.faces.cells()) + " marked faces; give one for each");
  for (std::size_t f = 0; f < marks.faces.cells(); ++f) {
    static_cast<void>(marks.of_face(f));  // throws where there is no such set
    if (std::size_t const nodes = marks.faces.cell(f).size(); nodes > 4)
      refuse("marked face " + std::to_string(f),
             "has " + std::to_string(nodes) + " nodes; a face of a cell has at most 4");
  }
}

void check_neighbours(mesh const& of, face_neighbours const& neighbours) {
  bool same = neighbours.cells() == of.cells();
  for (std::size_t c = 0; same && c < of.cells(); ++c)
    same = neighbours.of(c).size() == face_count(of.kind(c), of.cell(c).size());
  if (!same)
    throw input_error("skel::sets_of_faces", "neighbours",
                      "are those of another mesh; give skel::neighbours_by_faces of this one");
}

}  // namespace

std::vector<std::uint32_t> sets_of_faces(marked_mesh const& of, face_neighbours const& neighbours) {
  check_marked_faces(of.marks);
  check_neighbours(of.cells, neighbours);
  std::vector<std::pair<skeletons::face_nodes, std::uint32_t>> marked;
  marked.reserve(of.marks.faces.cells());
  for (std::size_t f = 0; f < of.marks.faces.cells(); ++f)
    marked.emplace_back(skeletons::sorted_face(of.marks.faces.cell(f)), of.marks.face_sets[f]);
  auto const by_nodes = [](auto const& a, auto const& b) { return a.first < b.first; };
  std::stable_sort(marked.begin(), marked.end(), by_nodes);

  std::vector<std::uint32_t> sets(neighbours.all().size());
  if (marked.empty()) return sets;
  for (std::size_t c = 0; c < of.cells.cells(); ++c)
    for (std::size_t f = 0; f < neighbours.of(c).size(); ++f) {
      std::pair const wanted(skeletons::nodes_of_face(of.cells, c, f), std::uint32_t{0});
      auto const behind = std::upper_bound(marked.begin(), marked.end(), wanted, by_nodes);
      if (behind != marked.begin() && std::prev(behind)->first == wanted.first)
        sets[neighbours.offsets()[c] + f] = std::prev(behind)->second;
    }
  return sets;
}

}  // namespace skel
