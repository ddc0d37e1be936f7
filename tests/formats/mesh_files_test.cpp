#include <skel/detail/formats/mesh_files.hpp>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/shown.hpp>

namespace {

using namespace std::string_literals;
using skel::cell_kind;
using skel::mesh;
using skel::mesh_format;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

mesh parsed(mesh_format format, std::string const& text) {
  return skel::parse_mesh(text, format, "file");
}

std::string refusal(mesh_format format, std::string const& text) {
  try {
    parsed(format, text);
  } catch (skel::input_error const& refused) {
    return refused.what();
  }
  return "nothing was refused";
}

std::string refusal_of_file(std::filesystem::path const& file) {
  try {
    skel::read_mesh(file);
  } catch (skel::input_error const& refused) {
    return refused.what();
  }
  return "nothing was refused";
}

std::string const coordinate = "%%MatrixMarket matrix coordinate ";

TEST(MatrixMarket, HasAnEdgeForEachPairOffTheDiagonal) {
  auto const graph = parsed(mesh_format::mtx, coordinate +
                                                  "real general\n% a comment\n\n3 3 5\n1 1 4.0\n2 1 -1\n1 2 +1e-3\n"
                                                  "% between\n3 2 1.0D+00\n2 3 nan\n");
  EXPECT_EQ(graph.nodes(), 3u);
  EXPECT_EQ(graph.kind(0), cell_kind::line);
  EXPECT_THAT(graph.corners(), ElementsAre(1u, 0u, 2u, 1u));
}

TEST(MatrixMarket, ReadsEveryFieldAndSymmetry) {
  for (auto const& one : std::vector<std::pair<std::string, std::string>>{{"pattern symmetric", "2 1"},
                                                                          {"integer symmetric", "2 1 7"},
                                                                          {"real skew-symmetric", "2 1 0.5"},
                                                                          {"complex hermitian", "2 1 0.5 -1"},
                                                                          {"complex general", "1 2 1 1"},
                                                                          {"PATTERN General", "1 2"}})
    EXPECT_EQ(parsed(mesh_format::mtx, coordinate + one.first + "\r\n2 2 1\r\n" + one.second + "\r\n").cells(), 1u)
        << one.first;
}

TEST(MatrixMarket, TakesARectangleForAGraphOfRowsAndColumns) {
  auto const graph = parsed(mesh_format::mtx, coordinate + "pattern general\n2 3 3\n1 1\n2 1\n1 3\n");
  EXPECT_EQ(graph.nodes(), 5u);
  EXPECT_THAT(graph.corners(), ElementsAre(0u, 2u, 1u, 2u, 0u, 4u));
}

TEST(MatrixMarket, MayNotHaveFarMoreRowsThanItsBytesSpeakOf) {
  auto const with = [](std::string const& rows) {
    return coordinate + "pattern general\n" + rows + " " + rows + " 1\n1 2\n";
  };
  EXPECT_EQ(parsed(mesh_format::mtx, with("1000000")).nodes(), 1000000u);
  EXPECT_THAT(refusal(mesh_format::mtx, with("2147483647")),
              AllOf(HasSubstr("line 2"), HasSubstr("2147483647 rows"), HasSubstr("it may have 1048576")));
  // Where the file is large, many rows may be empty.
  std::string text = coordinate + "pattern general\n2000000 2000000 100000\n";
  for (std::size_t k = 1; k <= 100000; ++k) text += std::to_string(20 * k) + " 1\n";
  EXPECT_EQ(parsed(mesh_format::mtx, text).nodes(), 2000000u);
}

TEST(MatrixMarket, RefusesWhatItCannotMean) {
  auto const refused = [](std::string const& text) { return refusal(mesh_format::mtx, text); };
  EXPECT_THAT(refused("3 3 1\n1 2 1\n"), AllOf(HasSubstr("line 1"), HasSubstr("%%MatrixMarket")));
  EXPECT_THAT(refused("%%MatrixMarket matrix array real general\n1 1\n1\n"), HasSubstr("'array'"));
  EXPECT_THAT(refused(coordinate + "rational general\n1 1 0\n"), AllOf(HasSubstr("'rational'"), HasSubstr("complex")));
  EXPECT_THAT(refused(coordinate + "real\n1 1 0\n"), HasSubstr("symmetry"));
  EXPECT_THAT(refused(coordinate + "real general\n"), HasSubstr("cut off"));
  EXPECT_THAT(refused(coordinate + "real general\n3 3\n"), HasSubstr("entries"));
  EXPECT_THAT(refused(coordinate + "real general\n3 3 2\n1 2 1\n"),
              AllOf(HasSubstr("entry 2 of 2"), HasSubstr("cut off")));
  EXPECT_THAT(refused(coordinate + "real general\n3 3 1\n1 2\n"), AllOf(HasSubstr("line 3"), HasSubstr("value")));
  EXPECT_THAT(refused(coordinate + "real general\n3 3 1\n4 2 1\n"),
              AllOf(HasSubstr("line 3"), HasSubstr("a row is 4")));
  EXPECT_THAT(refused(coordinate + "real general\n3 3 1\n1 0 1\n"), HasSubstr("a column is 0"));
  EXPECT_THAT(refused(coordinate + "real general\n3 3 1\nmany 1 1\n"), HasSubstr("'many'"));
  EXPECT_THAT(refused(coordinate + "real general\n3 3 1\n1 2 one\n"), HasSubstr("'one'"));
  EXPECT_THAT(refused(coordinate + "real general\n3 3 1\n1 2 3 4\n"), HasSubstr("'4'"));
  EXPECT_THAT(refused(coordinate + "real general\n3 3 1\n1 2 3\n2 1 3\n"), HasSubstr("more follows"));
  EXPECT_THAT(refused(coordinate + "real general\n3 3 99999999999\n1 2 3\n"), HasSubstr("99999999999"));
  EXPECT_THAT(refused(coordinate + "real general\n99999999999999999999 3 1\n1 2 3\n"), HasSubstr("whole number"));
  EXPECT_THAT(refused(coordinate + "real general\n3000000000 3 1\n1 2 3\n"), HasSubstr("3000000000"));
  EXPECT_THAT(refused(coordinate + "real general\n2000000000 2000000001 1\n1 2 3\n"), HasSubstr("4000000001"));
  EXPECT_THAT(refused(coordinate + "real symmetric\n3 4 1\n1 2 3\n"), HasSubstr("square"));
}

TEST(MetisGraph, HasEachEdgeOnce) {
  auto const graph = parsed(mesh_format::graph, "% a comment\n4 3\n 2 3\n1 3\n% between\n1 2 \n\n");
  EXPECT_EQ(graph.nodes(), 4u);
  EXPECT_THAT(graph.corners(), ElementsAre(0u, 1u, 0u, 2u, 1u, 2u));
}

TEST(MetisGraph, MayLackTheLineOfALastNodeWithoutNeighbours) {
  for (char const* const end : {"", "\n", "\n\n", "\n% comment\n"})
    EXPECT_EQ(parsed(mesh_format::graph, std::string("3 1\n2\n1") + end).nodes(), 3u);
}

TEST(MetisGraph, ReadsOverWeightsOfEveryFormat) {
  for (auto const& one : std::vector<std::pair<std::string, std::string>>{{"2 1", "2\n1\n"},
                                                                          {"2 1 0", "2\n1\n"},
                                                                          {"2 1 1", "2 9\n1 9\n"},
                                                                          {"2 1 10", "7 2\n7 1\n"},
                                                                          {"2 1 11", "7 2 9\n7 1 9\n"},
                                                                          {"2 1 011 3", "7 7 7 2 9\n7 7 7 1 9\n"},
                                                                          {"2 1 100", "5 2\n5 1\n"},
                                                                          {"2 1 111 2", "5 7 7 2 9\n5 7 7 1 9\n"}})
    EXPECT_THAT(parsed(mesh_format::graph, one.first + "\n" + one.second).corners(), ElementsAre(0u, 1u)) << one.first;
}

TEST(MetisGraph, RefusesWhatItCannotMean) {
  auto const refused = [](std::string const& text) { return refusal(mesh_format::graph, text); };
  EXPECT_THAT(refused("3 1\n2 \n"), AllOf(HasSubstr("line 2"), HasSubstr("node 2 of 3"), HasSubstr("cut off")));
  EXPECT_THAT(refused("3 2\n2\n1 3\n"), AllOf(HasSubstr("promises 2 edges"), HasSubstr("cut off")));
  EXPECT_THAT(refused("3 2 0 1\n2\n1 3\n2\n"),
              AllOf(HasSubstr("line 1"), HasSubstr("ncon is 1"), HasSubstr("'0'"), HasSubstr("write fmt as 010")));
  EXPECT_THAT(refused("3 4\n2\n1 3\n2\n"), AllOf(HasSubstr("promises 4 edges"), HasSubstr("counts each edge once")));
  EXPECT_THAT(refused("3 2\n2 1\n1 1 3 1\n2 1\n"),
              AllOf(HasSubstr("its own neighbour"), HasSubstr("if this is a weight")));
  EXPECT_THAT(refused("% head\n4 2\n2 3\n1 3\n2 1\n2 3\n"),
              AllOf(HasSubstr("line 2"), HasSubstr("have 8 neighbours"), HasSubstr("fmt in the head must say so")));
  EXPECT_THAT(refused("2 0 10\n7\n"), HasSubstr("node 2 of 2"));
  EXPECT_THAT(refused("2 1\n2\n1\n1\n"), HasSubstr("more follows"));
  EXPECT_THAT(refused("2 1\n3\n1\n"), AllOf(HasSubstr("line 2"), HasSubstr("a neighbour is 3")));
  EXPECT_THAT(refused("2 1\n0\n1\n"), HasSubstr("a neighbour is 0"));
  EXPECT_THAT(refused("2 1\n1\n1\n"), HasSubstr("its own neighbour"));
  EXPECT_THAT(refused("2 2\n2\n1\n"), HasSubstr("promises 2 edges"));
  EXPECT_THAT(refused("3 2\n2 3\n1\n2\n"), AllOf(HasSubstr("node 1"), HasSubstr("neighbour 3")));
  EXPECT_THAT(refused("3 2\n2\n1 3\n1\n"), AllOf(HasSubstr("node 1"), HasSubstr("neighbour of 3")));
  EXPECT_THAT(refused("2 2\n2 2\n1 1\n"), HasSubstr("twice"));
  EXPECT_THAT(refused("2 1 5\n2\n1\n"), HasSubstr("fmt"));
  EXPECT_THAT(refused("2 1 1\n2 9\n1\n"), AllOf(HasSubstr("line 3"), HasSubstr("weight")));
  EXPECT_THAT(refused("9999999999 1\n2\n1\n"), HasSubstr("9999999999"));
  EXPECT_THAT(refused("two one\n2\n1\n"), HasSubstr("'two'"));
}

/// Two tetrahedra.
std::string const pack =
    "5 3\n2 4\n1\n1\n5 5 5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1.5\n2\n1 0 1 2 3\n2 1 2 3 4\n4 9\n0 0\n";

TEST(Spark98Pack, HasACellForEachElement) {
  auto const tets = parsed(mesh_format::pack, pack);
  EXPECT_EQ(tets.nodes(), 5u);
  EXPECT_EQ(tets.kind(0), cell_kind::tet);
  EXPECT_THAT(tets.corners(), ElementsAre(0u, 1u, 2u, 3u, 1u, 2u, 3u, 4u));
  EXPECT_THAT(tets.point(4), ElementsAre(1.0, 1.0, 1.5));
}

TEST(Spark98Pack, RefusesEveryCutInFrontOfItsMatrix) {
  std::size_t const end = pack.find("\n4 9");
  for (std::size_t bytes = 0; bytes < end; ++bytes)
    EXPECT_NE(refusal(mesh_format::pack, pack.substr(0, bytes)), "nothing was refused") << bytes;
  EXPECT_EQ(refusal(mesh_format::pack, pack.substr(0, end)), "nothing was refused");
}

TEST(Spark98Pack, RefusesWhatItCannotMean) {
  auto const with = [](std::string const& old, std::string const& now) {
    std::string text = pack;
    text.replace(text.find(old), old.size(), now);
    return refusal(mesh_format::pack, text);
  };
  EXPECT_THAT(with("\n1\n1\n", "\n4\n1\n"), HasSubstr("4 subdomains"));
  EXPECT_THAT(with("2 1 2 3 4", "2 1 2 3 5"), AllOf(HasSubstr("line 13"), HasSubstr("a node is 5")));
  EXPECT_THAT(with("2 1 2 3 4", "2 1 2 3 3"), AllOf(HasSubstr("line 13"), HasSubstr("element 2"), HasSubstr("volume")));
  EXPECT_THAT(with("5 1 1 1.5", "5 0.5 0.25 0.25"), AllOf(HasSubstr("line 13"), HasSubstr("lie in a plane")));
  EXPECT_THAT(with("3 0 1 0", "4 0 1 0"), HasSubstr("number of this node"));
  EXPECT_THAT(with("3 0 1 0", "3 0 x 0"), HasSubstr("'x'"));
  EXPECT_THAT(with("1.5\n2\n", "1.5\n3\n"), HasSubstr("promises 2"));
  EXPECT_THAT(with("5 3\n", "5000000 3\n"), HasSubstr("5000000"));
}

std::string const su2 =
    "% a comment\nNDIME= 2\nNELEM= 2\n5 0 1 2 0\n9 1 3 4 2 1\nNPOIN= 5\n0 0 0\n1 0 1\n0 1 2\n2 0 3\n2.5 1 4\n"
    "NMARK= 1\nMARKER_TAG= wall\nMARKER_ELEMS= 2\n3 0 1\n3 1 3\n";

TEST(Su2, HasACellForEachElementAndNoneForTheBoundary) {
  auto const mixed = parsed(mesh_format::su2, su2);
  EXPECT_EQ(mixed.nodes(), 5u);
  EXPECT_EQ(mixed.cells(), 2u);
  EXPECT_EQ(mixed.kind(0), cell_kind::triangle);
  EXPECT_EQ(mixed.kind(1), cell_kind::quad);
  EXPECT_THAT(mixed.cell(1), ElementsAre(1u, 3u, 4u, 2u));
  EXPECT_THAT(mixed.point(4), ElementsAre(2.5, 1.0));
}

TEST(Su2, ReadsEveryKindOfElementAndNodesInFrontOfThem) {
  std::string points = "NDIME=3\nNPOIN=8 8\n";
  for (int v = 0; v < 8; ++v) points += std::to_string(v) + " 0 0\n";
  auto const all = parsed(mesh_format::su2,
                          points + "NELEM=5\n10 0 1 2 3\n12 0 1 2 3 4 5 6 7\n13 0 1 2 3 4 5\n14 0 1 2 3 4\n3 6 7\n");
  std::vector<cell_kind> kinds;
  for (std::size_t c = 0; c < all.cells(); ++c) kinds.push_back(all.kind(c));
  EXPECT_THAT(
      kinds, ElementsAre(cell_kind::tet, cell_kind::hexahedron, cell_kind::prism, cell_kind::pyramid, cell_kind::line));
}

TEST(Su2, RefusesWhatItCannotMean) {
  auto const with = [](std::string const& old, std::string const& now) {
    std::string text = su2;
    text.replace(text.find(old), old.size(), now);
    return refusal(mesh_format::su2, text);
  };
  EXPECT_THAT(with("NDIME= 2\n", ""), HasSubstr("NDIME="));
  EXPECT_THAT(with("NELEM= 2", "NELEM= 3"), AllOf(HasSubstr("'NPOIN='"), HasSubstr("line 6")));
  EXPECT_THAT(with("NELEM= 2", "NELEM= 1"), AllOf(HasSubstr("line 5"), HasSubstr("keyword")));
  EXPECT_THAT(with("9 1 3 4 2 1", "9 1 3 5 2 1"), AllOf(HasSubstr("line 5"), HasSubstr("node 5")));
  EXPECT_THAT(with("9 1 3 4 2 1", "7 1 3 4 2 1"), HasSubstr("kind of element 7"));
  EXPECT_THAT(with("2.5 1 4", "2.5 up 4"), HasSubstr("'up'"));
  EXPECT_THAT(with("NPOIN= 5", "NPOIN= 50000"), HasSubstr("50000"));
  EXPECT_THAT(with("3 1 3\n", ""), HasSubstr("boundary"));
  EXPECT_THAT(with("NDIME= 2", "NZONE= 2\nNDIME= 2"), HasSubstr("one zone"));
  EXPECT_THAT(refusal(mesh_format::su2, su2.substr(0, su2.find("NPOIN"))), HasSubstr("NPOIN="));
}

std::string const periodic = "NPERIODIC= 1\nPERIODIC_INDEX= 0\n0.0 0.0 0.0\n0.0 0.0 0.0\n1.0 0.0 0.0\n";
std::string const box =
    "FFD_NBOX= 1\nFFD_NLEVEL= 1\nFFD_TAG= WING\nFFD_LEVEL= 0\nFFD_DEGREE_I= 1\nFFD_DEGREE_J= 1\nFFD_PARENTS= 0\n"
    "FFD_CHILDREN= 0\nFFD_CORNER_POINTS= 4\n0.0 -0.1\n1.0 -0.1\n1.0 0.1\n0.0 0.1\nFFD_CONTROL_POINTS= 2\n"
    "0 0 0 0.0 -0.1\n1 0 0 1.0 -0.1\nFFD_SURFACE_POINTS= 1\nwall 7 0.5 0.5 0.0\n";

TEST(Su2, ReadsOverSectionsThatAreNotAboutTheMesh) {
  std::string const body = su2.substr(su2.find("NELEM")), points = su2.substr(su2.find("NPOIN"));
  std::string const elements = body.substr(0, body.find("NPOIN"));
  for (std::string const& text : {su2 + periodic, su2 + box, su2 + periodic + box, "NDIME= 2\n" + periodic + box + body,
                                  "NZONE= 1\nIZONE= 1\nAOA= 1.25\nNDIME= 2\n" + elements + box + points + periodic,
                                  su2 + "NCHUNK= 1\n% a comment\nCHUNK_TAG= 0\n1 2 3\n\n4 5 6\n"}) {
    auto const mixed = parsed(mesh_format::su2, text);
    EXPECT_EQ(mixed.nodes(), 5u) << text;
    EXPECT_EQ(mixed.cells(), 2u) << text;
    EXPECT_THAT(mixed.cell(1), ElementsAre(1u, 3u, 4u, 2u)) << text;
  }
  // What comes behind them is checked as what came before.
  EXPECT_THAT(refusal(mesh_format::su2, "NDIME= 2\n" + periodic + elements), HasSubstr("NPOIN="));
  EXPECT_THAT(refusal(mesh_format::su2, periodic + "NELEM= 1\n5 0 1 two\n"),
              AllOf(HasSubstr("line 7"), HasSubstr("'two'")));
  EXPECT_THAT(refusal(mesh_format::su2, periodic + "NDIME= 2\n0 0 0\n"),
              AllOf(HasSubstr("line 7"), HasSubstr("keyword")));
}

TEST(Su2, ReadsBoundariesBetweenProcesses) {
  std::string text = su2;
  text += "MARKER_TAG= SEND_RECEIVE\nMARKER_ELEMS= 2\nSEND_RECV= 1\n1 3 0\n1 4 0\nMARKER_TAG= far\nMARKER_ELEMS= 0\n";
  EXPECT_EQ(parsed(mesh_format::su2, text).cells(), 2u);
}

TEST(WavefrontObj, HasACellForEachFace) {
  auto const mixed =
      parsed(mesh_format::obj,
             "# cube's corner\nmtllib a.mtl\no thing\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 0\nv 0 1 0\nvt 0 0\n"
             "vn 0 0 1\nf 1 2 3\nf 1/1/1 2/1/1 3/1/1 4/1/1\nf -4//1 -3//1 -1//1\nf 1 2 \\\n 3 4 5\nl 1 2\n"
             "v 2 2 2\n");
  EXPECT_EQ(mixed.nodes(), 5u);
  EXPECT_EQ(mixed.cells(), 4u);
  EXPECT_EQ(mixed.kind(1), cell_kind::quad);
  EXPECT_EQ(mixed.kind(3), cell_kind::polygon);
  EXPECT_THAT(mixed.cell(2), ElementsAre(0u, 1u, 3u));
  EXPECT_THAT(mixed.cell(3), ElementsAre(0u, 1u, 2u, 3u, 4u));
  EXPECT_THAT(mixed.point(4), ElementsAre(2.0, 2.0, 2.0));
}

TEST(WavefrontObj, RefusesWhatItCannotMean) {
  auto const refused = [](std::string const& faces) {
    return refusal(mesh_format::obj, "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + faces);
  };
  EXPECT_THAT(refused(""), HasSubstr("no faces"));
  EXPECT_THAT(refused("f 1 2\n"), AllOf(HasSubstr("line 4"), HasSubstr("2 corners")));
  EXPECT_THAT(refused("f 1 2 4\n"), AllOf(HasSubstr("line 4"), HasSubstr("vertex 4")));
  EXPECT_THAT(refused("f 1 2 0\n"), HasSubstr("'0'"));
  EXPECT_THAT(refused("f 1 2 -4\n"), HasSubstr("vertex -4"));
  EXPECT_THAT(refused("f 1 2 three\n"), HasSubstr("'three'"));
  EXPECT_THAT(refused("v 1 2\n"), HasSubstr("coordinate"));
  EXPECT_THAT(refused("{}\n"), HasSubstr("'{}'"));
}

TEST(EdgeList, CountsNodesFromZeroAndEdgesOnce) {
  auto const graph = parsed(mesh_format::edges, "# from to\n0 3\n\n3 0\n% more\n1\t1\n4 1\n");
  EXPECT_EQ(graph.nodes(), 5u);
  EXPECT_THAT(graph.corners(), ElementsAre(0u, 3u, 4u, 1u));
}

TEST(EdgeList, RefusesWhatItCannotMean) {
  auto const refused = [](std::string const& text) { return refusal(mesh_format::edges, text); };
  EXPECT_THAT(refused("0 1\n2\n"), AllOf(HasSubstr("line 2"), HasSubstr("two vertices in one line, not '2'")));
  EXPECT_THAT(refused("0 -1\n"), HasSubstr("is -1"));
  EXPECT_THAT(refused("0 1\n1 2.0\n"), AllOf(HasSubstr("line 2"), HasSubstr("digits alone, without point")));
  EXPECT_THAT(refused("0 1\n1e1 2\n"), HasSubstr("without point and exponent"));
  EXPECT_THAT(refused("0 1\n0x10 2\n"), HasSubstr("'0x10' stands where a node"));
  EXPECT_THAT(refused("0 1\nnan 2\n"), HasSubstr("'nan'"));
  EXPECT_THAT(refused("0 99999999999999999999\n"), HasSubstr("which is a whole number that 64 bits hold"));
  EXPECT_THAT(refused("1,2\n3,\n"), AllOf(HasSubstr("line 2"), HasSubstr("'3,'")));
  EXPECT_THAT(refused("source target\n1 two\n"), AllOf(HasSubstr("line 1"), HasSubstr("'source'")));
  EXPECT_THAT(refused("source target\n1 2\n3 d\n"), HasSubstr("'d'"));
  EXPECT_THAT(refused("source target\n1 2\nc d\n"), AllOf(HasSubstr("line 3"), HasSubstr("'c'"), HasSubstr("line 1")));
  EXPECT_THAT(refused("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"), HasSubstr("mtx"));
  EXPECT_THAT(refused("p edge 3 2\ne 1 2\n"), HasSubstr("DIMACS"));
  EXPECT_THAT(refused("0 2147483648\n"), HasSubstr("is 2147483648"));
  EXPECT_THAT(refused("a b\n"), HasSubstr("'a'"));
  EXPECT_THAT(refused("# a b\n"), HasSubstr("no edges"));
}

TEST(EdgeList, TakesTheFirstTwoNumbersOfALine) {
  for (std::string const& text :
       {"0 1 0.5\n0 2 1\n1 2 2\n"s, "% sym weighted\n0 1 1 1082040961\n0 2 1 1082040962\n1 2 1 1\n"s,
        "0,1\n0,2\n1,2\n"s, "0, 1, 2.5\n0 , 2 , 1\n1,2,x\n"s, "0;1\n0;2\n1;2\n"s, "0\t1\t7\n0\t2\t7\n1\t2\t7\n"s,
        "// of a game\n0 1\n  // more\n0 2\n1 2 // last\n"s, "id_1,id_2\n0,1\n0,2\n1,2\n"s,
        "# a\nsource target weight\n0 1 3\n0 2 3\n1 2 3\n"s, "\"from\";\"to\"\n\"0\";\"1\"\n0;2\n1;2\n"s,
        "0 1 {'weight': 3}\n0 2 {}\n1 2 {'a': 1, 'b': 2}\n"s, "+0 1\n0 2\f\n1 2   \n"s, "0 1\n0 2\n1 2"s}) {
    auto const graph = parsed(mesh_format::edges, text);
    EXPECT_EQ(graph.nodes(), 3u) << text;
    EXPECT_THAT(graph.corners(), ElementsAre(0u, 1u, 0u, 2u, 1u, 2u)) << text;
  }
}

TEST(EdgeList, IsNoListOfNeighbours) {
  EXPECT_THAT(refusal(mesh_format::edges, "0 1 2\n1 0 2 3\n2 0\n"),
              AllOf(HasSubstr("line 2"), HasSubstr("has 4 whole numbers, line 1 has 3"), HasSubstr("neighbours")));
  EXPECT_THAT(refusal(mesh_format::edges, "0 1\n1 2 3\n"), HasSubstr("line 2"));
  EXPECT_EQ(parsed(mesh_format::edges, "0 1\n1 2 0.5\n").cells(), 2u);
}

TEST(NamedEdges, KeepNamesDirectionsAndRepetitions) {
  auto const list = [](std::string const& text) { return skel::parse_named_edges(text, "file"); };
  auto const some = list("# packages\nlibc6 gcc\n\ngcc\tlibc6 0.5\nlibc6 gcc 1\nx x\n");
  EXPECT_THAT(some.names, ElementsAre("libc6", "gcc", "x"));
  EXPECT_THAT(some.edges, ElementsAre(std::array{0u, 1u}, std::array{1u, 0u}, std::array{0u, 1u}, std::array{2u, 2u}));
  EXPECT_THAT(list("% directed\n7 8\n").names, ElementsAre("7", "8"));
  EXPECT_THAT(list("a b\nc d\n").names, ElementsAre("a", "b", "c", "d")) << "no header above names";
  EXPECT_THAT(list("Source,Target,Type\n7,8,Directed\n").names, ElementsAre("7", "8"));
  EXPECT_THAT(list("\"New York\",Rome\nRome,\"Paris, France\"\n").names,
              ElementsAre("New York", "Rome", "Paris, France"));
  EXPECT_THAT(list("\xef\xbb\xbf"s + "a b\rb c\r").names, ElementsAre("a", "b", "c"));
}

TEST(NamedEdges, RefuseWhatTheyCannotMean) {
  auto const refused = [](std::string const& text) {
    try {
      skel::parse_named_edges(text, "file");
    } catch (skel::input_error const& problem) {
      return std::string(problem.what());
    }
    return "nothing was refused"s;
  };
  EXPECT_THAT(refused(""), HasSubstr("is empty"));
  EXPECT_THAT(refused("# a b\n"), HasSubstr("no edges"));
  EXPECT_THAT(refused("1 2\n3\n"), AllOf(HasSubstr("line 2"), HasSubstr("two vertices in one line"), HasSubstr("'3'")));
  EXPECT_THAT(refused("the quick brown fox\n"), HasSubstr("perhaps with numbers behind them"));
  EXPECT_THAT(refused("a,b\n\"c,d\n"), AllOf(HasSubstr("line 2"), HasSubstr("quote")));
}

TEST(EdgeList, KeepsGapsOfNodesThatTakeNoMoreMemoryThanEdges) {
  EXPECT_EQ(parsed(mesh_format::edges, "0 1\n1000000 2\n").nodes(), 1000001u);
  EXPECT_THAT(refusal(mesh_format::edges, "0 1\n1 2\n2 2147483647\n0 2\n"),
              AllOf(HasSubstr("line 3"), HasSubstr("node 2147483647"), HasSubstr("number them without gaps")));
}

TEST(MeshFiles, MayHaveCommentsBehindTheirNumbers) {
  EXPECT_EQ(parsed(mesh_format::edges, "0 1 # heavy\n1 2 % light\n").cells(), 2u);
  EXPECT_EQ(parsed(mesh_format::obj, "v 0 0 0 # a\nv 1 0 0\nv 0 1 0\nf 1 2 3 # first\ng # none\n").cells(), 1u);
  auto const commented = "NDIME= 2 % plane\nNELEM= 1 % one\n5 0 1 2 % it\nNPOIN= 3\n0 0 % origin\n1 0 1\n0 1\n";
  EXPECT_EQ(parsed(mesh_format::su2, commented).cells(), 1u);
}

/// A text of each format.
std::vector<std::pair<mesh_format, std::string>> samples() {
  return {{mesh_format::mtx, coordinate + "real symmetric\n% a\n3 3 2\n2 1 0.5\n3 2 1\n"},
          {mesh_format::graph, "% a\n4 2\n2\n1 3\n2\n\n"},
          {mesh_format::pack, pack},
          {mesh_format::su2, su2},
          {mesh_format::obj, "# a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 \\\n3\n"},
          {mesh_format::edges, "# a\n0 1\n1 2\n"},
          {mesh_format::msh,
           "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n"
           "$EndNodes\n$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n"}};
}

std::string with_ends(std::string const& text, std::string const& end) {
  std::string out;
  for (char const c : text) out += c == '\n' ? end : std::string(1, c);
  return out;
}

TEST(MeshFiles, AreTheSameWithAnyEndsOfLinesAndAMark) {
  for (auto const& [format, text] : samples()) {
    auto const wanted = parsed(format, text);
    for (std::string const& other :
         {"\xef\xbb\xbf" + text, with_ends(text, "\r\n"), with_ends(text, "\r"), with_ends(text, "\r\r\n"),
          "\xef\xbb\xbf" + with_ends(text, "\r\n"), with_ends(text, " \n"), text.substr(0, text.size() - 1)}) {
      auto const found = parsed(format, other);
      EXPECT_EQ(found.nodes(), wanted.nodes()) << other;
      EXPECT_THAT(found.corners(), testing::ElementsAreArray(wanted.corners())) << other;
      EXPECT_EQ(found.where().values, wanted.where().values) << other;
    }
  }
}

TEST(MeshFiles, SayWhichLineIsWrongWhateverEndsIt) {
  for (char const* const end : {"\n", "\r\n", "\r"})
    EXPECT_THAT(refusal(mesh_format::edges, with_ends("# a\n0 1\n\n0 x\n", end)), HasSubstr("line 4"));
}

TEST(MeshFiles, ThatAreNoTextAreRefusedWithTheirKind) {
  for (auto const& [format, text] : samples()) {
    EXPECT_THAT(refusal(format, "\x1f\x8b\x08" + text), HasSubstr("compressed by gzip"));
    EXPECT_THAT(refusal(format, "\xff\xfe" + text), HasSubstr("UTF-16"));
    EXPECT_THAT(refusal(format, "<!DOCTYPE html>" + text), HasSubstr("web page"));
  }
}

TEST(MeshFiles, HaveFiniteCoordinates) {
  for (char const* const bad : {"nan", "inf", "-inf"})
    for (auto [format, text] : samples()) {
      if (format != mesh_format::pack && format != mesh_format::su2 && format != mesh_format::obj) continue;
      std::string const old = format == mesh_format::su2 ? "2.5 1 4" : format == mesh_format::obj ? "v 1 0" : "1 1.5\n";
      std::string const now = format == mesh_format::su2   ? std::string(bad) + " 1 4"
                              : format == mesh_format::obj ? "v " + std::string(bad) + " 0"
                                                           : "1 " + std::string(bad) + "\n";
      text.replace(text.find(old), old.size(), now);
      EXPECT_THAT(refusal(format, text), AllOf(HasSubstr("coordinate"), HasSubstr("no finite number"))) << text;
    }
  EXPECT_THAT(refusal(mesh_format::obj, "v 0 0 1e999\nf 1 1 1\n"), AllOf(HasSubstr("'1e999'"), HasSubstr("64 bits")));
  EXPECT_THAT(refusal(mesh_format::obj, "v 0 0 1,5\nf 1 1 1\n"), AllOf(HasSubstr("'1,5'"), HasSubstr("point")));
}

TEST(MeshFiles, RefuseEmptyAndBinaryTextsInEveryFormat) {
  for (auto const& name : skel::mesh_formats().names()) {
    auto const format = skel::mesh_format_named(name);
    EXPECT_THAT(refusal(format, ""), HasSubstr("is empty")) << name;
    EXPECT_THAT(refusal(format, " \n\r\n"), HasSubstr("is empty")) << name;
    EXPECT_THAT(refusal(format, std::string("1\n\0 2", 5)), AllOf(HasSubstr("line 2"), HasSubstr("byte 0"))) << name;
    EXPECT_THAT(refusal(format, "\x7f\x45LF \x01 9\n"), HasSubstr("'\\x7fELF'")) << name;
  }
}

class MeshFile : public testing::Test {
 protected:
  void SetUp() override {
    auto const* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / (std::string("skel_mesh_") + test->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(std::string const& name, std::string const& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  std::filesystem::path folder_;
};

TEST_F(MeshFile, HasItsFormatFromItsEndingOrTheCaller) {
  EXPECT_EQ(skel::read_mesh(write("a.edges", "0 1\n")).cells(), 1u);
  EXPECT_EQ(skel::read_mesh(write("b.GRAPH", "2 1\n2\n1")).cells(), 1u);
  EXPECT_EQ(skel::read_mesh(write("c.txt", "0 1\n"), mesh_format::edges).cells(), 1u);
  EXPECT_THAT(refusal_of_file(write("d.txt", "0 1\n")),
              AllOf(HasSubstr("d.txt"), HasSubstr("'.txt'"), HasSubstr("mtx, graph, pack, su2, obj, edges, msh")));
  EXPECT_THAT(refusal_of_file(write("e", "0 1\n")), HasSubstr("has no ending"));
  EXPECT_THAT(refusal_of_file(write("f.mtx.gz", "0 1\n")), HasSubstr("unpack"));
}

TEST_F(MeshFile, IsNamedInErrors) {
  EXPECT_THAT(refusal_of_file(write("a.edges", "0 1\n0 x\n")), AllOf(HasSubstr("a.edges"), HasSubstr("line 2")));
  EXPECT_THAT(refusal_of_file(folder_ / "none.mtx"), AllOf(HasSubstr("none.mtx"), HasSubstr("No such file")));
  EXPECT_THAT(refusal_of_file(folder_), HasSubstr("is a folder"));
  EXPECT_THAT(refusal_of_file("/dev/zero"), HasSubstr("which does not say its format"));
  std::filesystem::create_symlink("/dev/zero", folder_ / "endless.mtx");
  EXPECT_THAT(refusal_of_file(folder_ / "endless.mtx"), HasSubstr("is a device"));
  EXPECT_THAT(refusal_of_file(write("empty.obj", "")), HasSubstr("is empty"));
}

TEST_F(MeshFile, ThatIsAPipeOrTooLargeIsRefusedAtOnce) {
  ASSERT_EQ(mkfifo((folder_ / "pipe.mtx").c_str(), 0600), 0);
  EXPECT_THAT(refusal_of_file(folder_ / "pipe.mtx"), HasSubstr("is a pipe"));
  std::filesystem::resize_file(write("sparse.edges", ""), std::uintmax_t{1} << 42);
  EXPECT_THAT(refusal_of_file(folder_ / "sparse.edges"), HasSubstr("the most that is read"));
}

/// The most memory that a process has had while it read a text, over the bytes of the text.
double memory_per_byte(mesh_format format, std::string const& text) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  pid_t const child = fork();  // the most of a process never falls
  if (child == 0) {
    auto const most = [] {
      rusage used{};
      getrusage(RUSAGE_SELF, &used);
      return 1024.0 * static_cast<double>(used.ru_maxrss);
    };
    double const before = most();
    double more = -1;
    try {
      auto const read = parsed(format, text);
      more = most() - before;
    } catch (skel::error const&) {
    }
    _exit(write(ends[1], &more, sizeof more) == sizeof more ? 0 : 1);
  }
  double more = -1;
  close(ends[1]);
  if (read(ends[0], &more, sizeof more) != sizeof more) more = -1;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return more / static_cast<double>(text.size());
}

/// The texts that need most for their length, in each format.
TEST(MeshFiles, TakeMemoryInProportionToTheirBytes) {
#if defined(SKEL_ADDRESS_SANITIZER)
  GTEST_SKIP() << "the sanitizer keeps memory that is given back";
#endif
  constexpr std::size_t n = (1U << 20U) + 1;  // arrays that double are largest behind a power of two
  auto const times = [](std::string const& line, std::size_t count) {
    std::string text;
    for (std::size_t k = 0; k < count; ++k) text += line;
    return text;
  };
  std::string const count = std::to_string(n), last = std::to_string(n - 1);
  std::string star = count + " " + last + "\n";
  for (std::size_t v = 2; v <= n; ++v) star += std::to_string(v) + " ";
  star += "\n" + times("1\n", n - 1);
  std::string pairs, entries;
  for (std::size_t k = 0, v = 1; k < n; ++v)
    for (std::size_t w = 0; w < v && k < n; ++w, ++k) {
      pairs += std::to_string(v) + " " + std::to_string(w) + "\n";
      entries += std::to_string(v + 1) + " " + std::to_string(w + 1) + "\n";
    }
  std::string whole_pack = count + " 2\n0 2\n1\n1\n" + count + "\n";
  for (std::size_t v = 1; v <= n; ++v) whole_pack += std::to_string(v) + " 0 0\n";
  std::string const begin = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n",
                    one_node = "$Nodes\n1 1 1 1\n0 1 0 1\n1\n0 0 0\n$EndNodes\n";
  std::string const one_line = "$Elements\n1 1 1 1\n1 1 1 1\n1 1 1\n$EndElements\n";
  std::string tags, gmsh_elements, gmsh_mixed, gmsh_blocks, gmsh_entities, gmsh_ghosts;
  for (std::size_t k = n; k > 0; --k) {
    std::string const tag = std::to_string(k);
    tags += tag + "\n";
    gmsh_elements += tag + " 1 1\n";
    gmsh_mixed += k % 2 == 0 ? "2 1 2 1\n" + tag + " 1 1 1\n" : "2 1 3 1\n" + tag + " 1 1 1 1\n";
    gmsh_blocks += "1 1 1 1\n" + tag + " 1 1\n";
    gmsh_entities += tag + " 0 0 0 1 " + tag + "\n";
    gmsh_ghosts += " 2";
  }
  struct text {
    char const* name;
    mesh_format format;
    std::string bytes;
  };
  for (text const& one :
       {text{"nodes alone", mesh_format::graph, count + " 0\n" + times("\n", n)},
        {"a star", mesh_format::graph, star},
        {"edges", mesh_format::edges, pairs},
        {"entries", mesh_format::mtx, coordinate + "pattern general\n9999 9999 " + count + "\n" + entries},
        {"elements", mesh_format::su2, "NDIME=2\nNELEM=" + count + "\n" + times("3 0 1\n", n) + "NPOIN=2\n0 0\n0 0\n"},
        {"points", mesh_format::su2, "NDIME=2\nNELEM=0\nNPOIN=" + count + "\n" + times("0 0\n", n)},
        {"faces", mesh_format::obj, "v 0 0 0\n" + times("f 1 1 1\n", n)},
        {"vertices", mesh_format::obj, times("v 0 0 0\n", n) + "f 1 2 3\n"},
        {"a pack", mesh_format::pack, whole_pack + "0\n"},
        {"Gmsh's nodes", mesh_format::msh,
         begin + "$Nodes\n1 " + count + " 1 1\n0 1 0 " + count + "\n" + tags + times("0 0 0\n", n) + "$EndNodes\n" +
             one_line},
        {"Gmsh's elements", mesh_format::msh,
         begin + one_node + "$Elements\n1 " + count + " 1 1\n1 1 1 " + count + "\n" + gmsh_elements + "$EndElements\n"},
        {"blocks of several kinds", mesh_format::msh,
         begin + one_node + "$Elements\n" + count + " " + count + " 1 1\n" + gmsh_mixed + "$EndElements\n"},
        {"blocks of one kind", mesh_format::msh,
         begin + one_node + "$Elements\n" + count + " " + count + " 1 1\n" + gmsh_blocks + "$EndElements\n"},
        {"entities", mesh_format::msh,
         begin + "$Entities\n" + count + " 0 0 0\n" + gmsh_entities + "$EndEntities\n" + one_node + one_line},
        {"ghosts", mesh_format::msh,
         begin + one_node + one_line + "$GhostElements\n1\n1 1 " + count + gmsh_ghosts + "\n$EndGhostElements\n"}}) {
    double const bytes = memory_per_byte(one.format, one.bytes);
    EXPECT_GT(bytes, 0) << one.name;
    EXPECT_LT(bytes, 24) << one.name;
  }
}

TEST(MeshFiles, QuoteWhatTheyDoNotUnderstandWithoutItsControls) {
  std::string const bad = "\x1b[2J\xff" + std::string(3'000'000, 'x');
  for (auto const& name : skel::mesh_formats().names())
    for (std::string const& text : {bad, bad + " 1 2\n", "1 " + bad, coordinate + bad, "v " + bad, "NDIME= " + bad,
                                    "NELEM= 1\n" + bad, "f " + bad, "2 1 " + bad}) {
      std::string const said = refusal(skel::mesh_format_named(name), text);
      EXPECT_LT(said.size(), 500u) << name;
      EXPECT_EQ(skel::printable(said, 1000), said) << name;
    }
}

TEST(MeshFormat, NamesTheNearestFormat) {
  EXPECT_EQ(skel::mesh_format_named("su2"), mesh_format::su2);
  try {
    skel::mesh_format_named("grph");
    FAIL() << "nothing was refused";
  } catch (skel::input_error const& refused) {
    EXPECT_THAT(refused.what(), AllOf(HasSubstr("'grph'"), HasSubstr("did you mean 'graph'?")));
  }
}

/// The graph and the mesh that the project measures with, where somebody has them: SKEL_MESHES names their folder.
TEST(MeshFiles, ReadTheMeshesOfTheMeasurements) {
  char const* const folder = std::getenv("SKEL_MESHES");
  if (folder == nullptr) GTEST_SKIP() << "SKEL_MESHES is not set to a folder with 4elt.graph and sf10.1.pack";
  auto const elt = skel::read_mesh(std::filesystem::path(folder) / "4elt.graph");
  EXPECT_EQ(elt.nodes(), 15606u);
  EXPECT_EQ(elt.cells(), 45878u);
  auto const sf10 = skel::read_mesh(std::filesystem::path(folder) / "sf10.1.pack");
  EXPECT_EQ(sf10.nodes(), 7294u);
  EXPECT_EQ(sf10.cells(), 35025u);
  EXPECT_EQ(sf10.kind(0), cell_kind::tet);
  EXPECT_EQ(edges_of(sf10).cells(), 52216u - 7294u);  // the file also has the matrix: its upper half with the diagonal
}

}  // namespace
