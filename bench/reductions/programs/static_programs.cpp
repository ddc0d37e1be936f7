#include "static_programs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>

#include "edges_by_rows.hpp"
#include "lattices.hpp"
#include "neighbour_list.hpp"

namespace bench::reductions {

namespace {

constexpr std::size_t static_steps = 100;  // the paper's programs run long over one pattern

[[noreturn]] void no_input(std::string const& program, std::string const& input, std::string const& inputs) {
  throw skel::input_error(program, "", "there is no input '" + input + "'; the inputs are: " + inputs);
}

/// Molecules on a cubic lattice of `side` to each axis at a density, each moved by up to `loose` of its distance to the
/// next along each axis.
molecules liquid(std::size_t side, double density, double loose, std::mt19937_64& random) {
  double const gap = 1 / std::cbrt(density);
  std::uniform_real_distribution<double> move(-loose, loose);
  molecules all;
  all.box.fill(gap * static_cast<double>(side));
  for (std::size_t z = 0; z < side; ++z)
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t x = 0; x < side; ++x)
        for (std::size_t const at : {x, y, z})
          all.where.push_back((static_cast<double>(at) + 0.5 + move(random)) * gap);
  return all;
}

}  // namespace

program irreg(std::string const& input, options const& how) {
  // Difference of the ends, times the weight of the edge, and a mean: 2 + 1 + 1.
  constexpr double flops = 4;
  std::size_t const side = side_of(input == "stencil" ? 30000 : 130000, how.scale, input == "foil" ? 2 : 3);
  skel::mesh edges;
  if (input == "foil")
    edges = edges_of(triangle_lattice(side, side, how.seed));
  else if (input == "wing")
    edges = edges_of(tet_lattice({side, side, side}));
  else if (input == "stencil")
    edges = second_neighbours(tet_lattice({side, side, side}));
  else
    no_input("irreg", input, "foil, wing, stencil");
  return mesh_program("irreg", input, edges, how, value_kind::real, flops, static_steps);
}

program nbf(std::string const& input, options const& how) {
  // As in moldyn: differences with their nearest images (12), square (5), inverse (1), powers (2), force (4), parts
  // (3).
  constexpr double flops = 27;
  if (input != "near" && input != "far") no_input("nbf", input, "near, far");
  constexpr double density = 0.85;  // of liquid argon at its triple point, in reduced units
  double const cut_off = input == "near" ? 2 : 3;
  std::mt19937_64 random(how.seed);
  auto const least = static_cast<std::size_t>(std::ceil(2 * cut_off * std::cbrt(density)));
  std::size_t const side = std::max(least, side_of(input == "near" ? 130000 : 32768, how.scale, 3));
  return mesh_program("nbf", input, pairs_within(liquid(side, density, 0.3, random), cut_off), how, value_kind::vec3,
                      flops, static_steps);
}

program charmm(std::string const& input, options const& how) {
  // Differences (3), square (5), root and inverse (2), Lennard-Jones (6), charges (3), switch at the cut-off (8), parts
  // (3).
  constexpr double flops = 30;
  if (input != "small" && input != "large") no_input("charmm", input, "small, large");
  double const atoms = (input == "small" ? 15000 : 100000) * how.scale;
  // Half of the atoms are in clusters of some 500, four times as dense as the solvent, whose ends it does not enter.
  auto const clusters = static_cast<std::size_t>(std::max(1.0, std::round(atoms / 1000)));
  constexpr double solvent = 0.3, dense = 4 * solvent, cut_off = 2.5;
  std::mt19937_64 random(how.seed);
  molecules all;
  all.periodic = false;
  double const radius = std::cbrt(500 / dense * 3 / 4 / 3.14159265358979323846);
  double const wide = std::cbrt(atoms / 2 / solvent + static_cast<double>(clusters) * 500 / dense) + 2 * radius;
  all.box.fill(wide);
  std::uniform_real_distribution<double> centre(radius, wide - radius), anywhere(0, wide);
  std::vector<std::array<double, 3>> centres;
  for (std::size_t c = 0; c < clusters; ++c) {
    std::array<double, 3> const middle{centre(random), centre(random), centre(random)};
    centres.push_back(middle);
    molecules const ball =
        liquid(static_cast<std::size_t>(std::ceil(2 * radius * std::cbrt(dense))), dense, 0.3, random);
    for (std::size_t i = 0; i < ball.size(); ++i) {
      std::array<double, 3> from{};
      for (std::size_t d = 0; d < 3; ++d) from[d] = ball.where[3 * i + d] - ball.box[d] / 2;
      if (std::hypot(from[0], from[1], from[2]) > radius) continue;
      for (std::size_t d = 0; d < 3; ++d) all.where.push_back(middle[d] + from[d]);
    }
  }
  std::size_t const wanted = 2 * all.size();
  while (all.size() < wanted) {
    std::array<double, 3> const at{anywhere(random), anywhere(random), anywhere(random)};
    bool const inside = std::any_of(centres.begin(), centres.end(), [&](std::array<double, 3> const& c) {
      return std::hypot(at[0] - c[0], at[1] - c[1], at[2] - c[2]) < radius;
    });
    if (!inside) all.where.insert(all.where.end(), at.begin(), at.end());
  }
  return mesh_program("charmm", input, pairs_within(all, cut_off), how, value_kind::vec3, flops, static_steps);
}

