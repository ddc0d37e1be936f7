#pragma once

/// The table of local alignments, a block at a time. Sources: Smith, Waterman 1981, Identification of common molecular
/// subsequences, J. Mol. Biol. 147:195-197; with affine gaps: Gotoh 1982, J. Mol. Biol. 162:705-708. Of cell (i, j):
///
///   E(i, j) = max(E(i, j-1), H(i, j-1) - open) - extend      ends with letter j of the second sequence in a gap.
///   F(i, j) = max(F(i-1, j), H(i-1, j) - open) - extend      ends with letter i of the first one in a gap.
///   H(i, j) = max(0, H(i-1, j-1) + score(i, j), E(i, j), F(i, j))
///
/// The largest H is the score of the best alignment, and its end. The beginning is handed on from cell to cell (Huang,
/// Miller 1991, Adv. Appl. Math. 12:337-357). So no table is kept to trace it back.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <skel/error.hpp>

#include "scores.hpp"

namespace alignment {

using place = std::uint32_t;

/// The best alignment that ends in a cell: its score and its beginning, with letters counted from 0.
struct ending {
  int score = 0;
  place row = 0, column = 0;
};

/// Worse than anything, and far from the least number, so that gaps can cost something beyond it.
constexpr ending never{std::numeric_limits<int>::min() / 2, 0, 0};

constexpr ending less(ending one, int cost) {
  return {one.score - cost, one.row, one.column};
}
/// Of equal ones the first.
constexpr ending better(ending one, ending other) {
  return other.score > one.score ? other : one;
}

/// Throws skel::error if the letters, or their scores, are more than cells can count.
inline void expect_countable(scores const& worth, std::size_t a, std::size_t b) {
  auto const most = static_cast<std::size_t>(std::max(1, *std::ranges::max_element(worth.table)));
  if (std::max(a, b) > std::numeric_limits<place>::max() ||
      std::min(a, b) > static_cast<std::size_t>(-never.score) / most)
    throw skel::error("sequences of " + std::to_string(a) + " and " + std::to_string(b) +
                      " letters are too long, by scores of up to " + std::to_string(most) +
                      ": give parts of them, or smaller scores");
}

/// Values of a cell for the cells to the right of it.
struct border {
  ending h{}, e = never;
};

/// An alignment: from the pair of letters (first_row, first_column) to (row, column).
struct found {
  int score = 0;
  place first_row = 0, first_column = 0, row = 0, column = 0;

  /// Of equal scores, the alignment with the earlier last letters counts.
  bool better_than(found const& other) const {
    if (score != other.score) return score > other.score;
    return row != other.row ? row < other.row : column < other.column;
  }
  bool operator==(found const&) const = default;
};

/// Some columns of the table, in their last finished row. 24 B per column.
struct columns {
  std::vector<ending> h, f;
  ending corner{};  ///< H left of the first column, in the last finished row
  place done = 0;   ///< finished rows
  found best{};

  columns() = default;
  explicit columns(std::size_t count) : h(count), f(count, never) {}

  template <class Archive>
  void serialize(Archive& archive) {
    archive(h, f, corner, done, best);
  }
};

/// Advances by the next rows, with these letters. `at`: the border to the left of them; becomes that to the right.
/// `first`: the number of the first of these columns in the whole table. O(rows columns).
inline void advance(columns& now, scores const& worth, std::string_view rows, std::string_view letters, place first,
                    std::span<border> at) {
  int const begin = worth.open + worth.extend;
  for (std::size_t i = 0; i < rows.size(); ++i, ++now.done) {
    int const* const score = worth.row(rows[i]);
    ending diagonal = now.corner;
    border left = at[i];
    now.corner = left.h;
    for (std::size_t j = 0; j < letters.size(); ++j) {
      ending const above = now.h[j];
      place const column = first + static_cast<place>(j);
      if (diagonal.score == 0) diagonal = {0, now.done, column};  // an alignment may begin with this pair
      left.e = better(less(left.h, begin), less(left.e, worth.extend));
      now.f[j] = better(less(above, begin), less(now.f[j], worth.extend));
      left.h = better(less(diagonal, -score[static_cast<unsigned char>(letters[j])]), better(left.e, now.f[j]));
      if (left.h.score <= 0) left.h = {};
      if (left.h.score > now.best.score) now.best = {left.h.score, left.h.row, left.h.column, now.done, column};
      now.h[j] = left.h;
      diagonal = above;
    }
    at[i] = left;
  }
}

}  // namespace alignment
