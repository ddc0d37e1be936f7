#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mesh_formats.hpp"

namespace skel::skeletons {

/// The nodes of a file of Gmsh: tags in rising order, and positions. In the file, tags may have gaps and come in any
/// order.
class gmsh_nodes {
 public:
  /// Section $Nodes. O(nodes), O(nodes log(nodes)) if their tags do not rise.
  template <class Input>
  void read(Input& in) {
    in.begin("the head of the nodes");
    std::size_t const blocks = in.count("the number of blocks of nodes", 8, 20);
    std::size_t const total = in.count("the number of nodes", 8, 32);
    if (total > static_cast<std::size_t>(most_nodes))
      in.fail(std::to_string(total) + " nodes are more than the 2147483648 that a mesh can have");
    in.tag("the least tag of a node", 0);
    in.tag("the greatest tag of a node", 0);
    in.end("the head of the nodes");
    tags_.reserve(total);
    where_.reserve(3 * total);
    for (std::size_t b = 0; b < blocks; ++b) read_block(in, b, blocks, total);
    if (tags_.size() != total)
      in.fail("the section promises " + std::to_string(total) + " nodes and has " + std::to_string(tags_.size()));
    sort();
    if (auto const twice = std::adjacent_find(tags_.begin(), tags_.end()); twice != tags_.end())
      in.fail("node " + std::to_string(*twice) + " is there twice");
    make_table();
  }

  std::size_t size() const { return tags_.size(); }
  std::uint64_t tag(subscript node) const { return tags_[node]; }
  std::span<double const> point(subscript node) const { return std::span(where_).subspan(3 * std::size_t{node}, 3); }
  std::vector<double> take_positions() { return std::move(where_); }

  /// The number of the node with a tag, from 0; nothing if there is none. O(1) if the tags have few gaps, else
  /// O(log nodes).
  std::optional<subscript> find(std::uint64_t tag) const {
    if (tags_.empty() || tag < tags_.front() || tag > tags_.back()) return std::nullopt;
    if (!table_.empty()) {
      subscript const node = table_[tag - tags_.front()];
      return node == no_number ? std::nullopt : std::optional(node);
    }
    if (tags_.back() - tags_.front() + 1 == tags_.size()) return static_cast<subscript>(tag - tags_.front());
    auto const found = std::lower_bound(tags_.begin(), tags_.end(), tag);
    if (*found != tag) return std::nullopt;
    return static_cast<subscript>(found - tags_.begin());
  }

 private:
  static constexpr subscript no_number = ~subscript{0};

  template <class Input>
  void read_block(Input& in, std::size_t b, std::size_t blocks, std::size_t total) {
    in.begin("block of nodes", b, blocks);
    auto const dimension = in.integer("the dimension of an entity", 0, 3);
    in.integer("the tag of an entity", -most_nodes, most_nodes - 1);
    bool const parametric = in.integer("whether nodes have parameters", 0, 1) == 1;
    std::size_t const count = in.count("the number of nodes", 8, 32);
    in.end("the head of a block of nodes");
    if (count > total - tags_.size())
      in.fail("the blocks have more nodes than the " + std::to_string(total) + " that the section promises");
    for (std::size_t k = 0; k < count; ++k) {
      in.begin("the tag of node", k, count);
      tags_.push_back(in.tag("the tag of a node"));
      in.end("the tag of a node");
    }
    for (std::size_t k = 0; k < count; ++k) {
      in.begin("node", k, count);
      for (int d = 0; d < 3; ++d) {
        where_.push_back(in.number("a coordinate"));
        if (!std::isfinite(where_.back())) in.fail("a coordinate is no finite number");
      }
      for (std::int64_t d = 0; parametric && d < dimension; ++d) in.number("a parameter of a node");
      in.end("the coordinates of a node");
    }
  }

  void sort() {
    if (std::is_sorted(tags_.begin(), tags_.end())) return;
    std::vector<subscript> order(tags_.size());
    std::iota(order.begin(), order.end(), subscript{0});
    std::sort(order.begin(), order.end(), [&](subscript a, subscript b) { return tags_[a] < tags_[b]; });
    std::vector<double> where;
    where.reserve(where_.size());
    for (subscript const node : order) {
      auto const x = point(node);
      where.insert(where.end(), x.begin(), x.end());
    }
    where_ = std::move(where);
    std::sort(tags_.begin(), tags_.end());
  }

  /// A number for each tag in between, if that takes no more memory than tags and coordinates.
  void make_table() {
    if (tags_.empty()) return;
    std::uint64_t const range = tags_.back() - tags_.front() + 1;
    std::size_t const bytes_of_nodes = tags_.size() * (sizeof tags_[0] + 3 * sizeof where_[0]);
    if (range == tags_.size() || range > bytes_of_nodes / sizeof(subscript)) return;
    table_.assign(range, no_number);
    for (std::size_t v = 0; v < tags_.size(); ++v) table_[tags_[v] - tags_.front()] = static_cast<subscript>(v);
  }

  std::vector<std::uint64_t> tags_;
  std::vector<double> where_;
  std::vector<subscript> table_;  ///< by tags from the least on; empty: searched in tags_
};

}  // namespace skel::skeletons
