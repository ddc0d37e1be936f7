#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/detail/pattern/mesh.hpp>
#include <skel/detail/pattern/mesh_marks.hpp>

#include "gmsh_entities.hpp"
#include "gmsh_nodes.hpp"

namespace skel::skeletons {

/// A type of element that can be read. Source: Gmsh reference manual, "MSH file format", version 4.1.
struct gmsh_type {
  std::int64_t number;
  cell_kind kind;  ///< of points any
  std::size_t nodes, dimension;
};

inline constexpr std::array<gmsh_type, 8> gmsh_types{{{15, cell_kind::line, 1, 0},
                                                      {1, cell_kind::line, 2, 1},
                                                      {2, cell_kind::triangle, 3, 2},
                                                      {3, cell_kind::quad, 4, 2},
                                                      {4, cell_kind::tet, 4, 3},
                                                      {5, cell_kind::hexahedron, 8, 3},
                                                      {6, cell_kind::prism, 6, 3},
                                                      {7, cell_kind::pyramid, 5, 3}}};

/// Message about a type that cannot be read.
std::string refused_type(std::int64_t number);

/// Elements of one dimension as a file has them.
class gmsh_elements {
 public:
  /// Elements that follow each other and are alike.
  struct block {
    std::size_t first;  ///< element
    cell_kind kind;
    std::uint32_t nodes;
    std::size_t first_corner;
    gmsh_entities::entity on;
  };

  void begin_block(cell_kind kind, std::size_t nodes, gmsh_entities::entity const& on) {
    blocks_.push_back({tags_.size(), kind, static_cast<std::uint32_t>(nodes), corners_.size(), on});
  }
  void add(std::uint64_t tag) { tags_.push_back(tag); }
  void add_corner(subscript node) { corners_.push_back(node); }

  std::size_t size() const { return tags_.size(); }
  std::uint64_t tag(std::size_t element) const { return tags_[element]; }
  block const& block_of(std::size_t element) const {
    return *std::prev(std::upper_bound(blocks_.begin(), blocks_.end(), element,
                                       [](std::size_t wanted, block const& one) { return wanted < one.first; }));
  }
  std::span<subscript const> corners_of(std::size_t element) const {
    block const& in = block_of(element);
    return std::span(corners_).subspan(in.first_corner + (element - in.first) * in.nodes, in.nodes);
  }

  /// The k-th element by tags, for all k; of equals the first in the file.
  std::vector<std::size_t> order_of_tags() const {
    std::vector<std::size_t> order(tags_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (!std::is_sorted(tags_.begin(), tags_.end()))
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return tags_[a] < tags_[b]; });
    return order;
  }

 private:
  std::vector<block> blocks_;
  std::vector<std::uint64_t> tags_;
  std::vector<subscript> corners_;
};

/// Section $Elements, by dimension, without points. O(elements).
class gmsh_element_section {
 public:
  template <class Input>
  void read(Input& in, gmsh_entities const& entities, gmsh_nodes const& nodes) {
    in.begin("the head of the elements");
    std::size_t const blocks = in.count("the number of blocks of elements", 8, 20);
    std::size_t const total = in.count("the number of elements", 4, 16);
    in.tag("the least tag of an element", 0);
    in.tag("the greatest tag of an element", 0);
    in.end("the head of the elements");
    std::size_t left = total;
    for (std::size_t b = 0; b < blocks; ++b) left -= read_block(in, b, blocks, left, entities, nodes);
    if (left > 0)
      in.fail("the section promises " + std::to_string(total) + " elements, the blocks have " +
              std::to_string(total - left));
  }

  gmsh_elements const& of(std::size_t dimension) const { return of_[dimension]; }

 private:
  template <class Input>
  std::size_t read_block(Input& in, std::size_t b, std::size_t blocks, std::size_t left, gmsh_entities const& entities,
                         gmsh_nodes const& nodes) {
    in.begin("block of elements", b, blocks);
    auto const dimension = in.integer("the dimension of an entity", 0, 3);
    auto const tag = in.integer("the tag of an entity", -most_nodes, most_nodes - 1);
    auto const number = in.integer("the type of elements", 0, most_nodes - 1);
    std::size_t const count = in.count("the number of elements", 4, 16);
    in.end("the head of a block of elements");
    if (count > left) in.fail("the blocks have more elements than the section promises");
    auto const type =
        std::find_if(gmsh_types.begin(), gmsh_types.end(), [&](gmsh_type const& one) { return one.number == number; });
    if (type == gmsh_types.end()) in.fail(refused_type(number));
    if (type->dimension != static_cast<std::size_t>(dimension))
      in.fail("elements of type " + std::to_string(number) + " have " + std::to_string(type->dimension) +
              " dimensions, the entity that they are on " + std::to_string(dimension));
    gmsh_elements& to = of_[type->dimension];
    if (count == 0) return 0;
    to.begin_block(type->kind, type->nodes, entities.find(type->dimension, static_cast<std::int32_t>(tag)));
    for (std::size_t k = 0; k < count; ++k) {
      in.begin("element", k, count);
      read_element(in, *type, to, nodes);
      in.end("the nodes of an element");
    }
    return count;
  }

  template <class Input>
  void read_element(Input& in, gmsh_type const& type, gmsh_elements& to, gmsh_nodes const& nodes) {
    std::uint64_t const tag = in.tag("the tag of an element");
    std::array<subscript, 8> corners{};
    for (std::size_t k = 0; k < type.nodes; ++k) {
      std::uint64_t const wanted = in.tag("the tag of a node");
      auto const node = nodes.find(wanted);
      if (!node)
        in.fail("element " + std::to_string(tag) + " has node " + std::to_string(wanted) +
                ", which is not one of the " + std::to_string(nodes.size()) + " nodes of the file");
      corners[k] = *node;
    }
    if (type.kind == cell_kind::tet &&
        is_flat(nodes.point(corners[0]), nodes.point(corners[1]), nodes.point(corners[2]), nodes.point(corners[3])))
      in.fail("element " + std::to_string(tag) + " is a tetrahedron without volume: its nodes " +
              listed_tags(nodes, std::span(corners).first(4)) + " lie in a plane; " + remedy_of_flat_tets);
    if (type.dimension == 0) return;
    to.add(tag);
    for (std::size_t k = 0; k < type.nodes; ++k) to.add_corner(corners[k]);
  }

  static std::string listed_tags(gmsh_nodes const& nodes, std::span<subscript const> corners) {
    std::string all;
    for (subscript const node : corners) all += (all.empty() ? "" : ", ") + std::to_string(nodes.tag(node));
    return all;
  }

  std::array<gmsh_elements, 4> of_;
};

}  // namespace skel::skeletons
