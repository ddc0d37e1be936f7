#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <formats/gmsh_writing.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/formats/mesh_files.hpp>

namespace {

using skel::cell_kind;
using skel::ghost_cell;
using skel::mark_name;
using skel::marked_mesh;
using skel::mesh_format;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

marked_mesh parsed(std::string const& bytes) {
  return skel::parse_marked_mesh(bytes, mesh_format::msh, "file");
}

std::string refusal(std::string const& bytes) {
  try {
    parsed(bytes);
  } catch (skel::input_error const& refused) {
    return refused.what();
  }
  return "nothing was refused";
}

/// Where the entities are, whose places nobody reads.
std::vector<double> const box{0, 0, 0, 1, 1, 1};

/// Two tets of two regions, which share a face, with marks on some of their faces. Tags of nodes have gaps and come in
/// no order; tags are the same in several dimensions.
std::string two_tets(bool binary) {
  gmsh_writing file(binary);
  file.text("$PhysicalNames\n3\n2 1 \"wall\"\n2 4 \"far away\"\n3 1 \"air\"\n$EndPhysicalNames\n");
  file.begin("Entities").sizes({1, 1, 2, 2}).line();
  file.integer(1).numbers({0, 0, 0}).counted({}).line();
  file.integer(1).numbers(box).counted({9}).counted({1, -1}).line();
  file.integer(1).numbers(box).counted({1}).counted({1}).line();
  file.integer(2).numbers(box).counted({4, -1}).counted({1}).line();
  file.integer(1).numbers(box).counted({1}).counted({1, 2}).line();
  file.integer(5).numbers(box).counted({}).counted({2}).line();
  file.end();
  file.begin("Nodes").sizes({3, 5, 2, 30}).line();
  file.integers({0, 1, 0}).size(1).line().size(10).line().numbers({0, 0, 0}).line();
  file.integers({2, 1, 1}).size(3).line();
  for (std::uint64_t const tag : {7U, 30U, 2U}) file.size(tag).line();
  file.numbers({1, 0, 0, 0.5, 0.5}).line().numbers({0, 1, 0, 0.25, 0.5}).line().numbers({0, 0, 1, 0, 0}).line();
  file.integers({3, 5, 0}).size(1).line().size(5).line().numbers({1, 1, 1}).line();
  file.end();
  file.begin("Elements").sizes({7, 8, 1, 9}).line();
  file.integers({0, 1, 15}).size(1).line().sizes({1, 10}).line();
  file.integers({1, 1, 1}).size(1).line().sizes({1, 10, 7}).line();
  file.integers({2, 1, 2}).size(2).line().sizes({4, 7, 10, 2}).line().sizes({3, 10, 7, 30}).line();
  file.integers({2, 2, 2}).size(1).line().sizes({1, 7, 5, 2}).line();
  file.integers({2, 77, 2}).size(1).line().sizes({5, 7, 2, 30}).line();
  file.integers({3, 5, 4}).size(1).line().sizes({9, 7, 30, 2, 5}).line();
  file.integers({3, 1, 4}).size(1).line().sizes({8, 10, 7, 30, 2}).line();
  file.end();
  return file.bytes();
}

/// The same in two parts, with what partitioning adds; each tet is a ghost of the other part.
std::string parted_tets(bool binary, bool ghosts_twice = false) {
  gmsh_writing file(binary);
  file.begin("PartitionedEntities").size(2).line().size(2).line();
  file.integers({100, 1}).line().integers({101, 2}).line().sizes({0, 0, 2, 2}).line();
  file.integers({20, 2, 1}).counted({1, 2}).numbers(box).counted({1}).counted({}).line();
  file.integers({30, 3, 1}).counted({1, 2}).numbers(box).counted({1}).counted({}).line();
  file.integers({20, 3, 1}).counted({1}).numbers(box).counted({1}).counted({20}).line();
  file.integers({21, 3, 5}).counted({2}).numbers(box).counted({}).counted({20}).line();
  file.end();
  file.begin("Nodes").sizes({1, 5, 2, 30}).line().integers({3, 20, 0}).size(5).line();
  for (std::uint64_t const tag : {2U, 5U, 7U, 10U, 30U}) file.size(tag).line();
  for (auto const& x : std::vector<std::vector<double>>{{0, 0, 1}, {1, 1, 1}, {1, 0, 0}, {0, 0, 0}, {0, 1, 0}})
    file.numbers(x).line();
  file.end();
  std::uint64_t const elements = ghosts_twice ? 5 : 4;
  file.begin("Elements").sizes({elements, elements, 4, 9}).line();
  file.integers({2, 30, 2}).size(1).line().sizes({4, 7, 2, 30}).line();  // between the parts, and no mark
  file.integers({2, 20, 2}).size(1).line().sizes({5, 7, 2, 30}).line();
  file.integers({3, 20, 4}).size(1).line().sizes({8, 10, 7, 30, 2}).line();
  file.integers({3, 21, 4}).size(1).line().sizes({9, 7, 30, 2, 5}).line();
  if (ghosts_twice) file.integers({3, 100, 4}).size(1).line().sizes({9, 7, 30, 2, 5}).line();
  file.end();
  file.begin("GhostElements").size(2).line();
  file.size(9).integer(2).counted({1}).line().size(8).integer(1).counted({2}).line();
  file.end();
  return file.bytes();
}

/// Replaces what stands there once.
std::string with(std::string text, std::string const& old, std::string const& now) {
  EXPECT_NE(text.find(old), std::string::npos) << old;
  text.replace(text.find(old), old.size(), now);
  return text;
}

TEST(GmshMsh, HasTheElementsOfTheHighestDimensionInTheOrderOfTheirTags) {
  for (bool const binary : {false, true}) {
    auto const read = parsed(two_tets(binary));
    EXPECT_EQ(read.cells.nodes(), 5u);
    ASSERT_EQ(read.cells.cells(), 2u);
    EXPECT_EQ(read.cells.kind(0), cell_kind::tet);
    // Nodes by their tags: 2, 5, 7, 10, 30.
    EXPECT_THAT(read.cells.cell(0), ElementsAre(3u, 2u, 4u, 0u));
    EXPECT_THAT(read.cells.cell(1), ElementsAre(2u, 4u, 0u, 1u));
    EXPECT_THAT(read.cells.point(0), ElementsAre(0.0, 0.0, 1.0));
    EXPECT_THAT(read.cells.point(1), ElementsAre(1.0, 1.0, 1.0));
    EXPECT_THAT(read.cells.point(4), ElementsAre(0.0, 1.0, 0.0));
  }
}

TEST(GmshMsh, KeepsTagsAndNamesOfCellsAndOfMarkedFaces) {
  for (bool const binary : {false, true}) {
    auto const marks = parsed(two_tets(binary)).marks;
    EXPECT_THAT(marks.of_cell(0), ElementsAre(1));
    EXPECT_TRUE(marks.of_cell(1).empty());
    ASSERT_EQ(marks.faces.cells(), 3u);  // not the line, and not the face without a tag
    EXPECT_EQ(marks.faces.nodes(), 5u);
    EXPECT_THAT(marks.faces.cell(0), ElementsAre(2u, 1u, 0u));
    EXPECT_THAT(marks.of_face(0), ElementsAre(1, 4));
    EXPECT_THAT(marks.faces.cell(1), ElementsAre(3u, 2u, 4u));
    EXPECT_THAT(marks.of_face(1), ElementsAre(1));
    EXPECT_THAT(marks.names, ElementsAre(mark_name{2, 1, "wall"}, mark_name{2, 4, "far away"}, mark_name{3, 1, "air"}));
    EXPECT_EQ(marks.name_of(3, 1), "air");
    EXPECT_EQ(marks.name_of(1, 9), "");
    EXPECT_EQ(marks.tag_named(2, "far away"), 4);
    EXPECT_EQ(marks.tag_named(3, "far away"), std::nullopt);
    EXPECT_TRUE(marks.parts.empty());
  }
}

TEST(GmshMsh, FindsTheMarksOfTheFacesOfCells) {
  auto const read = parsed(two_tets(false));
  auto const neighbours = neighbours_by_faces(read.cells);
  auto const sets = sets_of_faces(read, neighbours);
  std::vector<std::size_t> sizes;
  for (auto const set : sets) sizes.push_back(read.marks.sets[set].size());
  // Of the first tet the face opposite to its node 3 and the one opposite to node 2; of the second one.
  EXPECT_THAT(sizes, ElementsAre(0, 0, 1, 1, 0, 2, 0, 0));
}

TEST(GmshMsh, ReadsPartsAndGhostsOfAPartedMesh) {
  auto const whole = parsed(two_tets(false));
  for (bool const binary : {false, true})
    for (bool const twice : {false, true}) {
      auto const read = parsed(parted_tets(binary, twice));
      EXPECT_EQ(std::vector(read.cells.corners().begin(), read.cells.corners().end()),
                std::vector(whole.cells.corners().begin(), whole.cells.corners().end()));
      EXPECT_EQ(read.cells.where().values, whole.cells.where().values);
      EXPECT_THAT(read.marks.parts, ElementsAre(1u, 2u));
      EXPECT_THAT(read.marks.ghosts, ElementsAre(ghost_cell{0, 2}, ghost_cell{1, 1}));
      EXPECT_THAT(read.marks.of_cell(0), ElementsAre(1));
      EXPECT_EQ(read.marks.faces.cells(), 1u);
    }
}

TEST(GmshMsh, ReadsEveryKindOfElementOfTheFirstOrder) {
  for (bool const binary : {false, true}) {
    gmsh_writing file(binary);
    file.begin("Nodes").sizes({1, 8, 1, 8}).line().integers({3, 1, 0}).size(8).line();
    for (std::uint64_t v = 1; v <= 8; ++v) file.size(v).line();
    for (int v = 0; v < 8; ++v) file.numbers({1.0 * (v & 1), 1.0 * (v / 2 & 1), 1.0 * (v / 4)}).line();
    file.end();
    file.begin("Elements").sizes({4, 4, 1, 4}).line();
    file.integers({3, 1, 5}).size(1).line().sizes({1, 1, 2, 4, 3, 5, 6, 8, 7}).line();
    file.integers({3, 1, 6}).size(1).line().sizes({2, 1, 2, 4, 5, 6, 8}).line();
    file.integers({3, 1, 7}).size(1).line().sizes({3, 1, 2, 4, 3, 5}).line();
    file.integers({3, 1, 4}).size(1).line().sizes({4, 1, 2, 3, 5}).line();
    file.end();
    auto const read = parsed(file.bytes()).cells;
    ASSERT_EQ(read.cells(), 4u);
    EXPECT_EQ(read.kind(0), cell_kind::hexahedron);
    EXPECT_EQ(read.kind(1), cell_kind::prism);
    EXPECT_EQ(read.kind(2), cell_kind::pyramid);
    EXPECT_EQ(read.kind(3), cell_kind::tet);
  }
  auto const surface = parsed(
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 5 1 5\n2 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n2 0 "
      "0\n$EndNodes\n$Elements\n2 2 1 2\n2 1 3 1\n1 1 2 3 4\n2 1 2 1\n2 2 5 3\n$EndElements\n");
  EXPECT_EQ(surface.cells.kind(0), cell_kind::quad);
  EXPECT_EQ(surface.cells.kind(1), cell_kind::triangle);
  EXPECT_EQ(surface.cells.dimension(), 3u);
}

TEST(GmshMsh, ReadsOverSectionsThatAreNotAboutTheMesh) {
  for (bool const binary : {false, true}) {
    std::string const text = two_tets(binary),
                      extra = "$NodeData\n1\n\"E\"\n1\n0.0\n3\n0\n1\n1\n10 5.5\n$EndNodeData\n";
    EXPECT_EQ(parsed(text + extra).cells.cells(), 2u);
    EXPECT_EQ(parsed(with(text, "$Nodes\n", "$Comments\n$Nodes is next\n$EndComments\n$Nodes\n")).cells.cells(), 2u);
    EXPECT_THAT(refusal(text + "$NodeData\n1\n"), AllOf(HasSubstr("$EndNodeData"), HasSubstr("cut off")));
  }
}

TEST(GmshMsh, MayBeginWithCommentsAndAMark) {
  std::string const comments = "$Comments\nof a colleague, who writes $Nodes\n$EndComments\n";
  for (bool const binary : {false, true})
    for (std::string const& before :
         {comments, comments + "\n" + comments, std::string("\xef\xbb\xbf"), "\n\n" + comments})
      EXPECT_EQ(parsed(before + two_tets(binary)).cells.cells(), 2u) << before;
  EXPECT_THAT(refusal(comments), HasSubstr("$MeshFormat must follow"));
  EXPECT_THAT(refusal("$Comments\nno end\n" + two_tets(false)), HasSubstr("$EndComments"));
  EXPECT_THAT(refusal(comments + with(two_tets(false), "4.1 0 8", "2.2 0 8")),
              AllOf(HasSubstr("line 5"), HasSubstr("'2.2'")));
  EXPECT_THAT(refusal(comments + with(two_tets(false), "9 7 30 2 5\n", "9 7 30 2 6\n")), HasSubstr("line 52"));
}

TEST(GmshMsh, RefusesEveryCut) {
  for (bool const binary : {false, true})
    for (std::string const& whole : {two_tets(binary), parted_tets(binary)}) {
      std::size_t const end = whole.rfind("$End");
      for (std::size_t bytes = 0; bytes < end; ++bytes)
        EXPECT_NE(refusal(whole.substr(0, bytes)), "nothing was refused") << bytes;
    }
}

TEST(GmshMsh, SurvivesEveryChangedByte) {
  for (bool const binary : {false, true}) {
    std::string const whole = parted_tets(binary);
    for (std::size_t at = 0; at < whole.size(); ++at)
      for (char const now : {'\0', '\x01', '\x7f', '\xff', '9', '-', ' ', '\n'}) {
        std::string changed = whole;
        changed[at] = now;
        EXPECT_EQ(refusal(changed).find("skel::"), std::string::npos) << at;  // nothing that only a later step found
      }
  }
}

TEST(GmshMsh, RefusesTetsWithoutVolumeAndNodesThatAreNotThere) {
  std::string const text = two_tets(false);
  EXPECT_THAT(refusal(with(text, "8 10 7 30 2\n", "8 10 7 30 30\n")),
              AllOf(HasSubstr("line 51"), HasSubstr("element 8 is a tetrahedron without volume"),
                    HasSubstr("nodes 10, 7, 30, 30")));
  EXPECT_THAT(refusal(with(text, "9 7 30 2 5\n", "9 7 30 2 6\n")),
              AllOf(HasSubstr("line 49"), HasSubstr("element 9 has node 6, which is not one of the 5 nodes")));
  auto const bytes = [](std::uint64_t value) {
    std::string raw(sizeof value, '\0');
    std::memcpy(raw.data(), &value, sizeof value);
    return raw;
  };
  std::string const binary = two_tets(true);
  EXPECT_THAT(
      refusal(with(binary, bytes(7) + bytes(30) + bytes(2) + bytes(5), bytes(7) + bytes(30) + bytes(2) + bytes(2))),
      AllOf(HasSubstr("element 1 of 1 (byte "), HasSubstr("element 9 is a tetrahedron without volume")));
  EXPECT_THAT(
      refusal(with(binary, bytes(7) + bytes(30) + bytes(2) + bytes(5), bytes(7) + bytes(30) + bytes(2) + bytes(6))),
      AllOf(HasSubstr("element 1 of 1 (byte "), HasSubstr("element 9 has node 6")));
}

TEST(GmshMsh, RefusesWhatItCannotMean) {
  std::string const text = two_tets(false), binary = two_tets(true);
  EXPECT_THAT(refusal(with(text, "4.1 0 8", "2.2 0 8")),
              AllOf(HasSubstr("line 2"), HasSubstr("version '2.2'"), HasSubstr("gmsh FILE -format msh41")));
  EXPECT_THAT(refusal(with(binary, "4.1 1 8", "4 1 8")), AllOf(HasSubstr("version '4'"), HasSubstr("-format msh41")));
  EXPECT_THAT(refusal("$NOD\n1\n1 0 0 0\n$ENDNOD\n"), HasSubstr("version 1 "));
  EXPECT_THAT(refusal(with(text, "4.1 0 8", "4.1 0 4")), HasSubstr("size of its numbers is 4"));
  EXPECT_THAT(refusal(with(binary, std::string("\x01\0\0\0\n$End", 9), std::string("\0\0\0\x01\n$End", 9))),
              AllOf(HasSubstr("another order of bytes"), HasSubstr("write it as text")));
  EXPECT_THAT(refusal("$Nodes\n1\n"), HasSubstr("$MeshFormat"));
  EXPECT_THAT(refusal(with(text, "3 5 4 1\n9 7 30 2 5", "3 5 11 1\n9 7 30 2 5 1 2 3 4 5 6")),
              AllOf(HasSubstr("line 48"), HasSubstr("tetrahedra of the second order"), HasSubstr("gmsh -order 1"),
                    HasSubstr("SetOrder 1;")));
  EXPECT_THAT(refusal(with(text, "3 5 4 1", "3 5 99 1")), HasSubstr("type 99"));
  EXPECT_THAT(refusal(with(text, "3 5 4 1", "2 5 4 1")), HasSubstr("have 3 dimensions"));
  EXPECT_THAT(refusal(with(text, "7 8 1 9", "7 9 1 9")), AllOf(HasSubstr("promises 9"), HasSubstr("have 8")));
  EXPECT_THAT(refusal(with(text, "7 8 1 9", "7 7 1 9")), HasSubstr("more elements"));
  EXPECT_THAT(refusal(with(text, "7 8 1 9", "7 8000000 1 9")), HasSubstr("8000000"));
  EXPECT_THAT(refusal(with(text, "3 5 2 30", "3 6 2 30")), HasSubstr("promises 6 nodes and has 5"));
  EXPECT_THAT(refusal(with(text, "\n30\n2\n", "\n30\n7\n")), HasSubstr("node 7 is there twice"));
  EXPECT_THAT(refusal(with(text, "9 7 30 2 5", "8 7 30 2 5")), AllOf(HasSubstr("element 8"), HasSubstr("twice")));
  EXPECT_THAT(refusal(with(text, "8 10 7 30 2", "8 10 7 30")), HasSubstr("a node is missing"));
  EXPECT_THAT(refusal(with(text, "8 10 7 30 2", "8 10 7 30 2 5")), HasSubstr("'5' follows"));
  EXPECT_THAT(refusal(with(text, "8 10 7 30 2", "8 10 7 30 two")), HasSubstr("'two'"));
  EXPECT_THAT(refusal(with(text, "1.000000 1.000000 1.000000\n$EndNodes", "1 nan 1\n$EndNodes")),
              HasSubstr("no finite number"));
  EXPECT_THAT(refusal(with(text, "2 1 \"wall\"", "2 one \"wall\"")), HasSubstr("is no name"));
  EXPECT_THAT(refusal(with(text, "2 1 \"wall\"", "2 1 wall")), HasSubstr("is no name"));
  EXPECT_THAT(refusal(text + text.substr(text.find("$Elements"))), HasSubstr("second section $Elements"));
  EXPECT_THAT(refusal(text + "$PartitionedEntities\n"), HasSubstr("must stand before $Elements"));
  EXPECT_THAT(refusal(text.substr(0, text.find("$Elements"))), HasSubstr("no section $Elements"));
  EXPECT_THAT(refusal(with(text, "$EndNodes", "$EndNode")), HasSubstr("$EndNodes belongs"));
  EXPECT_THAT(refusal(with(parted_tets(false), "8 1 1 2", "7 1 1 2")),
              AllOf(HasSubstr("element 7"), HasSubstr("is a ghost")));
  EXPECT_THAT(refusal(with(parted_tets(false, true), "3 100 4 1\n9 7 30 2 5", "3 100 4 1\n9 7 30 2 10")),
              AllOf(HasSubstr("element 9"), HasSubstr("different nodes")));
  std::string const points = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 1 1 1\n0 1 0 1\n1\n0 0 0\n$EndNodes\n";
  EXPECT_THAT(refusal(points + "$Elements\n1 1 1 1\n0 1 15 1\n1 1\n$EndElements\n"), HasSubstr("-save_all"));
}

}  // namespace
