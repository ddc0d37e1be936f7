#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <skel/detail/pattern/mesh.hpp>

namespace skel {

/// Where a field has its values: one for each cell, for each node, or for each corner of each cell, where it may jump
/// from cell to cell (discontinuous elements).
enum class field_place : std::uint8_t { cells, nodes, corners };

/// The numbers of a field. They are not copied: they must live until the field was written.
using field_values =
    std::variant<std::span<double const>, std::span<float const>, std::span<std::int8_t const>,
                 std::span<std::uint8_t const>, std::span<std::int16_t const>, std::span<std::uint16_t const>,
                 std::span<std::int32_t const>, std::span<std::uint32_t const>, std::span<std::int64_t const>,
                 std::span<std::uint64_t const>>;

/// A named field over a mesh: `components` numbers for each place, those of the first place first.
struct mesh_field {
  std::string name;
  field_values values;
  field_place place = field_place::cells;
  std::size_t components = 1;  ///< 1 to 9: scalars, vectors, tensors
};

/// Writes a mesh and fields over it as VTK's unstructured grid (XML, numbers as appended raw bytes), which ParaView
/// opens. Fields of corners give each cell nodes of its own. Values are in the order of the mesh's cells, nodes and
/// corners. O(corners + values); memory: a number for each corner, and what is written at once.
/// The file has its name only when it is complete. Throws skel::error where it cannot be written (a full disk too), and
/// skel::input_error for a mesh without coordinates and for fields that do not fit it, have no printable name, one that
/// another has, or not 1 to 9 components.
/// Source: VTK User's Guide, 11th edition 2010, section 19.3, "XML File Formats".
void write_vtu(std::filesystem::path const& file, mesh const& cells, std::vector<mesh_field> const& fields = {});

/// Writes a part of a mesh: these cells of it, with the nodes that they have. Fields of cells and corners have values
/// for these cells in this order, fields of nodes for all nodes of the mesh. O(part's corners log + values). Throws as
/// above, and skel::input_error if there is no such cell.
void write_vtu_part(std::filesystem::path const& file, mesh const& cells, std::span<std::uint32_t const> part,
                    std::vector<mesh_field> const& fields = {});

/// "DIR/NAME_7.vtu": the name of part 7 of "DIR/NAME.pvtu".
std::filesystem::path vtu_part_name(std::filesystem::path const& whole, std::size_t part);

/// Writes the file that makes one mesh of several parts, to be opened instead of them: one process writes it, after all
/// parts have been written. Of the fields, which all parts must have alike, names, places, components and kinds of
/// numbers are taken, and no values. Names of parts are written as they are seen from the folder of the file.
void write_pvtu(std::filesystem::path const& file, std::vector<std::filesystem::path> const& parts,
                std::vector<mesh_field> const& fields = {});

}  // namespace skel
