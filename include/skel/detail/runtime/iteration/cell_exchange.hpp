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

/// Cells that are written, by the rank that they are for: each goes to where its element is to be computed, and to
/// where elements behind its faces are. `cells`: numbers with what is written of them, as mesh_part::write_cell() has
/// them. O(bytes
/// + faces of the elements). Throws skel::error where they are not that.
std::vector<std::string> cells_by_rank(std::span<std::byte const> cells, face_neighbours const& mesh,
                                       std::span<std::uint32_t const> rank_of, std::size_t ranks);

/// What is written of all cells that are computed here. Throws what their author's serializer throws; `element` is the
/// number of the one for which it did, where it is not null.
std::string written_cells(mesh_part const& part, plan::mesh_layout const& layout, std::uint64_t* element = nullptr);

/// Each rank gives what is for each rank, and gets what all ranks have for it, by their numbers. Collective, from the
/// thread that initialised MPI.
std::vector<std::string> exchange_texts(std::vector<std::string> for_ranks, communicator const& ranks);

/// A part has its cells in a new layout, that of `rank_of` on this rank, from those in the layout that it had; and
/// those that are read from elsewhere (a checkpoint) on rank 0, where there are any: then cells here do not count.
/// `iteration`: the last one that is done. Collective. Throws on every rank skel::mesh_error, with what its author's
/// serializer threw, where cells cannot be written or read.
void move_cells(mesh_part& part, std::uint64_t iteration, plan::mesh_layout const* from,
                std::optional<std::string> const& read, face_neighbours const& mesh,
                std::span<std::uint32_t const> rank_of, plan::mesh_layout const& to, communicator const& ranks);

}  // namespace skel::runtime::iteration
