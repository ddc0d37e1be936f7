#pragma once

/// An alignment letter by letter, and the table of local alignments done in the plain way, to compare with.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <skel/error.hpp>

#include "cells.hpp"

namespace alignment {

/// Two sequences below each other, equally long, '-' for gaps.
struct aligned {
  std::string first, second;
};

/// Traces back an alignment with known first and last pairs of letters: the table between these, a byte per cell, is
/// done once more. O(rows columns). Throws skel::error if that takes more than `most_bytes`.
inline aligned traced_back(std::string_view a, std::string_view b, scores const& worth, found const& known,
                           std::size_t most_bytes) {
  enum : std::uint8_t { from_diagonal = 0, from_e = 1, from_f = 2, source = 3, e_goes_on = 4, f_goes_on = 8 };
  a = a.substr(known.first_row, known.row - known.first_row + 1);
  b = b.substr(known.first_column, known.column - known.first_column + 1);
  if (a.size() > most_bytes / b.size())
    throw skel::error("the alignment is one of " + std::to_string(a.size()) + " and " + std::to_string(b.size()) +
                      " letters, and tracing it takes a byte for each pair of them: --score-only leaves it out");
  int const begin = worth.open + worth.extend;
  std::vector<std::uint8_t> way(a.size() * b.size());
  std::vector<int> h(b.size(), never.score), f(b.size(), never.score);  // of the row above
  for (std::size_t i = 0; i < a.size(); ++i) {
    int diagonal = i == 0 ? 0 : never.score, left = never.score, e = never.score;
    for (std::size_t j = 0; j < b.size(); ++j) {
      std::uint8_t here = from_diagonal;
      if (e - worth.extend > left - begin) here |= e_goes_on;
      if (f[j] - worth.extend > h[j] - begin) here |= f_goes_on;
      e = std::max(e - worth.extend, left - begin);
      f[j] = std::max(f[j] - worth.extend, h[j] - begin);
      left = diagonal + worth.of(a[i], b[j]);
      if (e > left) left = e, here |= from_e;
      if (f[j] > left) left = f[j], here = static_cast<std::uint8_t>((here & ~source) | from_f);
      diagonal = std::max(h[j], never.score);
      h[j] = left;
      way[i * b.size() + j] = here;
    }
  }
  aligned out;
  std::uint8_t in = from_diagonal;  // which of H, E and F
  for (std::size_t i = a.size(), j = b.size(); i > 0 && j > 0;) {
    auto const here = way[(i - 1) * b.size() + j - 1];
    if (in == from_diagonal) in = here & source;
    if (in == from_diagonal) {
      out.first += a[--i], out.second += b[--j];
    } else if (in == from_e) {
      out.first += '-', out.second += b[--j];
      if ((here & e_goes_on) == 0) in = from_diagonal;
    } else {
      out.first += a[--i], out.second += '-';
      if ((here & f_goes_on) == 0) in = from_diagonal;
    }
  }
  std::ranges::reverse(out.first);
  std::ranges::reverse(out.second);
  return out;
}

/// The score of an alignment, pair by pair and gap by gap.
inline int score_of(aligned const& both, scores const& worth) {
  int sum = 0;
  char gap_of_last = 0;  // which sequence had a gap
  for (std::size_t i = 0; i < both.first.size(); ++i) {
    char const gap = both.first[i] == '-' ? 'a' : both.second[i] == '-' ? 'b' : '\0';
    if (gap == 0)
      sum += worth.of(both.first[i], both.second[i]);
    else
      sum -= worth.extend + (gap == gap_of_last ? 0 : worth.open);
    gap_of_last = gap;
  }
  return sum;
}

/// The score and the end of the best local alignment, by the formulas of cells.hpp alone. Its beginning stays 0. O(rows
/// columns), O(columns) memory.
inline found plain_smith_waterman(std::string_view a, std::string_view b, scores const& worth) {
  found best;
  std::vector<int> h(b.size() + 1), f(b.size() + 1, never.score), row_above;
  for (place i = 0; i < a.size(); ++i) {
    row_above = h;
    int e = never.score;
    for (place j = 0; j < b.size(); ++j) {
      e = std::max(e, h[j] - worth.open) - worth.extend;
      f[j + 1] = std::max(f[j + 1], row_above[j + 1] - worth.open) - worth.extend;
      h[j + 1] = std::max({0, row_above[j] + worth.of(a[i], b[j]), e, f[j + 1]});
      if (h[j + 1] > best.score) best = {h[j + 1], 0, 0, i, j};
    }
  }
  return best;
}

/// Prints an alignment in lines of 60 letters, numbered from 1: '|' between equal ones, '+' between others with a
/// positive score.
inline void print(std::ostream& out, aligned const& both, scores const& worth, found const& where) {
  std::array<place, 2> next{where.first_row, where.first_column};
  for (std::size_t i = 0; i < both.first.size(); i += 60) {
    std::string_view const one = std::string_view(both.first).substr(i, 60);
    std::string_view const other = std::string_view(both.second).substr(i, 60);
    std::string between;
    for (std::size_t k = 0; k < one.size(); ++k)
      between += one[k] == other[k]                                                   ? '|'
                 : one[k] != '-' && other[k] != '-' && worth.of(one[k], other[k]) > 0 ? '+'
                                                                                      : ' ';
    auto const line = [&out](place& number, std::string_view letters) {
      out << std::setw(8) << number + 1 << ' ' << letters;
      number += static_cast<place>(letters.size() - static_cast<std::size_t>(std::ranges::count(letters, '-')));
      out << ' ' << number << "\n";
    };
    out << "\n";
    line(next[0], one);
    out << std::string(9, ' ') << between << "\n";
    line(next[1], other);
  }
}

}  // namespace alignment