program spark98(std::string input, skel::mesh const& mesh, options const& how) {
  constexpr double flops = 30;  // a block of 3 x 3, and its transpose, times a vector: 9 products and 6 sums each
  auto const renumbered = skel::renumber(mesh, how.nodes, how.cells, how.seed);
  // A matrix is stored row by row whatever the order of the elements; only shuffled cells say that it should not be.
  auto const edges = how.cells == skel::numbering::random ? edges_of(renumbered) : edges_by_rows(renumbered);
  options const as_is{how.scale, skel::numbering::native, skel::numbering::native, how.seed};
  return mesh_program("spark98", std::move(input), edges, as_is, value_kind::vec3, flops, static_steps);
}

program spark98(std::string const& input, options const& how) {
  if (input != "basin") no_input("spark98", input, "basin");
  // San Fernando's basin is wide and shallow: 5 : 5 : 1 in kilometres of its mesh, here in nodes.
  std::size_t const depth = side_of(100000.0 / 25, how.scale, 3);
  return spark98(input, tet_lattice({5 * depth, 5 * depth, depth}), how);
}

program shells(std::string const& input, options const& how) {
  if (input != "plate") no_input("shells", input, "plate");
  constexpr double flops = 12;  // four corners: stress of the element times a weight, in three components
  std::size_t const side = side_of(200000, how.scale, 2);
  return mesh_program("shells", input, quad_lattice(side, side), how, value_kind::vec3, flops, static_steps);
}

program histogram(std::string const& input, options const& how) {
  if (input != "uniform" && input != "zipf") no_input("histogram", input, "uniform, zipf");
  auto const bins = static_cast<std::size_t>(std::max(16.0, std::round(500000 * how.scale)));
  std::mt19937_64 random(how.seed);
  std::vector<skel::subscript> keys(4 * bins);
  if (input == "uniform") {
    std::uniform_int_distribution<skel::subscript> draw(0, static_cast<skel::subscript>(bins - 1));
    for (auto& key : keys) key = draw(random);
  } else {
    std::vector<double> below(bins);  // the weight of a rank and all before it
    for (std::size_t k = 0; k < bins; ++k) below[k] = (k > 0 ? below[k - 1] : 0) + 1 / static_cast<double>(k + 1);
    auto const bin = node_numbers(skel::mesh(bins, skel::cell_kind::line, {}), skel::numbering::random, how.seed);
    std::uniform_real_distribution<double> draw(0, below.back());
    for (auto& key : keys) {
      auto const rank = std::upper_bound(below.begin(), below.end() - 1, draw(random)) - below.begin();
      key = bin[static_cast<std::size_t>(rank)];
    }
  }
  std::size_t const count = keys.size();
  return pattern_program("histogram", input, skel::pattern(count, bins, std::move(keys)), how, value_kind::real, 0, 1);
}

program regular(std::string const& input, options const& how) {
  if (input != "short" && input != "shorter") no_input("regular", input, "short, shorter");
  std::size_t const elements = input == "short" ? 32 : 8;
  auto const rows = static_cast<std::size_t>(std::max(16.0, std::round(100000 * how.scale)));
  std::vector<skel::subscript> index(rows * elements);
  for (std::size_t k = 0; k < index.size(); ++k) index[k] = static_cast<skel::subscript>(k % elements);
  double const flops = 2 * static_cast<double>(elements);  // a product and a sum for each element
  return pattern_program("regular", input, skel::pattern(rows, elements, std::move(index)), how, value_kind::real,
                         flops, static_steps);
}

}  // namespace bench::reductions
