#include "maxwell/time_step.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "examples/maxwell/random_cavity.hpp"
#include "maxwell/curl.hpp"
#include "maxwell/reference_element.hpp"

namespace maxwell {
namespace {

using testing::behind;

rate_bounds bounds(domain const& box, std::vector<element<>> const& at, std::size_t order, flux how) {
  rate_bounds all;
  for (std::size_t c = 0; c < at.size(); ++c) {
    auto const around = behind(box, c, at);
    all = merge(all, order == 0   ? bounds_of<0>(at[c], around, how)
                     : order == 1 ? bounds_of<1>(at[c], around, how)
                                  : bounds_of<2>(at[c], around, how));
  }
  return all;
}

/// The highest frequency of the central flux: the root of the largest eigenvalue of E -> curl (curl E / permeability) /
/// permittivity, by powers.
template <std::size_t Order>
double highest_frequency(domain const& box, std::vector<element<>> const& at) {
  auto E = testing::random_fields<Order>(at.size(), 1), H = E;
  double largest = 0;
  for (int round = 0; round < 150; ++round) {
    for (std::size_t c = 0; c < at.size(); ++c) {
      H[c] = curl_with_means<Order>(at[c], E[c], behind(box, c, E), part::E);
      for (auto& component : H[c])
        for (double& x : component) x *= at[c].inverse_permeability;
    }
    largest = 0;
    for (std::size_t c = 0; c < at.size(); ++c) {
      E[c] = curl_with_means<Order>(at[c], H[c], behind(box, c, H), part::H);
      for (auto& component : E[c])
        for (double& x : component) x *= at[c].inverse_permittivity, largest = std::max(largest, std::abs(x));
    }
    for (auto& one : E)
      for (auto& component : one)
        for (double& x : component) x /= largest;
  }
  return std::sqrt(largest);
}

template <std::size_t Order>
void check_bound(domain const& box) {
  auto const at = testing::elements_of(box);
  double const bound = bounds(box, at, Order, flux::central).skew, found = highest_frequency<Order>(box, at);
  EXPECT_LE(found, bound) << "order " << Order;
  EXPECT_GE(found, bound / 6) << "order " << Order;  // or the bound is of no use
}

TEST(TimeStep, NoFrequencyOfTheMeshIsAboveItsBound) {
  domain const even = cube(2), any = testing::random_domain(2, 3, {wall::electric, wall::magnetic});
  for (auto const* box : {&even, &any}) {
    check_bound<0>(*box);
    check_bound<1>(*box);
    check_bound<2>(*box);
  }
}

TEST(TimeStep, IsThePaperSFormulaForConstants) {
  // Order 0, a vacuum: c dt < 4 V / P.
  domain const box = cube(1);
  auto const at = box.element_of(0);
  double const root = std::sqrt(2.0), area = 0.5 + 0.5 + root / 2 + root / 2;
  EXPECT_NEAR(leap_frog_step(bounds_of<0>(at, {}, flux::central)), 4 * (1.0 / 6) / area, 1e-15);
}

/// The largest eigenvalue of M^-1 sum over corners of (Dv - mean)^T M (Dv - mean), by powers.
template <std::size_t Order>
double largest_curl() {
  using reference = reference_element<Order>;
  matrix<reference::nodes> mean, sum;
  for (auto const& d : reference::derivative)
    for (std::size_t i = 0; i < reference::nodes; ++i)
      for (std::size_t j = 0; j < reference::nodes; ++j) mean(i, j) += d(i, j) / 4;
  for (std::size_t v = 0; v < 4; ++v) {
    matrix<reference::nodes> d;
    for (std::size_t i = 0; i < reference::nodes; ++i)
      for (std::size_t j = 0; j < reference::nodes; ++j)
        d(i, j) = (v == 0 ? 0 : reference::derivative[v - 1](i, j)) - mean(i, j);
    auto const one = transposed(d) * reference::mass * d;
    for (std::size_t i = 0; i < reference::nodes; ++i)
      for (std::size_t j = 0; j < reference::nodes; ++j) sum(i, j) += one(i, j);
  }
  auto const all = inverse(reference::mass) * sum;
  matrix<reference::nodes, 1> x;
  for (std::size_t i = 0; i < reference::nodes; ++i) x(i, 0) = std::sin(3.0 * static_cast<double>(i) + 1);
  double largest = 0;
  for (int round = 0; round < 1000; ++round) {
    x = all * x;
    largest = 0;
    for (auto const& row : x.values) largest = std::max(largest, std::abs(row[0]));
    for (auto& row : x.values) row[0] /= largest;
  }
  return largest;
}

TEST(TimeStep, ConstantsOfTheCurlAreEigenvalues) {
  EXPECT_NEAR(largest_curl<1>(), curl_constant[1], 1e-9);
  EXPECT_LE(largest_curl<2>(), curl_constant[2]);
  EXPECT_NEAR(largest_curl<2>(), curl_constant[2], 1e-3);
}

/// What a step of the Runge-Kutta method multiplies exp(z t) by.
std::complex<double> growth(std::complex<double> z) {
  std::complex<double> u = 1, d = 0;
  for (std::size_t s = 0; s < runge_kutta::stages; ++s) d = runge_kutta::A[s] * d + z * u, u += runge_kutta::B[s] * d;
  return u;
}

TEST(RungeKutta, IsOfOrderFour) {
  for (double const h : {0.1, 0.05}) {
    std::complex<double> const z(-0.3 * h, h);
    // exp(z) to the fourth power, and 1/200 of the fifth instead of 1/120
    EXPECT_NEAR(std::abs(growth(z) - (1.0 + z + z * z / 2.0 + z * z * z / 6.0 + z * z * z * z / 24.0)),
                std::pow(std::abs(z), 5) / 200, 1e-14);
  }
}

TEST(RungeKutta, IsStableAsFarAsStepsGo) {
  for (int k = 0; k <= 400; ++k)
    for (double const part : {0.1, 0.4, 0.7, 0.9, 1.0}) {
      auto const along = std::polar(1.0, std::numbers::pi * (0.5 + k / 800.0));
      EXPECT_LE(std::abs(growth(part * runge_kutta_step({0, 1}) * along)), 1 + 1e-12) << k << " " << part;
      EXPECT_LE(std::abs(growth({0, part * runge_kutta_step({1, 0})})), 1 + 1e-12);
    }
  EXPECT_GT(std::abs(growth({0, 1.005 * runge_kutta_step({1, 0})})), 1);
}

}  // namespace
}  // namespace maxwell
