#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/pattern/mesh.hpp>

#include "mesh_formats.hpp"

namespace skel::skeletons {

namespace {

struct su2_kind {
  std::int64_t number;  ///< as VTK numbers them
  cell_kind kind;
  std::size_t nodes, dimension;
};

constexpr std::array<su2_kind, 7> kinds{{{3, cell_kind::line, 2, 1},
                                         {5, cell_kind::triangle, 3, 2},
                                         {9, cell_kind::quad, 4, 2},
                                         {10, cell_kind::tet, 4, 3},
                                         {12, cell_kind::hexahedron, 8, 3},
                                         {13, cell_kind::prism, 6, 3},
                                         {14, cell_kind::pyramid, 5, 3}}};

constexpr char const* known =
    "3 line, 5 triangle, 9 quadrilateral, 10 tetrahedron, 12 hexahedron, 13 prism, 14 pyramid";

class su2_reader {
 public:
  explicit su2_reader(text_lines& text) : text_(text) {}

  mesh read() {
    bool skipping = false;  // lines of a section that is not about the mesh
    for (bool more = text_.find_words("%"); more; more = text_.next_line() && text_.find_words("%")) {
      if (skipping && text_.rest_of_line().find('=') == std::string_view::npos) continue;
      std::string const name = keyword();
      skipping = false;
      if (name == "NDIME")
        dimension_ = static_cast<std::size_t>(text_.integer("the dimension", 2, 3));
      else if (name == "NELEM")
        elements();
      else if (name == "NPOIN")
        points();
      else if (name == "MARKER_ELEMS")
        boundary();
      else if (name == "MARKER_TAG" || name == "NMARK")
        text_.rest();
      else if (name == "NZONE" && text_.integer("the number of zones", 1, most_nodes) > 1)
        text_.fail("only files of one zone can be read; write each zone to a file of its own");
      else  // periodic boundaries, boxes that shapes are changed with, angles of attack, ...
        skipping = true;
    }
    if (dimension_ == 0) text_.fail("the file has no NDIME=, the number of dimensions; it is cut off, or not of SU2");
    if (!has_elements_) text_.fail("the file has no NELEM=, its elements; it is cut off, or not of SU2");
    if (!has_points_) text_.fail("the file has no NPOIN=, its nodes; it is cut off, or not of SU2");
    check_corners();
    return std::move(cells_).finish(nodes_, {dimension_, std::move(where_)});
  }

 private:
  /// The next line's word in front of "="; the words behind it can be read then.
  std::string keyword() {
    std::string name;
    std::string_view line = text_.rest_of_line();
    std::size_t const equals = line.find('=');
    if (equals == std::string_view::npos)
      text_.fail(
          in_quotes(line.substr(0, line.find_first_of(" \t"))) +
          " stands where a keyword belongs, like NDIME= 2; are there more lines than the last keyword promises?");
    for (char const c : line.substr(0, equals))
      if (!blank(c)) name += c;
    text_.skip(equals + 1);
    return name;
  }

  void boundary() {
    constexpr std::string_view what = "an element of the boundary";
    std::size_t const lines = text_.count("the number of elements of the boundary", 2);
    for (std::size_t k = 0; k < lines; ++k) {
      text_.expect_next("%", what, k + 1, lines);
      // If another process has a part of the mesh, the direction stands between number and elements.
      if (k == 0 && text_.rest_of_line().starts_with("SEND_RECV")) text_.expect_next("%", what, k + 1, lines);
      text_.integer("its kind", 0, most_nodes);
      text_.rest();
    }
  }

  void elements() {
    if (std::exchange(has_elements_, true)) text_.fail("NELEM= stands in this file twice; only one zone can be read");
    std::size_t const count = text_.count("the number of elements", 4);
    for (std::size_t c = 0; c < count; ++c) {
      text_.expect_next("%", "element", c + 1, count);
      std::int64_t const number = text_.integer("the kind of an element", 0, most_nodes);
      auto const of = std::find_if(kinds.begin(), kinds.end(), [&](su2_kind const& k) { return k.number == number; });
      if (of == kinds.end())
        text_.fail("there is no kind of element " + std::to_string(number) + "; kinds are: " + known);
      for (std::size_t k = 0; k < of->nodes; ++k)
        cells_.add(static_cast<subscript>(text_.integer("a node", 0, most_nodes - 1)));
      if (text_.has_word() && !text_.begins_with('%')) text_.integer("the number of the element", 0, most_nodes);
      text_.expect_end("an element");
      cells_.end(of->kind);
      if (lines_.empty()) first_line_ = text_.line();
      lines_.push_back(static_cast<std::uint32_t>(text_.line() - first_line_));
    }
  }

  void points() {
    if (std::exchange(has_points_, true)) text_.fail("NPOIN= stands in this file twice; only one zone can be read");
    if (dimension_ == 0) text_.fail("NPOIN= comes before NDIME=, which says how many coordinates a node has");
    nodes_ = text_.count("the number of nodes", 2 * dimension_);
    text_.rest();  // how many of them are no ghosts
    for (std::size_t v = 0; v < nodes_; ++v) {
      text_.expect_next("%", "node", v + 1, nodes_);
      for (std::size_t d = 0; d < dimension_; ++d) where_.push_back(text_.finite("a coordinate"));
      while (text_.has_word() && !text_.begins_with('%')) text_.integer("the number of the node", 0, most_nodes);
    }
  }

  /// The nodes may come after the elements, so their number is known only now.
  void check_corners() {
    for (std::size_t c = 0; c < cells_.size(); ++c)
      for (std::size_t k = cells_.offsets[c]; k < cells_.offsets[c + 1]; ++k)
        if (cells_.corners[k] >= nodes_)
          text_.fail_at(first_line_ + lines_[c], "element " + std::to_string(c) + " has node " +
                                                     std::to_string(cells_.corners[k]) + ", which is not one of the " +
                                                     std::to_string(nodes_) + " nodes, which count from 0");
  }

  text_lines& text_;
  cell_list cells_;
  std::size_t first_line_ = 0;
  std::vector<std::uint32_t> lines_;  ///< of each element, from the first one's
  std::vector<double> where_;
  std::size_t dimension_ = 0, nodes_ = 0;
  bool has_elements_ = false, has_points_ = false;
};

}  // namespace

/// Source: SU2 documentation, "Mesh File" (native format .su2).
mesh read_su2(text_lines& text) {
  return su2_reader(text).read();
}

}  // namespace skel::skeletons
