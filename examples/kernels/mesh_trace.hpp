#pragma once

/// Work of the tiles of a grid with refinements in each superstep, and their messages.
#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/mesh.hpp"
#include "kernels/trace.hpp"

namespace kernels {

/// Calls f(tile, points) with the points of a tile's edge that each neighbour reads.
template <class F>
void for_each_edge(tiling const& tiles, std::size_t tile, area const& own, F f) {
  long const c = tiles.column(tile), r = tiles.row(tile);
  if (c > 0) f(tiles.tile(c - 1, r), area{{own.x.begin, own.x.begin + radius}, own.y});
  if (c + 1 < tiles.columns) f(tiles.tile(c + 1, r), area{{own.x.end - radius, own.x.end}, own.y});
  if (r > 0) f(tiles.tile(c, r - 1), area{own.x, {own.y.begin, own.y.begin + radius}});
  if (r + 1 < tiles.rows) f(tiles.tile(c, r + 1), area{own.x, {own.y.end - radius, own.y.end}});
}

/// Calls f(tile of g, points) with the points of a tile of the background for interpolating tiles of refinement g.
/// O(tiles).
template <class F>
void for_each_interpolation(mesh const& of, tiling const& tiles, area const& own, int g, F f) {
  for (std::size_t t = 0; t < tiles.count(); ++t) {
    area const wanted = common(own, background_of(of, area_of(of, tiles, t, g + 1), g));
    if (wanted.x.size() > 0 && wanted.y.size() > 0) f(t, wanted);
  }
}

/// Floating-point operations of an update of a tile, and of its interpolation, as the kernel counts them.
inline double update_work(area const& own, long side) {
  range const inner{radius, side - radius};
  return stencil_flops * static_cast<double>(common(own, area{inner, inner}).size());
}
inline double interpolation_work(mesh const& of, area const& own, int g) {
  if (of.level == 0) return 0;
  return interpolation_flops * static_cast<double>(own.size() + own.x.size() * background_of(of, own, g).y.size());
}

/// Activity of a process in a superstep: it may update its tile, and then send edges.
struct activity {
  bool updates = false, sends_edges = false;
  int next_refinement = -1;  ///< to be interpolated from the background before the next superstep of this grid
};
inline activity activity_of(mesh const& of, std::uint64_t superstep, int grid) {
  moment const now = moment_of(of, superstep);
  if (grid == 0) {
    long const next = now.iteration + 1;
    bool const due = now.iteration < 0 || now.update == 0, goes_on = due && next <= of.iterations;
    return {now.iteration >= 0 && due, goes_on,
            goes_on && next % of.period == 0 ? static_cast<int>(next / of.period % 4) : -1};
  }
  if (!now.refined || now.which != grid - 1) return {};
  moment const next = moment_of(of, superstep + 1);
  return {true,
          next.refined && next.which == now.which && next.iteration <= of.iterations &&
              next.iteration / of.period == now.iteration / of.period,
          -1};
}

/// Work and messages of all supersteps but the first, which only sends. Processes have the numbers of process_of().
inline std::vector<load> trace_of(mesh const& of, tiling const& tiles) {
  std::vector<load> steps;
  std::vector<double> born(tiles.count() * grids);  // interpolation, in the superstep after its values were sent
  for (std::uint64_t s = 1; s <= supersteps_of(of); ++s) {
    load next{.work = std::exchange(born, std::vector<double>(tiles.count() * grids)), .messages = {}};
    for (std::size_t t = 0; t < tiles.count(); ++t)
      for (int grid = 0; grid < static_cast<int>(grids); ++grid) {
        auto const does = activity_of(of, s, grid);
        area const own = area_of(of, tiles, t, grid);
        std::size_t const p = process_of(t, grid);
        if (does.updates) next.work[p] += update_work(own, grid == 0 ? of.side : of.fine_side());
        if (does.sends_edges)
          for_each_edge(tiles, t, own, [&](std::size_t to, area const& edge) {
            next.messages.push_back({p, process_of(to, grid), static_cast<double>(edge.size()) * sizeof(double)});
          });
        if (int const g = does.next_refinement; g >= 0)
          for_each_interpolation(of, tiles, own, g, [&](std::size_t to, area const& points) {
            next.messages.push_back({p, process_of(to, g + 1), static_cast<double>(points.size()) * sizeof(double)});
          });
      }
    if (int const g = activity_of(of, s, 0).next_refinement; g >= 0)
      for (std::size_t t = 0; t < tiles.count(); ++t)
        born[process_of(t, g + 1)] = interpolation_work(of, area_of(of, tiles, t, g + 1), g);
    if (s > 1) steps.push_back(std::move(next));
  }
  return steps;
}

/// Bytes of inputs and outputs of each process.
inline std::vector<double> state_bytes(mesh const& of, tiling const& tiles) {
  std::vector<double> bytes;
  for (std::size_t t = 0; t < tiles.count(); ++t)
    for (int grid = 0; grid < static_cast<int>(grids); ++grid) {
      area const own = area_of(of, tiles, t, grid);
      bytes.push_back(static_cast<double>(own.size() + (own.x.size() + 2 * radius) * (own.y.size() + 2 * radius)) *
                      sizeof(double));
    }
  return bytes;
}

}  // namespace kernels
