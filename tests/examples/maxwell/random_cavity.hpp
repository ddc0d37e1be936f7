#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <skel/mesh.hpp>

#include "maxwell/cavity.hpp"
#include "maxwell/corners.hpp"

namespace maxwell::testing {

/// The same tetrahedra, with their corners named in any order, and so with other nodes behind each face.
inline skel::mesh renamed(skel::mesh const& of, std::mt19937& random) {
  std::vector<skel::subscript> corners(of.corners().begin(), of.corners().end());
  for (std::size_t c = 0; c < of.cells(); ++c)
    std::shuffle(corners.begin() + static_cast<std::ptrdiff_t>(4 * c),
                 corners.begin() + static_cast<std::ptrdiff_t>(4 * c + 4), random);
  return {of.nodes(), skel::cell_kind::tet, std::move(corners), of.where()};
}

/// A cube whose inner points are moved, and whose cells have their corners, and themselves, in any order.
inline skel::mesh shaken_cube(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  auto const even = skel::cube_of_tetrahedra(n);
  auto where = even.where();
  double const most = 0.15 / static_cast<double>(n);
  std::uniform_real_distribution<double> by(-most, most);
  for (std::size_t v = 0; v < even.nodes(); ++v)
    if (std::ranges::all_of(even.point(v), [](double one) { return one > 0 && one < 1; }))
      for (std::size_t a = 0; a < 3; ++a) where.values[3 * v + a] += by(random);
  std::vector<std::size_t> order(even.cells());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::shuffle(order, random);
  std::vector<skel::subscript> corners;
  for (auto const c : order) corners.insert(corners.end(), even.cell(c).begin(), even.cell(c).end());
  return renamed({even.nodes(), skel::cell_kind::tet, std::move(corners), std::move(where)}, random);
}

/// Matter that differs from cell to cell, between walls of such kinds.
inline domain random_domain(std::size_t n, unsigned seed, std::vector<wall> const& kinds = {wall::electric}) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> from(0.5, 4);
  auto mesh = shaken_cube(n, seed);
  filling with{matter_by_middle(mesh, [&](point const&) { return material{from(random), from(random)}; }), {}};
  for (std::size_t c = 0; c < mesh.cells(); ++c)
    for (auto& one : with.walls.emplace_back()) one = kinds[random() % kinds.size()];
  return domain(std::move(mesh), std::move(with));
}

template <std::size_t Order>
std::vector<field<Order>> random_fields(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> from(-1, 1);
  std::vector<field<Order>> all(count);
  for (auto& one : all)
    for (auto& component : one)
      for (double& x : component) x = from(random);
  return all;
}

/// What is behind the faces of a cell, of anything that there is for each cell.
template <class Thing>
std::array<Thing const*, 4> behind(domain const& of, std::size_t cell, std::vector<Thing> const& all) {
  std::array<Thing const*, 4> found{};
  for (std::size_t f = 0; f < 4; ++f) {
    auto const there = of.behind.of(cell)[f];
    found[f] = there == skel::face_neighbours::none ? nullptr : &all[there];
  }
  return found;
}

inline std::vector<element<>> elements_of(domain const& of) {
  std::vector<element<>> all;
  for (std::size_t c = 0; c < of.mesh.cells(); ++c) all.push_back(of.element_of(c));
  return all;
}

}  // namespace maxwell::testing
