#include <skel/detail/cost/reduction/polynomial.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <string_view>

#include <Eigen/Dense>

#include <skel/detail/base/contract.hpp>

#include "log2_of.hpp"

namespace skel::cost {

namespace {

constexpr std::array<std::string_view, polynomial_variables> names{"lgN",  "lgCON",  "MOB", "OTH",
                                                                   "lgSP", "lgCLUS", "lgP"};
constexpr std::size_t mobility = 2;
constexpr int degree = 3;

std::vector<polynomial_term> all_terms() {
  std::vector<polynomial_term> terms{{"1", {}}};
  // Each term of one degree, times a variable that is not before its last one, is a term of the next.
  std::size_t begin = 0;
  for (int d = 0; d < degree; ++d) {
    std::size_t const end = terms.size();
    for (std::size_t k = begin; k < end; ++k) {
      std::size_t first = 0;
      for (std::size_t v = 0; v < polynomial_variables; ++v)
        if (terms[k].powers[v] > 0) first = v;
      for (std::size_t v = first; v < polynomial_variables; ++v) {
        if (v == mobility && terms[k].powers[v] > 0) continue;
        polynomial_term next{{}, terms[k].powers};
        ++next.powers[v];
        terms.push_back(next);
      }
    }
    begin = end;
  }
  for (std::size_t k = 1; k < terms.size(); ++k)
    for (std::size_t v = 0; v < polynomial_variables; ++v) {
      int const power = terms[k].powers[v];
      if (power == 0) continue;
      terms[k].name += (terms[k].name.empty() ? "" : "*") + std::string(names[v]);
      if (power > 1) terms[k].name += "^" + std::to_string(power);
    }
  return terms;
}

/// Least squares that grows by columns: those taken are kept orthogonal (Gram-Schmidt, twice), and test rows follow
/// the same steps, so that a further column costs O(rows columns) to try.
class growing_fit {
 public:
  growing_fit(Eigen::VectorXd train, Eigen::VectorXd test) : rest_(std::move(train)), test_rest_(std::move(test)) {}

  double test_error() const { return test_rest_.squaredNorm(); }

  /// Takes a column; unless `always`, only when the error on the test rows does not rise with it.
  bool add(Eigen::VectorXd column, Eigen::VectorXd test, bool always) {
    double const before = column.norm();
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t k = 0; k < basis_.size(); ++k) {
        double const share = basis_[k].dot(column);
        column -= share * basis_[k];
        test -= share * test_basis_[k];
      }
    double const norm = column.norm();
    if (!(norm > 1e-9 * before)) return false;  // rounding is all that is left of it
    column /= norm, test /= norm;
    double const amount = column.dot(rest_);
    Eigen::VectorXd const next = test_rest_ - amount * test;
    if (!always && next.squaredNorm() > test_error()) return false;
    rest_ -= amount * column;
    test_rest_ = next;
    basis_.push_back(std::move(column));
    test_basis_.push_back(std::move(test));
    return true;
  }

 private:
  Eigen::VectorXd rest_, test_rest_;
  std::vector<Eigen::VectorXd> basis_, test_basis_;
};

}  // namespace

double polynomial_term::at(polynomial_point const& x) const {
  double product = 1;
  for (std::size_t v = 0; v < polynomial_variables; ++v)
    for (int power = 0; power < powers[v]; ++power) product *= x[v];
  return product;
}

std::vector<polynomial_term> const& polynomial_terms() {
  static std::vector<polynomial_term> const terms = all_terms();
  return terms;
}

polynomial_point polynomial_point_of(reduction_problem const& problem, double reduction_seconds) {
  auto const& of = problem.pattern;
  double const other = problem.other_seconds * static_cast<double>(of.iterations);
  return {log2_of(static_cast<double>(of.elements) * problem.value_bytes / 8),
          log2_of(of.connectivity()),
          of.mobility(),
          reduction_seconds > 0 ? other / reduction_seconds : 0,
          log2_of(of.sparsity),
          log2_of(of.clusters),
          log2_of(static_cast<double>(of.parts))};
}

std::vector<double> fit_polynomial(std::span<polynomial_point const> points, std::span<double const> targets,
                                   std::vector<bool> const& held_out, std::uint64_t seed) {
  SKEL_EXPECTS(points.size() == targets.size() && points.size() == held_out.size());
  auto const& terms = polynomial_terms();
  std::vector<Eigen::Index> train, test;
  for (std::size_t r = 0; r < points.size(); ++r) (held_out[r] ? test : train).push_back(static_cast<Eigen::Index>(r));
  SKEL_EXPECTS(!train.empty());
  Eigen::VectorXd const y =
      Eigen::Map<Eigen::VectorXd const>(targets.data(), static_cast<Eigen::Index>(targets.size()));
  Eigen::MatrixXd x(y.size(), static_cast<Eigen::Index>(terms.size()));
  for (std::size_t k = 0; k < terms.size(); ++k)
    for (std::size_t r = 0; r < points.size(); ++r)
      x(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(k)) = terms[k].at(points[r]);

  growing_fit fit(y(train), y(test));
  std::vector<Eigen::Index> kept;
  auto const consider = [&](std::size_t term, bool always) {
    auto const column = static_cast<Eigen::Index>(term);
    if (fit.add(x(train, column), x(test, column), always)) kept.push_back(column);
  };
  for (std::size_t k = 0; k < minimal_polynomial; ++k) consider(k, true);
  std::vector<std::size_t> others;
  for (std::size_t k = minimal_polynomial; k < terms.size(); ++k) others.push_back(k);
  std::mt19937_64 dice(seed);
  for (std::size_t k = others.size(); k > 1; --k) std::swap(others[k - 1], others[dice() % k]);
  for (std::size_t const k : others) consider(k, false);

  Eigen::MatrixXd columns = x(Eigen::all, kept);
  Eigen::VectorXd scale = columns.colwise().norm().transpose();
  for (double& one : scale) one = one > 0 ? one : 1;
  columns = (columns.array().rowwise() / scale.transpose().array()).matrix();
  Eigen::VectorXd const solution = columns.colPivHouseholderQr().solve(y);
  std::vector<double> coefficients(terms.size(), 0);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    auto const at = static_cast<Eigen::Index>(k);
    coefficients[static_cast<std::size_t>(kept[k])] = solution[at] / scale[at];
  }
  return coefficients;
}

double polynomial_at(polynomial_point const& x, std::span<double const> coefficients) {
  auto const& terms = polynomial_terms();
  SKEL_EXPECTS(coefficients.size() == terms.size());
  double sum = 0;
  for (std::size_t k = 0; k < terms.size(); ++k)
    if (coefficients[k] != 0) sum += coefficients[k] * terms[k].at(x);
  return sum;
}

}  // namespace skel::cost
