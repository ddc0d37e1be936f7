#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/pattern/pattern.hpp>

namespace skel {

/// Directed edges between vertices that have names.
struct named_edges {
  std::vector<std::string> names;               ///< of the vertices, in the order in which the list first has them
  std::vector<std::array<subscript, 2>> edges;  ///< from and to, by places in `names`, in the order of the list
};

/// Reads a list of edges whose vertices have any names. It keeps directions, repeated edges and edges from a vertex to
/// itself. The format is that of mesh_format::edges, but names need not be numbers. Behind two names that are no
/// numbers there may only be numbers. O(bytes) expected. Throws skel::input_error with file, line, reason and what to
/// try.
named_edges read_named_edges(std::filesystem::path const& file);
/// The same in a text; `source` is what errors call it.
named_edges parse_named_edges(std::string_view text, std::string const& source);

}  // namespace skel
