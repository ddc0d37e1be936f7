#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/base/text_lines.hpp>

namespace skel::skeletons {

/// The lines of a list of edges, as collections of graphs hand them out (SNAP, KONECT, Network Repository). A line has
/// the two ends of an edge; the rest of it is left out. Blanks stand between the ends, or commas or semicolons if one
/// follows the first word of the list. Comments begin with #, % or //. A first line of names above lines of numbers
/// names the columns, and is left out.
class edge_lines {
 public:
  explicit edge_lines(text_lines& text) : text_(text) {}

  struct ends {
    std::string_view from, to;
  };
  /// The next edge; nothing at the end. Throws skel::input_error with the line and the reason.
  std::optional<ends> next() {
    if (!std::exchange(begun_, true)) {
      refuse_matrix();
    } else if (!text_.next_line()) {
      return std::nullopt;
    }
    if (!find_edge()) return std::nullopt;
    std::vector<std::string_view> fields = split();
    if (!separator_) {
      separator_ = separator_behind_first();
      fields = split();
      if (is_header(fields)) {
        header_ = text_.line();
        text_.next_line();
        find_edge();
        fields = split();
      }
    }
    return checked(fields);
  }

 private:
  static bool is_node(std::string_view word) { return number_in<std::uint64_t>(word).has_value(); }
  static bool is_number(std::string_view word) { return number_in<double>(word).has_value(); }

  /// The head of a Matrix Market file looks like a comment, and the size of the matrix like an edge.
  void refuse_matrix() const {
    if (text_.rest_of_line().starts_with("%%MatrixMarket"))
      text_.fail("is the head of a Matrix Market file, no list of edges; read it as one (format mtx, ending .mtx)");
  }

  /// Goes on to a line that is no comment.
  bool find_edge() {
    while (text_.find_words("#%")) {
      if (!text_.rest_of_line().starts_with("//")) return true;
      if (!text_.next_line()) break;
    }
    return false;
  }

  /// This line without a comment at its end.
  std::string_view line() const {
    std::string_view line = text_.rest_of_line();
    for (std::size_t at = line.find_first_of("#%/"); at != std::string_view::npos;
         at = line.find_first_of("#%/", at + 1))
      if (at > 0 && blank(line[at - 1]) && (line[at] != '/' || line.substr(at, 2) == "//")) return line.substr(0, at);
    return line;
  }

  char separator_behind_first() const {
    std::string_view const all = line();
    std::size_t const end = all[0] == '"' ? all.find('"', 1) + 1 : std::min(all.find_first_of(" \t\f\v,;"), all.size());
    std::size_t const next = all.find_first_not_of(" \t\f\v\"", end);
    return next != std::string_view::npos && (all[next] == ',' || all[next] == ';') ? all[next] : ' ';
  }

  std::vector<std::string_view> split() const {
    std::string_view const all = line();
    if (separator_.value_or(' ') != ' ') {
      auto fields = fields_of(all, *separator_);
      if (!fields) text_.fail("a quote is not closed in this line");
      return *std::move(fields);
    }
    return words_in(all);
  }

  /// True if this first line names the columns. Stays on it.
  bool is_header(std::vector<std::string_view> const& fields) {
    if (fields.size() < 2 || is_number(fields[0]) || is_number(fields[1])) return false;
    auto const first = text_.here();
    bool is = false;
    if (text_.next_line() && find_edge()) {
      auto const below = split();
      is = below.size() >= 2 && is_node(below[0]) && is_node(below[1]);
    }
    text_.go_to(first);
    return is;
  }

  ends checked(std::vector<std::string_view> const& fields) {
    if (fields.size() < 2 || fields[0].empty() || fields[1].empty())
      text_.fail("an edge is two vertices in one line, not " + in_quotes(line()));
    bool const nodes = is_node(fields[0]) && is_node(fields[1]);
    if (fields[0] == "p" && fields.size() > 2)
      text_.fail("is the head of a file of DIMACS, no edge; leave only the two vertices of each edge in the file");
    if (header_ > 0 && !(is_number(fields[0]) && is_number(fields[1])))
      text_.fail(in_quotes(fields[is_number(fields[0]) ? 1 : 0]) + " is no number, as other vertices are; if line " +
                 std::to_string(header_) +
                 " is an edge, put it elsewhere: a first line of names above numbers names columns");
    if (!nodes && fields.size() > 2 && !is_number(fields[2]))
      text_.fail("an edge is two vertices in one line, perhaps with numbers behind them, not " + in_quotes(line()));
    // A list of neighbours has lines of numbers, too, but not as many in each.
    if (nodes && std::all_of(fields.begin() + 2, fields.end(), is_node)) {
      if (width_ == 0) width_ = fields.size(), width_line_ = text_.line();
      if (fields.size() != width_)
        text_.fail("has " + std::to_string(fields.size()) + " whole numbers, line " + std::to_string(width_line_) +
                   " has " + std::to_string(width_) +
                   "; if these are neighbours of a vertex, write each edge in a line of its own");
    }
    return {fields[0], fields[1]};
  }

  text_lines& text_;
  bool begun_ = false;
  std::optional<char> separator_;
  std::size_t header_ = 0;                  ///< the line that names columns; 0: none
  std::size_t width_ = 0, width_line_ = 0;  ///< of the first line that has whole numbers only
};

}  // namespace skel::skeletons
