#include <skel/pattern/mesh_files.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <skel/base/error.hpp>
#include <skel/base/near_name.hpp>

#include "mesh_formats.hpp"

namespace skel {

namespace {

struct known_format {
  char const* name;
  mesh_format format;
  mesh (*read)(patterns::text_lines&);
};

constexpr std::array<known_format, 6> known{{
    {"mtx", mesh_format::mtx, patterns::read_matrix_market},
    {"graph", mesh_format::graph, patterns::read_metis_graph},
    {"pack", mesh_format::pack, patterns::read_spark98_pack},
    {"su2", mesh_format::su2, patterns::read_su2},
    {"obj", mesh_format::obj, patterns::read_wavefront_obj},
    {"edges", mesh_format::edges, patterns::read_edge_list},
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

std::string read_file(std::filesystem::path const& file) {
  std::error_code error;
  auto const status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) throw input_error(file.string(), "", "does not exist; give the name of a file");
  if (std::filesystem::is_directory(status))
    throw input_error(file.string(), "", "is a folder; give the name of a file in it");
  if (std::filesystem::is_character_file(status) || std::filesystem::is_block_file(status))
    throw input_error(file.string(), "", "is a device, which may have no end; give the name of a file");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw input_error(file.string(), "", "cannot be opened; may you read it?");
  std::string text;
  auto const bytes = std::filesystem::is_regular_file(status) ? std::filesystem::file_size(file, error) : 0;
  auto const too_large = [&] {
    return input_error(file.string(), "", "has " + std::to_string(bytes) + " bytes, which do not fit into memory");
  };
  try {
    if (!error) text.reserve(static_cast<std::size_t>(bytes) + 1);
    std::array<char, 1 << 16> piece;
    while (in.read(piece.data(), piece.size()) || in.gcount() > 0)
      text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
  } catch (std::bad_alloc const&) {
    throw too_large();
  } catch (std::length_error const&) {
    throw too_large();
  }
  if (in.bad()) throw input_error(file.string(), "", "cannot be read to its end");
  return text;
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
                    "there is no format " + patterns::shown(name) + "; the formats are: " + listed() +
                        did_you_mean(name, mesh_format_names()));
}

mesh_format mesh_format_of(std::filesystem::path const& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (!ending.empty())
    if (known_format const* found = find(std::string_view(ending).substr(1))) return found->format;
  bool const packed = ending == ".gz" || ending == ".bz2" || ending == ".xz" || ending == ".zst" || ending == ".zip";
  throw input_error(file.string(), "",
                    (ending.empty() ? "has no ending" : "has the ending " + patterns::shown(ending)) +
                        ", which does not say its format; " +
                        (packed ? "unpack it first; " : "name the format, one of: ") + (packed ? "formats: " : "") +
                        listed());
}

mesh read_mesh(std::filesystem::path const& file, std::optional<mesh_format> format) {
  if (std::error_code error; std::filesystem::is_directory(file, error))
    throw input_error(file.string(), "", "is a folder; give the name of a file in it");
  mesh_format const of = format ? *format : mesh_format_of(file);
  return parse_mesh(read_file(file), of, file.string());
}

mesh parse_mesh(std::string_view text, mesh_format format, std::string source) {
  patterns::text_lines lines(text, std::move(source));
  auto const reader =
      std::find_if(known.begin(), known.end(), [&](known_format const& one) { return one.format == format; });
  return reader->read(lines);
}

}  // namespace skel
