#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include <skel/detail/pattern/face_neighbours.hpp>
#include <skel/detail/runtime/iteration/mesh_part.hpp>

namespace skel::runtime::iteration {

/// Cells that find_forgotten_update() keeps for each element of the mesh.
inline constexpr double cells_of_check = 5;

/// What find_forgotten_update() has seen.
struct update_check {
  std::optional<program_failure> found{};
  std::uint64_t iterations = 0;  ///< that were compared from their beginning to their end, where nothing is found
};

/// Looks for updates that a program has forgotten: runs its first iterations in this process, without outputs, once on
/// all elements and once on parts that have random elements each, with ghosts of their own, and compares after each
/// step what both give of each element, bit by bit. What differs first: a failure with its step, element, iteration,
/// and what to try, for which it runs again with each update of the program before that step. Totals are those of all
/// elements everywhere, as those of parts differ by rounding. It ends where a function throws on all elements too,
/// where the program ends, and after an interrupt.
///
/// Functions of the program are called as often as that needs; begin() has to be called again for the part. Memory:
/// about as many cells as the mesh has elements, cells_of_check times. O(elements) for each iteration.
/// Throws skel::error where cells cannot be compared, std::bad_alloc. Precondition: iterations > 0.
update_check find_forgotten_update(mesh_part& part, face_neighbours const& mesh, std::uint64_t iterations,
                                   std::atomic<bool> const* interrupt);

}  // namespace skel::runtime::iteration
