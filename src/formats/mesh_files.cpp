#include <skel/detail/formats/mesh_files.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <system_error>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/near_name.hpp>

#include "mesh_formats.hpp"

namespace skel {

namespace {

struct known_format {
  char const* name;
  mesh_format format;
  mesh (*read_lines)(text_lines&);  ///< none: read_bytes
  marked_mesh (*read_bytes)(std::string_view, std::string const&) = nullptr;
};

constexpr std::array<known_format, 7> known{{
    {"mtx", mesh_format::mtx, skeletons::read_matrix_market},
    {"graph", mesh_format::graph, skeletons::read_metis_graph},
    {"pack", mesh_format::pack, skeletons::read_spark98_pack},
    {"su2", mesh_format::su2, skeletons::read_su2},
    {"obj", mesh_format::obj, skeletons::read_wavefront_obj},
    {"edges", mesh_format::edges, skeletons::read_edge_list},
    {"msh", mesh_format::msh, nullptr, skeletons::read_gmsh},
}};

std::string listed() {
  std::string all;
  for (known_format const& one : known) all += (all.empty() ? "" : ", ") + std::string(one.name);
  return all;
}

known_format const* find(std::string_view name) {
  auto const found =
      std::find_if(known.begin(), known.end(), [&](known_format const& one) { return one.name == name; });
  return found == known.end() ? nullptr : &*found;
}

/// The largest file of a mesh [B]. A mesh and what is needed to read it take no more than so many times its file.
std::uintmax_t most_bytes() {
  constexpr std::uintmax_t mesh_per_file = 24;  // measured by MeshFiles.TakeMemoryInProportionToTheirBytes
  return machine_memory() / mesh_per_file;
}

}  // namespace

std::vector<std::string> const& mesh_format_names() {
  static std::vector<std::string> const names = [] {
    std::vector<std::string> all;
    for (known_format const& one : known) all.emplace_back(one.name);
    return all;
  }();
  return names;
}

mesh_format mesh_format_named(std::string_view name) {
  if (known_format const* found = find(name)) return found->format;
  throw input_error("format", "",
                    "there is no format " + in_quotes(name) + "; the formats are: " + listed() +
                        did_you_mean(name, mesh_format_names()));
}

mesh_format mesh_format_of(std::filesystem::path const& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (!ending.empty())
    if (known_format const* found = find(std::string_view(ending).substr(1))) return found->format;
  bool const packed = ending == ".gz" || ending == ".bz2" || ending == ".xz" || ending == ".zst" || ending == ".zip";
  throw input_error(
      file.string(), "",
      (ending.empty() ? "has no ending" : "has the ending " + in_quotes(ending)) + ", which does not say its format; " +
          (packed ? "unpack it first; " : "name the format, one of: ") + (packed ? "formats: " : "") + listed());
}

marked_mesh read_marked_mesh(std::filesystem::path const& file, std::optional<mesh_format> format) {
  if (std::error_code error; std::filesystem::is_directory(file, error))
    throw input_error(file.string(), "", "is a folder; give the name of a file in it");
  mesh_format const of = format ? *format : mesh_format_of(file);
  return parse_marked_mesh(read_input(file, most_bytes()), of, file.string());
}

marked_mesh parse_marked_mesh(std::string_view text, mesh_format format, std::string const& source) {
  auto const reader =
      std::find_if(known.begin(), known.end(), [&](known_format const& one) { return one.format == format; });
  if (reader->read_bytes != nullptr) return reader->read_bytes(text, source);
  text_lines lines(text, source);
  return {reader->read_lines(lines), {}};
}

mesh read_mesh(std::filesystem::path const& file, std::optional<mesh_format> format) {
  return read_marked_mesh(file, format).cells;
}

mesh parse_mesh(std::string_view text, mesh_format format, std::string const& source) {
  return parse_marked_mesh(text, format, source).cells;
}

}  // namespace skel
