#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/pattern/face_neighbours.hpp>
#include <skel/detail/plan/mesh_layout.hpp>
#include <skel/detail/runtime/iteration/mesh_part.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel::runtime::iteration {

/// Written cells, sorted by the ranks that need them: the one that is to compute the element, and those of the elements
/// behind its faces. `cells`: numbers with the bytes of mesh_part::write_cell(). Throws skel::error if they are not
/// that. O(bytes + faces of the elements).
std::vector<std::string> cells_by_rank(std::span<std::byte const> cells, face_neighbours const& mesh,
                                       std::span<std::uint32_t const> rank_of, std::size_t ranks);

/// The bytes of all cells that are computed here. Throws what their author's serializer throws; then `element`, if not
/// null, gets the number of the cell's element.
std::string written_cells(mesh_part const& part, plan::mesh_layout const& layout, std::uint64_t* element = nullptr);

/// Each rank gives a text for each rank, and gets the texts of all ranks for it, by their numbers. Collective, from the
/// thread that initialised MPI.
std::vector<std::string> exchange_texts(std::vector<std::string> for_ranks, communicator const& ranks);

/// Gives a part its cells in a new layout, that of `rank_of` on this rank. They come from the layout that it had; or
/// from `read` (a checkpoint) if rank 0 has it: then cells here do not count. `iteration`: the last one that is done.
/// Collective. Throws skel::mesh_error on every rank, with the exception of the author's serializer, if cells cannot be
/// written or read.
void move_cells(mesh_part& part, std::uint64_t iteration, plan::mesh_layout const* from,
                std::optional<std::string> const& read, face_neighbours const& mesh,
                std::span<std::uint32_t const> rank_of, plan::mesh_layout const& to, communicator const& ranks);

}  // namespace skel::runtime::iteration
