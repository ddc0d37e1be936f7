#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <skel/detail/base/error.hpp>
#include <skel/detail/pattern/mesh_files.hpp>
#include <skel/detail/pattern/numbering.hpp>
#include <skel/detail/pattern/refine.hpp>

/// The first byte is the first letter of a format, or chooses one; any text behind it is either refused by an error
/// that says where, or a mesh that does not contradict itself.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::string_view letters = "mgpsoe";
  std::size_t const letter = letters.find(static_cast<char>(data[0]));
  auto const format =
      static_cast<skel::mesh_format>(letter == std::string_view::npos ? data[0] % letters.size() : letter);
  try {
    auto const read = skel::parse_mesh({reinterpret_cast<char const*>(data) + 1, size - 1}, format, "fuzz");
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
