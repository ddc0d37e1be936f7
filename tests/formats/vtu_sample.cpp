// vtu_sample FOLDER: writes a mesh of tets in four parts with fields over it, FOLDER/sample.pvtu, one with cells of
// every kind in one file, FOLDER/kinds.vtu, and what scripts/vtk_readback must print of them: FOLDER/sample.txt,
// FOLDER/kinds.txt.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include <skel/detail/formats/vtu.hpp>
#include <skel/detail/pattern/made_meshes.hpp>

namespace {

namespace fs = std::filesystem;
using skel::field_place;

constexpr std::size_t parts = 4;

std::vector<double> sums(std::vector<double> const& values, std::size_t components) {
  std::vector<double> all(components);
  for (std::size_t k = 0; k < values.size(); ++k) all[k % components] += values[k];
  return all;
}

void add(std::ofstream& to, std::string const& name, std::vector<double> const& numbers) {
  to << name << std::setprecision(17);
  for (double const one : numbers) to << ' ' << one;
  to << '\n';
}

void write_parts(fs::path const& folder) {
  auto const cube = skel::cube_of_tetrahedra(8);
  std::vector<double> electric, potential;
  std::vector<std::uint8_t> of_part;
  std::vector<skel::mesh_field> fields;
  std::vector<fs::path> names;
  std::size_t points = 0;
  for (std::size_t p = 0; p < parts; ++p) {
    std::vector<std::uint32_t> part;
    for (std::size_t c = p * cube.cells() / parts; c < (p + 1) * cube.cells() / parts; ++c)
      part.push_back(static_cast<std::uint32_t>(c));
    std::vector<double> here(3 * part.size()), there(4 * part.size());
    for (std::size_t k = 0; k < here.size(); ++k) here[k] = 0.1 * static_cast<double>(k % 17) - 0.3;
    for (std::size_t k = 0; k < there.size(); ++k) there[k] = 1.0 / static_cast<double>(k + 1);
    std::vector<std::uint8_t> const owner(part.size(), static_cast<std::uint8_t>(p));
    fields = {{"E", here, field_place::cells, 3}, {"part", owner}, {"potential", there, field_place::corners}};
    names.push_back(skel::vtu_part_name(folder / "sample.pvtu", p));
    write_vtu_part(names.back(), cube, part, fields);
    electric.insert(electric.end(), here.begin(), here.end());
    potential.insert(potential.end(), there.begin(), there.end());
    of_part.insert(of_part.end(), owner.begin(), owner.end());
    points += 4 * part.size();
  }
  write_pvtu(folder / "sample.pvtu", names, fields);
  std::ofstream to(folder / "sample.txt");
  add(to, "cells", {static_cast<double>(cube.cells())});
  add(to, "points", {static_cast<double>(points)});
  add(to, "cell E", sums(electric, 3));
  add(to, "cell part", sums({of_part.begin(), of_part.end()}, 1));
  add(to, "point potential", sums(potential, 1));
}

void write_kinds(fs::path const& folder) {
  using enum skel::cell_kind;
  std::vector<std::size_t> offsets{0};
  for (std::size_t const nodes : {2U, 3U, 4U, 5U, 4U, 5U, 6U, 8U}) offsets.push_back(offsets.back() + nodes);
  std::vector<skel::subscript> corners(offsets.back());
  std::iota(corners.begin(), corners.end(), 0U);
  std::vector<double> where(3 * corners.size());
  std::iota(where.begin(), where.end(), 0.5);
  skel::mesh const all(corners.size(), {line, triangle, quad, polygon, tet, pyramid, prism, hexahedron}, offsets,
                       corners, {3, where});
  std::vector<float> const single(8, 0.25F);
  std::vector<std::int64_t> tensor(9 * 37);
  std::iota(tensor.begin(), tensor.end(), std::int64_t{-1} << 40);
  write_vtu(folder / "kinds.vtu", all, {{"single", single}, {"tensor", tensor, field_place::nodes, 9}});
  std::ofstream to(folder / "kinds.txt");
  add(to, "cells", {8});
  add(to, "points", {37});
  add(to, "cell single", {2});
  add(to, "point tensor", sums({tensor.begin(), tensor.end()}, 9));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::cerr << "vtu_sample FOLDER\n", 2;
  try {
    fs::create_directories(argv[1]);
    write_parts(argv[1]);
    write_kinds(argv[1]);
  } catch (std::exception const& thrown) {
    return std::cerr << "vtu_sample: " << thrown.what() << '\n', 1;
  }
}
