#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/number.hpp>
#include <skel/detail/pattern/mesh.hpp>

#include "mesh_formats.hpp"

namespace skel::skeletons {

namespace {

class obj_reader {
 public:
  explicit obj_reader(text_lines& text) : text_(text) {}

  mesh read() {
    for (bool more = text_.find_words("#"); more; more = text_.next_line() && text_.find_words("#")) {
      std::string_view const keyword = next();
      if (keyword == "v") {
        vertex();
      } else if (keyword == "f" || keyword == "fo") {  // "fo": the name of faces before version 3
        face();
      } else {
        bool const word = std::all_of(keyword.begin(), keyword.end(), [](char c) {
          return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        });
        if (!word) text_.fail(in_quotes(keyword) + " is no keyword; lines of an obj file begin with v, f and the like");
        while (!next().empty()) {
        }
      }
    }
    std::size_t const nodes = where_.size() / 3;
    if (cells_.size() == 0) text_.fail("the file has no faces (lines that begin with f); is it cut off?");
    for (std::size_t c = 0; c < cells_.size(); ++c)
      for (std::size_t k = cells_.offsets[c]; k < cells_.offsets[c + 1]; ++k)
        if (cells_.corners[k] >= nodes)
          text_.fail_at(first_line_ + lines_[c], "the face has vertex " + std::to_string(cells_.corners[k] + 1) +
                                                     ", but the file has only " + std::to_string(nodes) + " vertices");
    return std::move(cells_).finish(nodes, {3, std::move(where_)});
  }

 private:
  /// The next word, also of the next line if a backslash ends this one; none in front of a comment.
  std::string_view next() {
    if (text_.begins_with('#')) text_.rest();
    std::string_view found = text_.word();
    while (found == "\\") {
      if (!text_.next_line()) return {};
      found = text_.word();
    }
    return found;
  }

  void vertex() {
    if (where_.size() / 3 >= static_cast<std::size_t>(most_nodes)) text_.fail("there are too many vertices");
    for (int d = 0; d < 3; ++d) where_.push_back(text_.finite("a coordinate of a vertex"));
    while (text_.has_word() && !text_.begins_with('#')) text_.number("a weight or colour of a vertex");
  }

  void face() {
    std::size_t const line = text_.line();
    auto const vertices = static_cast<std::int64_t>(where_.size() / 3);
    std::size_t corners = 0;
    for (std::string_view corner = next(); !corner.empty(); corner = next(), ++corners) {
      std::int64_t const vertex = number_in<std::int64_t>(corner.substr(0, corner.find('/'))).value_or(0);
      if (vertex == 0)
        text_.fail(in_quotes(corner) +
                   " is no corner of a face; write the number of a vertex, from 1, or from -1 backwards, alone or as "
                   "v/vt/vn");
      if (vertex > most_nodes || vertex < -vertices)
        text_.fail("the face has vertex " + std::to_string(vertex) + ", but " + std::to_string(vertices) +
                   " vertices come before it");
      cells_.add(static_cast<subscript>(vertex < 0 ? vertices + vertex : vertex - 1));
    }
    if (corners < 3) text_.fail("the face has " + std::to_string(corners) + " corners; at least 3 are wanted");
    cells_.end(corners == 3 ? cell_kind::triangle : corners == 4 ? cell_kind::quad : cell_kind::polygon);
    if (lines_.empty()) first_line_ = line;
    lines_.push_back(static_cast<std::uint32_t>(line - first_line_));
  }

  text_lines& text_;
  cell_list cells_;
  std::size_t first_line_ = 0;
  std::vector<std::uint32_t> lines_;  ///< of each face, from the first one's; faces may name vertices that follow
  std::vector<double> where_;
};

}  // namespace

/// Source: Wavefront Technologies 1993, Advanced Visualizer manual, appendix B1: object files (.obj), version 3.0.
mesh read_wavefront_obj(text_lines& text) {
  return obj_reader(text).read();
}

}  // namespace skel::skeletons
