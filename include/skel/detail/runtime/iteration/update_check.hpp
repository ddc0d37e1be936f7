#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include <skel/detail/pattern/face_neighbours.hpp>
#include <skel/detail/runtime/iteration/mesh_part.hpp>

namespace skel::runtime::iteration {

/// Cells that find_forgotten_update() keeps for each element of the mesh.
inline constexpr double cells_of_check = 5;

/// The result of find_forgotten_update().
struct update_check {
  std::optional<program_failure> found{};
  std::uint64_t iterations = 0;  ///< compared from beginning to end, if nothing is found
};

/// Looks for updates that a program has forgotten. It runs the first iterations in this process, without outputs: once
/// on all elements, and once on parts with random elements each and ghosts of their own. After each step it compares
/// the elements of both, bit by bit. The first difference is a failure with its step, element, iteration and a remedy;
/// for that it runs again with each update of the program before that step. Totals are those of all elements
/// everywhere, as those of parts differ by rounding. It ends if a function throws on all elements too, if the program
/// ends, and after an interrupt.
///
/// It calls the program's functions as often as that needs; begin() has to be called again for the part. Memory: about
/// cells_of_check times as many cells as the mesh has elements. O(elements) for each iteration.
/// Throws skel::error if cells cannot be compared, std::bad_alloc. Precondition: iterations > 0.
update_check find_forgotten_update(mesh_part& part, face_neighbours const& mesh, std::uint64_t iterations,
                                   std::atomic<bool> const* interrupt);

}  // namespace skel::runtime::iteration
