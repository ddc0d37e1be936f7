#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <skel/detail/pattern/face_neighbours.hpp>
#include <skel/detail/runtime/iteration/mesh_part.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel::runtime::iteration {

/// Times of the steps of a program before it runs.
struct phase_times {
  std::vector<double> seconds;  ///< of each step for an element, with all threads of the rank [s]; 0 of updates
  std::size_t elements = 0;     ///< with which they were measured
};

/// True if ghosts are under way while a phase is computed, as the engine does it. They are those of an update that
/// waits for nothing and is the next step, or was begun since the last step that needed ghosts. False for other steps.
bool hides_updates(std::span<mesh_step const> steps, std::size_t phase);

/// Times the steps of a program on connected elements of its mesh, in this process alone and without outputs. Runs four
/// iterations: the first does not count, of the others the median, as others may have a core for one of them. Copies of
/// elements around them stay as they are made. Caches hold few elements; so a piece is as large as fits into `seconds`,
/// by the times of smaller ones, and has at most `most` elements. It calls the program's functions as often as that
/// needs; begin() has to be called again for the part. Nothing if a function throws, as a program may not be made for a
/// part of its mesh. Throws std::bad_alloc. O(elements of the mesh) for each piece.
std::optional<phase_times> measure_phases(mesh_part& part, face_neighbours const& mesh, std::size_t most,
                                          std::size_t threads, double seconds);

/// Most elements on which find_neighbour_reader() runs.
inline constexpr std::size_t elements_of_reader = 256;

/// The first step that asks for a neighbour's cell in two iterations on a few connected elements, run as
/// measure_phases() does. Nothing if none does, or a function throws. O(elements of the mesh), or O(steps) if no step
/// takes elements. Throws std::bad_alloc.
std::optional<std::size_t> find_neighbour_reader(mesh_part& part, face_neighbours const& mesh);

/// Time of an update or an all-reduce on some ranks with nothing to compute and hardly anything to send, as the engine
/// makes them [s]. It is the mean of both, in the median of iterations and on the slowest rank. Each rank updates a few
/// elements with the one before it and the one behind it. Stalls that are rarer than every other iteration do not
/// count. Collective over all ranks of `among`; those that are not members sleep. The same on all. Precondition: two
/// members at least. Throws as run_mesh() does. Takes 17 iterations, and the beginning and the end of a run.
double time_steps(communicator const& among, std::vector<int> const& members);

}  // namespace skel::runtime::iteration
