#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <skel/error.hpp>
#include <skel/mesh.hpp>

#include "maxwell/cavity_mode.hpp"
#include "maxwell/corners.hpp"
#include "maxwell/element.hpp"
#include "maxwell/filling.hpp"

namespace maxwell {

/// Tetrahedra with the marks of a file, and their neighbours by faces.
struct marked_tetrahedra {
  skel::marked_mesh all;
  skel::face_neighbours faces;

  skel::mesh const& mesh() const { return all.cells; }
};

/// Takes a mesh with the name `name` in errors. Cells are named by their numbers, from 0 in the order of their tags in
/// a file of Gmsh. O(cells). Throws skel::input_error if a cell is no tetrahedron or has no volume, or if three have a
/// face in common.
inline marked_tetrahedra as_tetrahedra(std::string const& name, skel::marked_mesh of) {
  auto const refuse = [&](std::string where, std::string reason) {
    throw skel::input_error(name, std::move(where), std::move(reason));
  };
  auto const& mesh = of.cells;
  if (mesh.cells() == 0) refuse("", "has no cells; make a mesh of volumes, as gmsh -3 does");
  for (std::size_t c = 0; c < mesh.cells(); ++c) {
    std::string const cell = "cell " + std::to_string(c);
    if (mesh.kind(c) != skel::cell_kind::tet)
      refuse(cell, "is a " + std::string(skel::name_of(mesh.kind(c))) +
                       ", and the solver takes tetrahedra only; make the mesh without other cells, as gmsh -3 does");
    if (mesh.dimension() != 3) refuse(cell, "has nodes without three coordinates each");
    try {
      gradients_of(points_of(mesh, c));
    } catch (skel::error const& e) {
      refuse(cell, std::string(e.what()) + "; leave it out, or make the mesh again with better elements");
    }
  }
  try {
    auto faces = skel::neighbours_by_faces(mesh);
    return {std::move(of), std::move(faces)};
  } catch (skel::input_error const& e) {
    refuse(e.where(), e.reason() +
                          "; is an element there twice, or do volumes overlap? In Gmsh, BooleanFragments joins "
                          "volumes, and Coherence Mesh removes what is there twice");
    throw;
  }
}

/// The same in a file (skel::read_mesh()).
inline marked_tetrahedra read_tetrahedra(std::filesystem::path const& file) {
  return as_tetrahedra(file.string(), skel::read_marked_mesh(file));
}

/// A setting of a tag, or of its name, on a command line: TAG=VALUE.
struct tag_setting {
  std::string option, tag, value;
};
/// Throws skel::input_error for any other text.
inline tag_setting parse_tag_setting(std::string const& option, std::string const& text) {
  auto const equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw skel::input_error("command line", option, "'" + text + "' is not TAG=VALUE, as 2=2.25 or glass=2.25");
  return {option, text.substr(0, equals), text.substr(equals + 1)};
}

namespace mesh_file {

/// The tags that cells (dimension 3) or marked faces (2) have.
inline std::set<std::int32_t> tags_of(skel::mesh_marks const& marks, std::size_t dimension) {
  std::set<std::int32_t> tags;
  for (auto const set : dimension == 3 ? marks.cell_sets : marks.face_sets)
    tags.insert(marks.sets[set].begin(), marks.sets[set].end());
  return tags;
}

/// The tag with this number or name. Throws skel::input_error listing the existing ones.
inline std::int32_t tag_of(skel::mesh_marks const& marks, std::size_t dimension, tag_setting const& of) {
  auto const tags = tags_of(marks, dimension);
  if (auto const named = marks.tag_named(dimension, of.tag); named && tags.contains(*named)) return *named;
  std::string listed;
  for (auto const tag : tags) {
    if (std::to_string(tag) == of.tag) return tag;
    auto const name = std::string(marks.name_of(dimension, tag));
    listed += (listed.empty() ? "" : ", ") + std::to_string(tag) + (name.empty() ? "" : " (" + name + ")");
  }
  std::string const what = dimension == 3 ? "volume" : "surface";
  throw skel::input_error("command line", of.option,
                          "no physical " + what + " of the mesh has the tag or name '" + of.tag + "'; there " +
                              (listed.empty() ? "are none" : "are: " + listed));
}

/// The meaning of a set of tags by settings of tags; `none` if none of them is set. Throws skel::input_error if two of
/// them contradict each other.
template <class Value>
Value meaning_of(std::vector<std::int32_t> const& set, std::map<std::int32_t, Value> const& of_tag, Value none,
                 std::string const& option) {
  Value found = none;
  std::int32_t by = 0;
  bool any = false;
  for (auto const tag : set) {
    auto const one = of_tag.find(tag);
    if (one == of_tag.end()) continue;
    if (any && found != one->second)
      throw skel::input_error("command line", option,
                              "something in the mesh has both tags " + std::to_string(by) + " and " +
                                  std::to_string(tag) + ", which are given different values");
    found = one->second, by = tag, any = true;
  }
  return found;
}

}  // namespace mesh_file

/// Permittivities of cells by the tags of their volumes; 1 for volumes without a setting. Empty without settings.
inline std::vector<material> matter_of_tags(marked_tetrahedra const& of, std::vector<tag_setting> const& settings) {
  if (settings.empty()) return {};
  auto const& marks = of.all.marks;
  std::map<std::int32_t, double> of_tag;
  for (auto const& one : settings) {
    double value = 0;
    auto const end = one.value.data() + one.value.size();
    auto const [rest, problem] = std::from_chars(one.value.data(), end, value);
    if (problem != std::errc{} || rest != end || !(value > 0) || !std::isfinite(value))
      throw skel::input_error("command line", one.option, "'" + one.value + "' is no permittivity: a number above 0");
    of_tag[mesh_file::tag_of(marks, 3, one)] = value;
  }
  std::vector<double> of_set;
  for (auto const& set : marks.sets) of_set.push_back(mesh_file::meaning_of(set, of_tag, 1.0, settings.front().option));
  std::vector<material> out;
  for (auto const set : marks.cell_sets) out.push_back({.permittivity = of_set[set]});
  return out;
}

/// The boundary of a mesh by the tags of its faces.
struct boundary {
  std::vector<std::array<wall, 4>> walls{};  ///< of each cell; empty: all electric
  std::array<std::size_t, 3> faces_of{};     ///< number of faces of each kind
  std::size_t untagged = 0;                  ///< faces without a tag, which are electric
};

/// Faces without a setting are electric walls. Throws skel::input_error for a tag of faces between two cells.
inline boundary boundary_of_tags(marked_tetrahedra const& of, std::vector<tag_setting> const& settings) {
  static std::map<std::string, wall> const kinds{
      {"electric", wall::electric}, {"magnetic", wall::magnetic}, {"open", wall::open}};
  auto const& marks = of.all.marks;
  std::map<std::int32_t, wall> of_tag;
  for (auto const& one : settings) {
    auto const kind = kinds.find(one.value);
    if (kind == kinds.end())
      throw skel::input_error("command line", one.option,
                              "'" + one.value + "' is no kind of wall; there are electric, magnetic and open");
    of_tag[mesh_file::tag_of(marks, 2, one)] = kind->second;
  }
  std::vector<wall> of_set;
  for (auto const& set : marks.sets)
    of_set.push_back(settings.empty() ? wall::electric
                                      : mesh_file::meaning_of(set, of_tag, wall::electric, settings.front().option));
  boundary out;
  if (!settings.empty()) out.walls.resize(of.mesh().cells());
  auto const set_of = skel::sets_of_faces(of.all, of.faces);
  for (std::size_t k = 0; k < set_of.size(); ++k) {
    auto const& set = marks.sets[set_of[k]];
    if (of.faces.all()[k] != skel::face_neighbours::none) {
      for (auto const tag : set)
        if (of_tag.contains(tag))
          throw skel::input_error("command line", settings.front().option,
                                  "tag " + std::to_string(tag) + " is of a face between cells " +
                                      std::to_string(k / 4) + " and " + std::to_string(of.faces.all()[k]) +
                                      " too; a wall is where the mesh ends: give its faces a physical surface of "
                                      "their own");
      continue;
    }
    wall const kind = of_set[set_of[k]];
    if (!out.walls.empty()) out.walls[k / 4][k % 4] = kind;
    ++out.faces_of[static_cast<std::size_t>(kind)];
    if (set.empty()) ++out.untagged;
  }
  return out;
}

/// The box around a mesh. Precondition: it has nodes.
inline brick brick_of(skel::mesh const& mesh) {
  constexpr double far = std::numeric_limits<double>::infinity();
  brick out{{far, far, far}, {-far, -far, -far}};
  for (auto const node : mesh.corners())
    for (std::size_t a = 0; a < 3; ++a) {
      out.least[a] = std::min(out.least[a], mesh.point(node)[a]);
      out.greatest[a] = std::max(out.greatest[a], mesh.point(node)[a]);
    }
  return out;
}

/// Sizes of a mesh's tetrahedra.
struct mesh_sizes {
  double volume = 0;            ///< of all
  double inscribed_radius = 0;  ///< of the smallest inscribed sphere
  /// The edge of a regular tetrahedron of the mean volume.
  double mean_edge = 0;
};
inline mesh_sizes sizes_of(skel::mesh const& mesh) {
  mesh_sizes out{.inscribed_radius = std::numeric_limits<double>::infinity()};
  for (std::size_t c = 0; c < mesh.cells(); ++c) {
    element<> const at{.gradients = gradients_of(points_of(mesh, c))};
    out.volume += volume(at);
    out.inscribed_radius = std::min(out.inscribed_radius, inscribed_radius(at));
  }
  out.mean_edge = std::cbrt(6 * std::numbers::sqrt2 * out.volume / static_cast<double>(mesh.cells()));
  return out;
}

/// True if a mesh of this volume fills a box, so that modes of the box are its own.
inline bool fills(brick const& in, double volume) {
  constexpr double rounding = 1e-9;  // of a sum over cells, and of coordinates that Gmsh has computed
  return std::abs(volume / (in.edge(0) * in.edge(1) * in.edge(2)) - 1) < rounding;
}

/// The middle of the cell whose middle is nearest to a point. O(cells).
inline point nearest_middle(skel::mesh const& mesh, point const& wished) {
  auto const middles = skel::centres_of(mesh);
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < mesh.cells(); ++c) {
    double const far =
        std::hypot(middles[3 * c] - wished[0], middles[3 * c + 1] - wished[1], middles[3 * c + 2] - wished[2]);
    if (far < least) least = far, best = c;
  }
  return {middles[3 * best], middles[3 * best + 1], middles[3 * best + 2]};
}

}  // namespace maxwell
