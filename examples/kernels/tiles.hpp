#pragma once

/// A square grid cut into tiles.
#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kernels {

/// The numbers from begin on, before end.
struct range {
  long begin = 0, end = 0;

  long size() const { return std::max(0L, end - begin); }
  bool contains(long at) const { return at >= begin && at < end; }
  friend bool operator==(range const&, range const&) = default;
};

inline range common(range a, range b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

/// Part `which` of the numbers 0 .. length - 1 in `parts` ranges; the first length % parts of them are longer by one.
inline range part_of(long length, long parts, long which) {
  long const least = length / parts, longer = length % parts;
  long const begin = which * least + std::min(which, longer);
  return {begin, begin + least + (which < longer ? 1 : 0)};
}

/// The part that has a number. O(1).
inline long part_with(long length, long parts, long at) {
  long const least = length / parts, longer = length % parts;
  return at < longer * (least + 1) ? at / (least + 1) : longer + (at - longer * (least + 1)) / least;
}

/// The tiles of a grid in each direction. They are numbered row by row.
struct tiling {
  long columns = 1, rows = 1;

  std::size_t count() const { return static_cast<std::size_t>(columns * rows); }
  long column(std::size_t tile) const { return static_cast<long>(tile) % columns; }
  long row(std::size_t tile) const { return static_cast<long>(tile) / columns; }
  std::size_t tile(long column, long row) const { return static_cast<std::size_t>(row * columns + column); }
};

/// As many tiles as near to a square as can be, with no more columns than rows. O(sqrt(tiles)).
inline tiling nearly_square(std::size_t tiles) {
  auto const many = static_cast<long>(tiles);
  long columns = static_cast<long>(std::sqrt(static_cast<double>(many)));
  while (columns * columns > many) --columns;
  while (many % columns != 0) --columns;
  return {columns, many / columns};
}

}  // namespace kernels
