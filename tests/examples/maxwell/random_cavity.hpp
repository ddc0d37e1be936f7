#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "maxwell/cavity.hpp"
#include "maxwell/tetrahedra.hpp"

namespace maxwell::testing {

/// A cube whose inner points are moved, and whose cells have their corners, and themselves, in any order.
inline tetrahedra shaken_cube(std::uint32_t n, unsigned seed) {
  std::mt19937 random(seed);
  auto made = cube(n);
  std::uniform_real_distribution<double> by(-0.15 / n, 0.15 / n);
  for (auto& at : made.points)
    for (double& x : at)
      if (std::ranges::all_of(at, [](double one) { return one > 0 && one < 1; })) x += by(random);
  for (auto& corners : made.cells) std::ranges::shuffle(corners, random);
  std::ranges::shuffle(made.cells, random);
  return made;
}

/// Matter that differs from cell to cell.
inline domain random_domain(std::uint32_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> from(0.5, 4);
  return domain(shaken_cube(n, seed), [&](point const&) { return material{from(random), from(random)}; });
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
  for (std::size_t f = 0; f < 4; ++f) found[f] = of.behind[cell][f] == nobody ? nullptr : &all[of.behind[cell][f]];
  return found;
}

inline std::vector<element<>> elements_of(domain const& of) {
  std::vector<element<>> all;
  for (std::size_t c = 0; c < of.mesh.cells.size(); ++c) all.push_back(of.element_of(c));
  return all;
}

}  // namespace maxwell::testing
