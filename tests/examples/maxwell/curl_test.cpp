#include "maxwell/curl.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "examples/maxwell/random_cavity.hpp"
#include "maxwell/upwind.hpp"

namespace maxwell {
namespace {

using testing::behind;

/// Curls of all cells by the central flux.
template <std::size_t Order>
std::vector<field<Order>> central(domain const& box, std::vector<element<>> const& at,
                                  std::vector<field<Order>> const& x, part which) {
  std::vector<field<Order>> all;
  for (std::size_t c = 0; c < x.size(); ++c)
    all.push_back(curl_with_means<Order>(at[c], x[c], behind(box, c, x), which));
  return all;
}

template <std::size_t Order>
double inner(std::vector<element<>> const& at, std::vector<field<Order>> const& a, std::vector<field<Order>> const& b) {
  double sum = 0;
  for (std::size_t c = 0; c < at.size(); ++c) sum += product<Order>(a[c], b[c], volume(at[c]));
  return sum;
}

/// A field whose tangential part is 0 on the walls, and its curl.
point bubble(point const& x) {
  return {x[1] * (1 - x[1]) * x[2] * (1 - x[2]), 0, 0};
}

TEST(Curl, OfLinearAndQuadraticFieldsIsExact) {
  domain const box(testing::shaken_cube(2, 3));
  for (std::size_t c = 0; c < box.mesh.cells(); ++c) {
    auto const at = box.element_of(c);
    auto const corners = box.corners(c);
    auto const linear = curl<1>(at, interpolated<1>(corners, [](point const& x) {
                                  return point{2 * x[1] - x[2], 3 * x[2] + x[0], x[0] - 5 * x[1]};
                                }));
    auto const quadratic = curl<2>(at, interpolated<2>(corners, [](point const& x) {
                                     return point{x[1] * x[2], x[0] * x[0], x[0] * x[1]};
                                   }));
    auto const nodes = node_positions<2>(corners);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(linear[0][i], -5 - 3, 1e-12);
      EXPECT_NEAR(linear[1][i], -1 - 1, 1e-12);
      EXPECT_NEAR(linear[2][i], 1 - 2, 1e-12);
    }
    for (std::size_t i = 0; i < 10; ++i) {
      auto const& x = nodes[i];
      EXPECT_NEAR(quadratic[0][i], x[0], 1e-12);
      EXPECT_NEAR(quadratic[1][i], x[1] - x[1], 1e-12);
      EXPECT_NEAR(quadratic[2][i], 2 * x[0] - x[2], 1e-12);
    }
  }
}

template <std::size_t Order>
void check_that_continuous_fields_have_no_flux() {
  domain const box(testing::shaken_cube(2, 4));
  auto const at = testing::elements_of(box);
  std::vector<field<Order>> E;
  for (std::size_t c = 0; c < at.size(); ++c) E.push_back(interpolated<Order>(box.corners(c), bubble));
  auto const found = central<Order>(box, at, E, part::E);
  for (std::size_t c = 0; c < at.size(); ++c) {
    auto const inside = curl<Order>(at[c], E[c]);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t i = 0; i < nodes_of(Order); ++i) EXPECT_NEAR(found[c][a][i], inside[a][i], 1e-12);
  }
}

TEST(Curl, FieldsWithoutJumpsHaveNothingOnFaces) {
  check_that_continuous_fields_have_no_flux<1>();
  check_that_continuous_fields_have_no_flux<2>();
}

template <std::size_t Order>
void check_that_energy_goes_nowhere() {
  domain const box = testing::random_domain(2, 5, {wall::electric, wall::magnetic});
  auto const at = testing::elements_of(box);
  auto const E = testing::random_fields<Order>(at.size(), 6), H = testing::random_fields<Order>(at.size(), 7);
  double const gained = inner<Order>(at, E, central<Order>(box, at, H, part::H)),
               lost = inner<Order>(at, H, central<Order>(box, at, E, part::E));
  EXPECT_NEAR(gained, lost, 1e-12 * (1 + std::abs(gained)));
  EXPECT_GT(std::abs(gained), 1e-3);
}

TEST(Curl, WithMeansGivesToEWhatItTakesFromH) {
  check_that_energy_goes_nowhere<0>();
  check_that_energy_goes_nowhere<1>();
  check_that_energy_goes_nowhere<2>();
}

/// What the upwind flux gives to the energy in all: integral of E . curl H - H . curl E.
template <std::size_t Order>
double upwind_gain(domain const& box, std::vector<element<>> const& at, std::vector<field<Order>> const& E,
                   std::vector<field<Order>> const& H) {
  double sum = 0;
  for (std::size_t c = 0; c < at.size(); ++c) {
    auto const around = behind(box, c, at);
    std::array<double, 4> impedances{};
    for (std::size_t f = 0; f < 4; ++f) impedances[f] = around[f] == nullptr ? at[c].impedance : around[f]->impedance;
    auto const curls = upwind_curls<Order>(at[c], E[c], H[c], behind(box, c, E), behind(box, c, H), impedances);
    sum += product<Order>(E[c], curls.of_H, volume(at[c])) - product<Order>(H[c], curls.of_E, volume(at[c]));
  }
  return sum;
}

TEST(Upwind, TakesEnergyFromJumpsInAnyMatter) {
  domain const box = testing::random_domain(2, 8, {wall::electric, wall::magnetic, wall::open});
  auto const at = testing::elements_of(box);
  for (unsigned seed = 1; seed < 6; ++seed) {
    EXPECT_LT(
        upwind_gain<0>(box, at, testing::random_fields<0>(at.size(), seed), testing::random_fields<0>(at.size(), 99)),
        0);
    EXPECT_LT(
        upwind_gain<1>(box, at, testing::random_fields<1>(at.size(), seed), testing::random_fields<1>(at.size(), 99)),
        0);
    EXPECT_LT(
        upwind_gain<2>(box, at, testing::random_fields<2>(at.size(), seed), testing::random_fields<2>(at.size(), 99)),
        0);
  }
}

TEST(Upwind, TakesNothingFromContinuousFields) {
  domain const box(testing::shaken_cube(2, 9));
  auto const at = testing::elements_of(box);
  std::vector<field<1>> E, H;
  for (std::size_t c = 0; c < at.size(); ++c) {
    E.push_back(interpolated<1>(box.corners(c), bubble));
    H.push_back(interpolated<1>(box.corners(c), [](point const& x) { return point{x[1], x[2], x[0]}; }));
  }
  EXPECT_NEAR(upwind_gain<1>(box, at, E, H), 0, 1e-14);
}

}  // namespace
}  // namespace maxwell
