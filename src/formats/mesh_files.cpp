#include <skel/detail/formats/mesh_files.hpp>

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>

#include "mesh_formats.hpp"

namespace skel {

namespace {

marked_mesh without_marks(mesh cells) {
  return {std::move(cells), {}};
}

template <mesh (*Read)(text_lines&)>
marked_mesh by_lines(std::string_view bytes, std::string const& source) {
  text_lines lines(bytes, source);
  return without_marks(Read(lines));
}

constexpr mesh_format_row format_rows[] = {
    {"mtx", "Matrix Market: a matrix, as the graph of its rows.", by_lines<skeletons::read_matrix_market>},
    {"graph", "METIS: a graph, without its weights.", by_lines<skeletons::read_metis_graph>},
    {"pack", "Spark98: elements of one subdomain.", by_lines<skeletons::read_spark98_pack>},
    {"su2", "SU2: elements of one zone.", by_lines<skeletons::read_su2>},
    {"obj", "Wavefront OBJ: faces.", by_lines<skeletons::read_wavefront_obj>},
    {"edges", "Lines that begin with the two nodes of an edge.", by_lines<skeletons::read_edge_list>},
    {"msh", "Gmsh 4.1: elements of the highest dimension.", skeletons::read_gmsh},
};

/// The largest file of a mesh [B]. A mesh and the memory to read it take no more than so many times its file.
std::uintmax_t most_bytes() {
  constexpr std::uintmax_t mesh_per_file = 24;  // measured by MeshFiles.TakeMemoryInProportionToTheirBytes
  return machine_memory() / mesh_per_file;
}

}  // namespace

registry<mesh_format_row>& mesh_formats() {
  static registry<mesh_format_row> all("format", format_rows);
  return all;
}

mesh_format mesh_format_of(std::filesystem::path const& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (!ending.empty())
    if (auto const found = mesh_formats().find(std::string_view(ending).substr(1)))
      return static_cast<mesh_format>(*found);
  bool const packed = ending == ".gz" || ending == ".bz2" || ending == ".xz" || ending == ".zst" || ending == ".zip";
  throw input_error(file.string(), "",
                    (ending.empty() ? "has no ending" : "has the ending " + in_quotes(ending)) +
                        ", which does not say its format; " +
                        (packed ? "unpack it first; " : "name the format, one of: ") + (packed ? "formats: " : "") +
                        joined(mesh_formats().names()));
}

marked_mesh read_marked_mesh(std::filesystem::path const& file, std::optional<mesh_format> format) {
  if (std::error_code error; std::filesystem::is_directory(file, error))
    throw input_error(file.string(), "", "is a folder; give the name of a file in it");
  mesh_format const of = format ? *format : mesh_format_of(file);
  return parse_marked_mesh(read_input(file, most_bytes()), of, file.string());
}

marked_mesh parse_marked_mesh(std::string_view text, mesh_format format, std::string const& source) {
  return mesh_formats()[static_cast<std::size_t>(format)].read(text, source);
}

mesh read_mesh(std::filesystem::path const& file, std::optional<mesh_format> format) {
  return read_marked_mesh(file, format).cells;
}

mesh parse_mesh(std::string_view text, mesh_format format, std::string const& source) {
  return parse_marked_mesh(text, format, source).cells;
}

}  // namespace skel
