#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/pattern/edge_table.hpp>

#include "mesh_formats.hpp"

namespace skel::skeletons {

namespace {

std::string lower(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

/// So many rows take a few megabytes, whatever the file has to say about them.
constexpr std::int64_t rows_of_small = std::int64_t{1} << 20;

struct matrix_head {
  int values = 1;          ///< numbers behind the two of a place
  bool symmetric = false;  ///< or skew, or hermitian: only one of two entries is in the file
};

matrix_head read_matrix_head(text_lines& text) {
  std::string const wanted = "'%%MatrixMarket matrix coordinate real general' or the like";
  if (std::string_view const first = text.word(); lower(first) != "%%matrixmarket")
    text.fail("the file begins with " + in_quotes(first) + "; it must begin with " + wanted);
  auto const one_of = [&](std::initializer_list<std::string_view> names, char const* what) {
    std::string_view const next = text.word();
    std::string const found = lower(next);
    std::size_t place = 0;
    for (std::string_view const name : names) {
      if (found == name) return place;
      ++place;
    }
    std::string all;
    for (std::string_view const name : names) all += (all.empty() ? "" : ", ") + std::string(name);
    text.fail(in_quotes(next) + " is not " + what + " that can be read: " + all);
  };
  one_of({"matrix"}, "an object");
  one_of({"coordinate"}, "a storage (dense matrices have no pattern)");
  std::size_t const field = one_of({"real", "double", "integer", "complex", "pattern"}, "a field");
  std::size_t const symmetry = one_of({"general", "symmetric", "skew-symmetric", "hermitian"}, "a symmetry");
  text.expect_end("the symmetry");
  return {field == 4 ? 0 : field == 3 ? 2 : 1, symmetry != 0};
}

}  // namespace

/// Source: Boisvert, Pozo, Remington 1996, The Matrix Market Exchange Formats, NISTIR 5935.
mesh read_matrix_market(text_lines& text) {
  matrix_head const matrix = read_matrix_head(text);
  if (!text.next_line()) text.fail("the file ends here, but rows, columns and entries must follow; it is cut off");
  text.expect_words("%", "rows, columns and entries");
  std::int64_t const rows = text.integer("the number of rows", 0, most_nodes);
  std::int64_t const columns = text.integer("the number of columns", 0, most_nodes);
  bool const square = rows == columns;
  if (matrix.symmetric && !square)
    text.fail("a symmetric matrix is square, not " + std::to_string(rows) + " x " + std::to_string(columns));
  std::int64_t const nodes = square ? rows : rows + columns;
  if (nodes > most_nodes)
    text.fail("rows and columns together are " + std::to_string(nodes) + ", more than the " +
              std::to_string(most_nodes) + " nodes that a mesh can have");
  // Later uses of a matrix need memory for each row, also for empty ones.
  std::int64_t const room = std::max<std::int64_t>(rows_of_small, 3 * static_cast<std::int64_t>(text.size()));
  if (nodes > room)
    text.fail(std::to_string(nodes) + " rows and columns are too many for a file of " + std::to_string(text.size()) +
              " bytes: nearly all of them would be empty; it may have " + std::to_string(room));
  std::size_t const entries = text.count("the number of entries", 4);  // "1 1" and the end of a line
  text.expect_end("the number of entries");

  edge_table seen;
  std::vector<subscript> ends;
  for (std::size_t k = 0; k < entries; ++k) {
    text.expect_next("%", "entry", k + 1, entries);
    auto const row = text.integer("a row", 1, rows) - 1;
    auto const column = text.integer("a column", 1, columns) - 1 + (square ? 0 : rows);
    for (int v = 0; v < matrix.values; ++v) text.number("the value of an entry");
    text.expect_end(matrix.values == 0 ? "an entry of a matrix of field pattern, which has no values" : "an entry");
    auto const a = static_cast<subscript>(row), b = static_cast<subscript>(column);
    if (a != b && seen.insert(a, b)) ends.insert(ends.end(), {a, b});
  }
  if (text.next_line() && text.find_words("%"))
    text.fail("more follows, although the file promises only " + std::to_string(entries) + " entries");
  return {static_cast<std::size_t>(nodes), cell_kind::line, std::move(ends)};
}

}  // namespace skel::skeletons
