#include <skel/detail/formats/vtu.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <formats/vtu_reading.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/pattern/made_meshes.hpp>

#include "support/refusal.hpp"

namespace {

namespace fs = std::filesystem;
using skel::cell_kind;
using skel::field_place;
using skel::mesh;
using skel::mesh_field;
using skel::test::refusal_of;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class Vtu : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "skel_vtu_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

/// A cell of every kind, side by side.
mesh every_kind() {
  std::vector<cell_kind> const kinds{cell_kind::line, cell_kind::triangle, cell_kind::quad,  cell_kind::polygon,
                                     cell_kind::tet,  cell_kind::pyramid,  cell_kind::prism, cell_kind::hexahedron};
  std::vector<std::size_t> offsets{0};
  for (std::size_t const nodes : {2U, 3U, 4U, 5U, 4U, 5U, 6U, 8U}) offsets.push_back(offsets.back() + nodes);
  std::vector<skel::subscript> corners(offsets.back());
  std::iota(corners.begin(), corners.end(), 0U);
  std::vector<double> where(3 * corners.size());
  std::iota(where.begin(), where.end(), 0.5);
  return {corners.size(), kinds, offsets, corners, {3, where}};
}

TEST_F(Vtu, HasEveryKindOfCellAndFieldsOfEachType) {
  mesh const all = every_kind();
  std::vector<double> nodal(3 * all.nodes());
  std::iota(nodal.begin(), nodal.end(), -1.5);
  std::vector<float> const single(all.cells(), 0.25F);
  std::vector<std::int32_t> tensor(9 * all.cells());
  std::iota(tensor.begin(), tensor.end(), -7);
  std::vector<std::uint8_t> const bytes(all.cells(), 200);
  write_vtu(folder_ / "a.vtu", all,
            {{"E <V/m>", nodal, field_place::nodes, 3},
             {"single", single},
             {"tensor", tensor, field_place::cells, 9},
             {"bytes", bytes}});

  auto const read = vtu_reading::read(folder_ / "a.vtu");
  EXPECT_EQ(read.points, all.nodes());
  EXPECT_EQ(read.cells, 8u);
  EXPECT_EQ(read.geometry.at("Points").values, all.where().values);
  EXPECT_THAT(read.geometry.at("types").values, ElementsAre(3, 5, 9, 7, 10, 14, 13, 12));
  EXPECT_THAT(read.geometry.at("offsets").values, ElementsAre(2, 5, 9, 14, 18, 23, 29, 37));
  std::vector<double> corners(all.corners().begin(), all.corners().end());
  std::swap(corners[24], corners[25]);  // of the prism, whose base is turned over in VTK's order
  std::swap(corners[27], corners[28]);
  EXPECT_EQ(read.geometry.at("connectivity").values, corners);
  EXPECT_EQ(read.point_data.at("E &lt;V/m&gt;").values, nodal);
  EXPECT_EQ(read.point_data.at("E &lt;V/m&gt;").components, 3u);
  EXPECT_EQ(read.cell_data.at("single").type, "Float32");
  EXPECT_EQ(read.cell_data.at("single").values, std::vector<double>(8, 0.25));
  EXPECT_EQ(read.cell_data.at("tensor").values, std::vector<double>(tensor.begin(), tensor.end()));
  EXPECT_EQ(read.cell_data.at("bytes").values, std::vector<double>(8, 200));
}

TEST_F(Vtu, OfAPlaneMeshLiesInThePlaneZ0) {
  write_vtu(folder_ / "a.vtu", mesh(3, cell_kind::triangle, {0, 1, 2}, {2, {1, 2, 3, 4, 5, 6}}));
  EXPECT_THAT(vtu_reading::read(folder_ / "a.vtu").geometry.at("Points").values,
              ElementsAre(1, 2, 0, 3, 4, 0, 5, 6, 0));
}

TEST_F(Vtu, GivesEachCellNodesOfItsOwnWhereFieldsJump) {
  mesh const two(5, cell_kind::tet, {0, 1, 2, 3, 1, 2, 3, 4}, {3, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}});
  std::vector<double> const jumping{0, 1, 2, 3, 10, 11, 12, 13}, nodal{0, 1, 2, 3, 4};
  write_vtu(folder_ / "a.vtu", two, {{"jumping", jumping, field_place::corners}, {"nodal", nodal, field_place::nodes}});
  auto const read = vtu_reading::read(folder_ / "a.vtu");
  EXPECT_EQ(read.points, 8u);
  EXPECT_THAT(read.geometry.at("connectivity").values, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(read.point_data.at("jumping").values, jumping);
  EXPECT_THAT(read.point_data.at("nodal").values, ElementsAre(0, 1, 2, 3, 1, 2, 3, 4));
  EXPECT_EQ(read.geometry.at("Points").values.size(), 24u);
}

TEST_F(Vtu, PartsHaveTogetherWhatTheWholeHas) {
  mesh const cube = skel::cube_of_tetrahedra(3);
  std::vector<double> nodal(cube.nodes());
  std::iota(nodal.begin(), nodal.end(), 0.0);
  std::vector<std::vector<std::uint32_t>> parts(3);
  for (std::uint32_t c = 0; c < cube.cells(); ++c) parts[c * c % 3].push_back(c);  // the last has none
  ASSERT_TRUE(parts[2].empty());
  std::vector<mesh_field> fields;
  std::vector<fs::path> names;
  std::size_t cells = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    std::vector<double> numbers(parts[p].begin(), parts[p].end()), corners(4 * parts[p].size(), 0.5);
    fields = {{"nodal", nodal, field_place::nodes}, {"number", numbers}};
    if (p == 1) fields.push_back({"jumping", corners, field_place::corners});
    names.push_back(skel::vtu_part_name(folder_ / "whole.pvtu", p));
    write_vtu_part(names.back(), cube, parts[p], fields);
    auto const read = vtu_reading::read(names.back());
    EXPECT_EQ(read.cells, parts[p].size());
    EXPECT_EQ(read.cell_data.at("number").values, numbers);
    // Where it is said to be, a point has the coordinates and the value of the node of the mesh.
    for (std::size_t k = 0; k < read.cells; ++k)
      for (std::size_t j = 0; j < 4; ++j) {
        auto const point = static_cast<std::size_t>(read.geometry.at("connectivity").values[4 * k + j]);
        auto const node = cube.cell(parts[p][k])[j];
        EXPECT_EQ(read.point_data.at("nodal").values[point], node);
        for (std::size_t d = 0; d < 3; ++d)
          EXPECT_EQ(read.geometry.at("Points").values[3 * point + d], cube.point(node)[d]);
      }
    cells += read.cells;
  }
  EXPECT_EQ(cells, cube.cells());
  fs::create_directories(folder_ / "sub");
  fields.resize(2);
  skel::write_pvtu(folder_ / "whole.pvtu", names, fields);
  EXPECT_THAT(vtu_reading::content(folder_ / "whole.pvtu"),
              AllOf(HasSubstr("<Piece Source=\"whole_2.vtu\"/>"),
                    HasSubstr("<PPointData>\n<PDataArray type=\"Float64\" Name=\"nodal\" NumberOfComponents=\"1\"/>")));
  skel::write_pvtu(folder_ / "sub" / "whole.pvtu", names, fields);
  EXPECT_THAT(vtu_reading::content(folder_ / "sub" / "whole.pvtu"), HasSubstr("Source=\"../whole_0.vtu\""));
}

