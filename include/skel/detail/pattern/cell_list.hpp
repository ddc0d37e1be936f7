#pragma once

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include <skel/detail/pattern/mesh.hpp>

namespace skel::skeletons {

/// Cells of any kinds while they come one after the other: first the nodes of a cell, then its end.
struct cell_list {
  std::vector<cell_kind> kinds;
  std::vector<std::size_t> offsets{0};
  std::vector<subscript> corners;

  void add(subscript node) { corners.push_back(node); }
  void end(cell_kind kind) {
    kinds.push_back(kind);
    offsets.push_back(corners.size());
  }
  /// A cell at once.
  void add(cell_kind kind, std::initializer_list<subscript> nodes) {
    corners.insert(corners.end(), nodes);
    end(kind);
  }
  std::size_t size() const { return kinds.size(); }

  mesh finish(std::size_t nodes, node_positions where) && {
    return {nodes, std::move(kinds), std::move(offsets), std::move(corners), std::move(where)};
  }
};

}  // namespace skel::skeletons
