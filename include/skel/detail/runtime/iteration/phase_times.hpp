#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <skel/detail/pattern/face_neighbours.hpp>
#include <skel/detail/runtime/iteration/mesh_part.hpp>

namespace skel::runtime::iteration {

/// What is known of a program before it runs.
struct phase_times {
  std::vector<double> seconds;  ///< of each step for an element, with all threads of the rank [s]; 0 of updates
  std::size_t elements = 0;     ///< with which they were measured
};

/// Runs the first iteration of a program on a connected piece of its mesh, in this process alone, without outputs:
/// copies of elements around the piece stay as they are made. The piece grows, as caches hold small ones, until it has
/// `most` elements or has taken a quarter of `seconds`. Functions of the program are called as often as that needs; the
/// part is as before its begin() afterwards. Nothing where a function throws: it may not be made for a piece.
/// O(elements of the piece) for each of its sizes.
std::optional<phase_times> measure_phases(mesh_part& part, face_neighbours const& mesh, std::size_t most,
                                          std::size_t threads, double seconds);

}  // namespace skel::runtime::iteration
