#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <skel/detail/base/error.hpp>
#include <skel/detail/formats/mesh_files.hpp>
#include <skel/detail/pattern/face_neighbours.hpp>
#include <skel/detail/pattern/made_meshes.hpp>

namespace {

/// Marks are of cells and faces that are there, by sets that are there.
void check_marks(skel::marked_mesh const& read) {
  auto const& marks = read.marks;
  std::size_t const cells = read.cells.cells();
  if (!marks.cell_sets.empty() && marks.cell_sets.size() != cells) std::abort();
  if (!marks.parts.empty() && marks.parts.size() != cells) std::abort();
  if (marks.face_sets.size() != marks.faces.cells()) std::abort();
  for (std::size_t c = 0; c < cells; ++c)
    for (auto const tag : marks.of_cell(c))
      if (tag < 0) std::abort();
  for (std::size_t f = 0; f < marks.faces.cells(); ++f)
    if (marks.of_face(f).empty()) std::abort();
  for (auto const& ghost : marks.ghosts)
    if (ghost.cell >= cells) std::abort();
  try {
    auto const neighbours = neighbours_by_faces(read.cells);
    for (std::size_t c = 0; c < cells; ++c)
      for (auto const other : neighbours.of(c))
        if (other != skel::face_neighbours::none && other >= cells) std::abort();
    for (auto const set : sets_of_faces(read, neighbours))
      if (set >= marks.sets.size()) std::abort();
  } catch (skel::input_error const&) {  // lines, and cells that share faces as none can
  }
}

}  // namespace

/// The first byte is the first letter of a format (h: msh), or chooses one; any text behind it is either refused by an
/// error that says where, or a mesh that does not contradict itself.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::string_view letters = "mgpsoeh";
  std::size_t const letter = letters.find(static_cast<char>(data[0]));
  auto const format =
      static_cast<skel::mesh_format>(letter == std::string_view::npos ? data[0] % letters.size() : letter);
  try {
    auto const marked = skel::parse_marked_mesh({reinterpret_cast<char const*>(data) + 1, size - 1}, format, "fuzz");
    auto const& read = marked.cells;
    if (read.nodes() <= 50000) check_marks(marked);
    if (read.corners().size() > size || read.cells() > size) std::abort();
    auto const pattern = pattern_of(read);
    if (pattern.iterations() != read.cells() || pattern.elements() != read.nodes()) std::abort();
    auto const edges = edges_of(read);
    if (edges_of(edges).cells() != edges.cells()) std::abort();
    bool const graph = format == skel::mesh_format::mtx || format == skel::mesh_format::graph;
    if ((graph || format == skel::mesh_format::edges) && edges.cells() != read.cells()) std::abort();
    if (read.nodes() > 50000 || read.corners().size() > 50000) return 0;  // the head may promise more than is fast
    auto const fine = refine(read);
    if (read.cells() > 0 && fine.cells() < 2 * read.cells()) std::abort();
    auto const again = renumber(fine, skel::numbering::rcm, skel::numbering::random);
    if (again.nodes() != fine.nodes() || again.corners().size() != fine.corners().size()) std::abort();
  } catch (skel::input_error const& refused) {
    if (refused.source() != "fuzz" || refused.reason().empty()) std::abort();
  }
  return 0;
}
