#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <skel/detail/pattern/face_neighbours.hpp>
#include <skel/detail/runtime/iteration/mesh_part.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel::runtime::iteration {

/// What is known of a program before it runs.
struct phase_times {
  std::vector<double> seconds;  ///< of each step for an element, with all threads of the rank [s]; 0 of updates
  std::size_t elements = 0;     ///< with which they were measured
};

/// Whether ghosts are under way while a phase is computed, as the engine does it: those of an update that waits for
/// nothing, when it was begun since the last step that needed ghosts, or is the next step. Not of other steps.
bool hides_updates(std::span<mesh_step const> steps, std::size_t phase);

/// Runs four iterations of a program on connected elements of its mesh, in this process alone and without outputs, and
/// times all but the first: the median of each step counts, as others may have a core for one of them. Copies of
/// elements around them stay as they are made. Caches hold few elements, so a piece is as large as fits into `seconds`,
/// by what smaller ones took, and has `most` elements at most. Functions of the program are called as often as that
/// needs; begin() has to be called again for the part. Nothing where a function throws, as a program may not be made
/// for a part of its mesh. Throws std::bad_alloc. O(elements of the mesh) for each piece.
std::optional<phase_times> measure_phases(mesh_part& part, face_neighbours const& mesh, std::size_t most,
                                          std::size_t threads, double seconds);

/// With how many elements find_neighbour_reader() looks, at the most.
inline constexpr std::size_t elements_of_reader = 256;

/// The first step of a program that asks for a neighbour's cell when two iterations are run on a few connected
/// elements, as measure_phases() runs them. Nothing where none does, or a function throws. O(elements of the mesh), or
/// O(steps) where no step takes elements. Throws std::bad_alloc.
std::optional<std::size_t> find_neighbour_reader(mesh_part& part, face_neighbours const& mesh);

/// What an update or an all-reduce takes on some ranks where there is nothing to compute and hardly anything to send,
/// as the engine makes them [s]: the mean of both, in the median of iterations and on the rank that is the slowest.
/// Each rank updates a few elements with the one before it and the one behind it. Stalls that are rarer than every
/// other iteration do not count. Collective over all ranks of `among`, of which those that are not members sleep; the
/// same on all. Precondition: two members at least. Throws as run_mesh() does. Takes 17 iterations, and the beginning
/// and the end of a run.
double time_steps(communicator const& among, std::vector<int> const& members);

}  // namespace skel::runtime::iteration