TEST_F(Vtu, RefusesFieldsThatDoNotFit) {
  mesh const one(3, cell_kind::triangle, {0, 1, 2}, {2, {1, 2, 3, 4, 5, 6}});
  std::vector<double> const two{1, 2};
  auto const said = [&](std::vector<mesh_field> const& fields, mesh const& of) {
    return refusal_of<skel::error>([&] { write_vtu(folder_ / "a.vtu", of, fields); });
  };
  EXPECT_THAT(said({{"E", two}}, one), AllOf(HasSubstr("a.vtu: field 'E'"), HasSubstr("2 values; 1 cells of 1 compo")));
  EXPECT_THAT(said({{"E", two, field_place::nodes, 2}}, one), HasSubstr("3 nodes of 2 components need 6"));
  EXPECT_THAT(said({{"E", two, field_place::corners}}, one), HasSubstr("3 corners"));
  EXPECT_THAT(said({{"E", two, field_place::cells, 0}}, one), HasSubstr("1 to 9"));
  EXPECT_THAT(said({{"E", two, field_place::cells, 10}}, one), HasSubstr("1 to 9"));
  EXPECT_THAT(said({{"", two, field_place::cells, 2}}, one), HasSubstr("no name"));
  EXPECT_THAT(said({{"\n", two, field_place::cells, 2}}, one), HasSubstr("control character"));
  mesh_field const good{"E", two, field_place::cells, 2};
  EXPECT_THAT(said({good, good}, one), HasSubstr("twice"));
  EXPECT_THAT(said({}, mesh(3, cell_kind::triangle, {0, 1, 2})), HasSubstr("no coordinates"));
  EXPECT_THAT(refusal_of<skel::error>([&] {
                skel::write_pvtu(folder_ / "a.pvtu", {}, {good, good});
              }),
              HasSubstr("twice"));
  EXPECT_TRUE(fs::is_empty(folder_));
}

/// A disk that is full, made of a limit of the size of files.
TEST_F(Vtu, OnAFullDiskIsAnErrorAndLeavesNothing) {
  mesh const cube = skel::cube_of_tetrahedra(10);
  pid_t const child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit const small{1 << 16, 1 << 16};
    setrlimit(RLIMIT_FSIZE, &small);
    auto const said = refusal_of<skel::error>([&] { write_vtu(folder_ / "a.vtu", cube); });
    _exit(said.find("a.vtu: cannot be written: File too large") != std::string::npos && fs::is_empty(folder_) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
