#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/cost/reduction/problem.hpp>

/// Speedups of reductions as polynomials, the way that the paper has them.
/// Source: Yu, Zhang, Dang, Rauchwerger 2004, TR04-002, Texas A&M, sections 4.1 and 5.1.
namespace skel::cost {

/// lg N (in words of 8 bytes: all arrays count), lg CON, MOB, OTH (other work over the work of the reduction, both on
/// one thread), lg SP, lg CLUS; and lg P, which the paper leaves out since it has a model for each machine and P.
inline constexpr std::size_t polynomial_variables = 7;
using polynomial_point = std::array<double, polynomial_variables>;

/// A product of powers of variables, named "lgN^2*lgCON"; "1" for none.
struct polynomial_term {
  std::string name;
  std::array<std::uint8_t, polynomial_variables> powers{};

  double at(polynomial_point const& x) const;
};

/// The maximal model: all terms of degree 3 at most, without powers of MOB. Those of degree 0 and 1, the minimal model,
/// come first.
std::vector<polynomial_term> const& polynomial_terms();
inline constexpr std::size_t minimal_polynomial = polynomial_variables + 1;

/// Where a problem is, when its reduction alone, without other work, takes one thread `reduction_seconds`.
polynomial_point polynomial_point_of(reduction_problem const& problem, double reduction_seconds);

/// Coefficients of polynomial_terms(), 0 for those left out. Least squares; from the minimal model on, terms are tried
/// in a random order and kept when the error of the held-out points does not rise. At the end the coefficients of the
/// terms that were kept are fitted to all points. The same for the same seed. O(points terms^2).
/// Preconditions: as many of each; one point at least that is not held out.
std::vector<double> fit_polynomial(std::span<polynomial_point const> points, std::span<double const> targets,
                                   std::vector<bool> const& held_out, std::uint64_t seed = 1);

/// The value of a polynomial. Precondition: as many coefficients as polynomial_terms().
double polynomial_at(polynomial_point const& x, std::span<double const> coefficients);

}  // namespace skel::cost
