#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace maxwell {

/// A dense matrix of a size known to the compiler, so that reference elements are constants.
template <std::size_t Rows, std::size_t Columns = Rows>
struct matrix {
  std::array<std::array<double, Columns>, Rows> values{};

  constexpr double& operator()(std::size_t row, std::size_t column) { return values[row][column]; }
  constexpr double operator()(std::size_t row, std::size_t column) const { return values[row][column]; }
};

template <std::size_t Rows, std::size_t Inner, std::size_t Columns>
constexpr matrix<Rows, Columns> operator*(matrix<Rows, Inner> const& a, matrix<Inner, Columns> const& b) {
  matrix<Rows, Columns> product;
  for (std::size_t i = 0; i < Rows; ++i)
    for (std::size_t k = 0; k < Inner; ++k)
      for (std::size_t j = 0; j < Columns; ++j) product(i, j) += a(i, k) * b(k, j);
  return product;
}

template <std::size_t Rows, std::size_t Columns>
constexpr matrix<Columns, Rows> transposed(matrix<Rows, Columns> const& a) {
  matrix<Columns, Rows> t;
  for (std::size_t i = 0; i < Rows; ++i)
    for (std::size_t j = 0; j < Columns; ++j) t(j, i) = a(i, j);
  return t;
}

/// The inverse, by Gauss-Jordan elimination with the largest pivot of each column. O(Size^3).
/// Precondition: the matrix is regular.
template <std::size_t Size>
constexpr matrix<Size> inverse(matrix<Size> a) {
  matrix<Size> out;
  for (std::size_t i = 0; i < Size; ++i) out(i, i) = 1;
  for (std::size_t column = 0; column < Size; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column; row < Size; ++row)
      if (a(row, column) * a(row, column) > a(pivot, column) * a(pivot, column)) pivot = row;
    std::swap(a.values[pivot], a.values[column]);
    std::swap(out.values[pivot], out.values[column]);
    double const scale = 1 / a(column, column);
    for (std::size_t j = 0; j < Size; ++j) a(column, j) *= scale, out(column, j) *= scale;
    for (std::size_t row = 0; row < Size; ++row) {
      if (row == column) continue;
      double const factor = a(row, column);
      for (std::size_t j = 0; j < Size; ++j) a(row, j) -= factor * a(column, j), out(row, j) -= factor * out(column, j);
    }
  }
  return out;
}

}  // namespace maxwell
