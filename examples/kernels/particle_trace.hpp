#pragma once

/// Work of the tiles of a cloud of particles in each step, without moving a particle. All particles move alike: those
/// in a tile after t steps began t displacements away.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/particles.hpp"
#include "kernels/trace.hpp"

namespace kernels {

/// The number of particles that begin in any rectangle. Memory O(side^2).
class initial_counts {
 public:
  explicit initial_counts(cloud const& of)
      : side_(of.side), sums_(static_cast<std::size_t>((of.side + 1) * (of.side + 1))) {
    for_each_cell(of, {0, side_}, {0, side_}, [&](long x, long y, std::uint64_t many) { sum(x + 1, y + 1) = many; });
    for (long x = 1; x <= side_; ++x)
      for (long y = 1; y <= side_; ++y) sum(x, y) += sum(x - 1, y) + sum(x, y - 1) - sum(x - 1, y - 1);
  }

  std::uint64_t all() const { return at(side_, side_); }
  /// Particles in a rectangle, perhaps across the edges of the periodic grid. O(1).
  std::uint64_t in(range columns, range rows) const {
    std::uint64_t many = 0;
    for_each_part(columns, [&](range x) {
      for_each_part(rows, [&](range y) {
        many += at(x.end, y.end) + at(x.begin, y.begin) - at(x.begin, y.end) - at(x.end, y.begin);
      });
    });
    return many;
  }

 private:
  std::uint64_t& sum(long x, long y) { return sums_[static_cast<std::size_t>(x * (side_ + 1) + y)]; }
  std::uint64_t at(long x, long y) const { return sums_[static_cast<std::size_t>(x * (side_ + 1) + y)]; }

  /// The parts of a range on the ring, within 0 .. side. Precondition: no longer than the ring.
  template <class F>
  void for_each_part(range of, F f) const {
    long const begin = (of.begin % side_ + side_) % side_, end = begin + of.size();
    f(range{begin, std::min(end, side_)});
    if (end > side_) f(range{0, end - side_});
  }

  long side_;
  std::vector<std::uint64_t> sums_;  // at (x, y): of all cells to the left of x and below y
};

/// The moves of parts of a tile in one direction: the destination in the grid, and the cells that go there.
struct shifted_part {
  long to;
  range cells;  ///< before the move; may lie beyond an edge
};
inline std::vector<shifted_part> shifted(long side, long parts, range cells, long by) {
  std::vector<shifted_part> all;
  for (long at = cells.begin; at < cells.end;) {
    long const there = ((at + by) % side + side) % side, to = part_with(side, parts, there),
               end = std::min(cells.end, at + part_of(side, parts, to).end - there);
    all.push_back({to, {at, end}});
    at = end;
  }
  return all;
}

/// Particles that each tile moves in each step, and those that it sends to others. O(steps tiles), with O(side / width
/// of tiles) at most for displacements.
inline std::vector<load> trace_of(cloud const& of, tiling const& tiles) {
  initial_counts const begin(of);
  long const dx = 2 * of.k + 1, dy = of.m;
  std::vector<load> steps;
  for (std::uint64_t s = 0; s <= of.steps; ++s) {
    long const x_back = static_cast<long>(s) * dx % of.side, y_back = static_cast<long>(s) * dy % of.side;
    auto const count = [&](range x, range y) {
      return static_cast<double>(begin.in({x.begin - x_back, x.end - x_back}, {y.begin - y_back, y.end - y_back}));
    };
    load next{.work = std::vector<double>(tiles.count()), .messages = {}};
    for (std::size_t t = 0; t < tiles.count(); ++t) {
      range const x = part_of(of.side, tiles.columns, tiles.column(t)), y = part_of(of.side, tiles.rows, tiles.row(t));
      next.work[t] = count(x, y);
      for (auto const& to_x : shifted(of.side, tiles.columns, x, dx))
        for (auto const& to_y : shifted(of.side, tiles.rows, y, dy)) {
          std::size_t const to = tiles.tile(to_x.to, to_y.to);
          double const many = to == t ? 0 : count(to_x.cells, to_y.cells);
          if (many > 0) next.messages.push_back({t, to, many * sizeof(particle)});
        }
    }
    steps.push_back(std::move(next));
  }
  return steps;
}

/// Bytes of each tile's charges, and of its particles in the mean over the steps of a trace.
inline std::vector<double> state_bytes(cloud const& of, tiling const& tiles, std::vector<load> const& steps) {
  std::vector<double> bytes(tiles.count());
  for (std::size_t t = 0; t < bytes.size(); ++t) {
    for (auto const& step : steps) bytes[t] += step.work[t];
    bytes[t] *= sizeof(particle) / static_cast<double>(steps.size());
    bytes[t] += static_cast<double>((part_of(of.side, tiles.columns, tiles.column(t)).size() + 1) *
                                    (part_of(of.side, tiles.rows, tiles.row(t)).size() + 1)) *
                sizeof(double);
  }
  return bytes;
}

}  // namespace kernels
