// A format of a test's own: its row is all that it takes to be read by name and by ending, and to be tested like all
// others (mesh_files_test.cpp runs all rows).
#include <numeric>

#include <gmock/gmock.h>

#include <skel/detail/base/text_lines.hpp>
#include <skel/detail/formats/mesh_files.hpp>

#include "support/registry_laws.hpp"

namespace {

/// The number of nodes of a ring.
skel::marked_mesh read_ring(std::string_view bytes, std::string const& source) {
  skel::text_lines text(bytes, source);
  text.expect_words("#", "a number of nodes");
  auto const nodes = static_cast<std::size_t>(text.integer("a number of nodes", 3, 1'000'000));
  text.expect_end("a number of nodes");
  std::vector<skel::subscript> ends(2 * nodes);
  for (std::size_t k = 0; k < ends.size(); ++k) ends[k] = static_cast<skel::subscript>((k + 1) / 2 % nodes);
  return {skel::mesh(nodes, skel::cell_kind::line, std::move(ends)), {}};
}

bool const is_added = [] {
  skel::mesh_formats().add({"ring", "A number of nodes, joined in a ring.", read_ring});
  return true;
}();

TEST(OwnFormat, IsReadByItsNameAndItsEnding) {
  ASSERT_TRUE(is_added);
  check_registry(skel::mesh_formats());
  check_documented(skel::mesh_formats(), "formats.md");
  auto const read = skel::parse_mesh("5\n", skel::mesh_format_named("ring"), "five");
  EXPECT_EQ(read.nodes(), 5U);
  EXPECT_EQ(read.cells(), 5U);
  EXPECT_THAT(read.cell(4), testing::ElementsAre(4U, 0U));
  EXPECT_EQ(skel::mesh_format_of("five.RING"), skel::mesh_format_named("ring"));
}

}  // namespace
