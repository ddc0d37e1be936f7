#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <skel/detail/pattern/mesh.hpp>

namespace bench::reductions {

/// Where molecules are, in a box from 0 to `box` along each axis; periodic: what leaves it comes in on the other side.
struct molecules {
  std::vector<double> where;  ///< three coordinates for each
  std::array<double, 3> box{};
  bool periodic = true;

  std::size_t size() const { return where.size() / 3; }
};

/// The pairs of molecules that are nearer to each other than the cut-off, as lines: each once, those of molecule 0
/// first, from the molecule with the lower number. By link cells: O(molecules x those in 27 cells). Throws
/// skel::input_error for a periodic box that is not twice as wide as the cut-off, in which pairs meet twice. Source:
/// Plimpton 1995, Journal of Computational Physics 117:1-19.
skel::mesh pairs_within(molecules const& of, double cut_off);

}  // namespace bench::reductions
