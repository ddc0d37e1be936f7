#pragma once

#include <cmath>
#include <numbers>

#include <skel/detail/base/contract.hpp>

namespace skel::statistics {

/// How probable it is that a number that has Student's t distribution with `freedom` degrees of freedom lies within
/// +-t. Source: Abramowitz and Stegun 1964, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
/// Precondition: t >= 0, freedom >= 1. O(freedom).
inline double student_within(double t, int freedom) {
  SKEL_EXPECTS(t >= 0 && freedom >= 1);
  double const angle = std::atan(t / std::sqrt(static_cast<double>(freedom)));
  double const cosine = std::cos(angle), square = cosine * cosine;
  bool const odd = freedom % 2 == 1;
  double term = odd ? cosine : 1, sum = 0;
  for (int k = odd ? 3 : 2; k <= freedom; k += 2) {
    sum += term;
    term *= square * (k - 1) / k;
  }
  return odd ? (angle + std::sin(angle) * sum) * 2 / std::numbers::pi : std::sin(angle) * sum;
}

/// The x >= 0 at which `within`, which rises from 0 to 1, reaches a probability. Precondition: 0 < probability < 1.
template <class Within>
double reach(Within const& within, double probability) {
  SKEL_EXPECTS(probability > 0 && probability < 1);
  double low = 0, high = 1;
  while (within(high) < probability) low = high, high *= 2;
  for (double middle = (low + high) / 2; low < middle && middle < high; middle = (low + high) / 2)
    (within(middle) < probability ? low : high) = middle;
  return (low + high) / 2;
}

/// The t within +-which such a number lies with this probability: the half width of a two-sided interval of a mean, in
/// its standard errors. Precondition: 0 < probability < 1, freedom >= 1. O(freedom).
inline double student_reach(double probability, int freedom) {
  return reach([freedom](double t) { return student_within(t, freedom); }, probability);
}

/// The same of a number that has the standard normal distribution. O(1).
inline double normal_reach(double probability) {
  return reach([](double x) { return std::erf(x / std::numbers::sqrt2); }, probability);
}

}  // namespace skel::statistics
