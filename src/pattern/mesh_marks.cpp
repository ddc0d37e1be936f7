#include <skel/detail/pattern/mesh_marks.hpp>

#include <algorithm>
#include <utility>

#include "face_nodes.hpp"

namespace skel {

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

std::vector<std::uint32_t> sets_of_faces(marked_mesh const& of, face_neighbours const& neighbours) {
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
