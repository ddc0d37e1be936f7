#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>

namespace skel {

/// A function of one variable that is linear between given points and exact at them. Below the first and above the last
/// point the outermost line goes on, never below zero. One point is a constant, none is zero everywhere.
/// Used for times [s] over message sizes [B] that were measured at some sizes. Evaluation O(log points).
class piecewise_linear {
 public:
  struct point {
    double x, y;

    friend bool operator==(point const&, point const&) = default;
  };

  piecewise_linear() = default;

  /// Precondition: x rises strictly from point to point, and y is not negative.
  explicit piecewise_linear(std::vector<point> points) : points_(std::move(points)) {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      SKEL_EXPECTS(points_[i].y >= 0);
      if (i > 0) SKEL_EXPECTS(points_[i - 1].x < points_[i].x);
    }
  }

  double operator()(double x) const {
    if (points_.size() < 2) return points_.empty() ? 0 : points_.front().y;
    point const *const left = segment(x), *const right = left + 1;
    if (x == left->x) return left->y;
    if (x == right->x) return right->y;
    double const slope = (right->y - left->y) / (right->x - left->x);
    // From the nearer end, so that rounding stays between the values of the two ends while x is between them.
    double const value = x < right->x ? left->y + slope * (x - left->x) : right->y + slope * (x - right->x);
    return std::max(value, 0.0);
  }

  /// Slope of the line to the right of x.
  double slope(double x) const {
    if (points_.size() < 2) return 0;
    point const *const left = segment(x), *const right = left + 1;
    return (right->y - left->y) / (right->x - left->x);
  }

  /// True if it never falls.
  bool is_monotone() const {
    return std::is_sorted(points_.begin(), points_.end(), [](point const& a, point const& b) { return a.y < b.y; });
  }

  std::vector<point> const& points() const { return points_; }

  friend bool operator==(piecewise_linear const&, piecewise_linear const&) = default;

 private:
  /// Left end of the line at x, or of the outermost one.
  point const* segment(double x) const {
    auto const above =
        std::upper_bound(points_.begin(), points_.end(), x, [](double value, point const& p) { return value < p.x; });
    auto const index = static_cast<std::size_t>(above - points_.begin());
    return &points_[std::clamp<std::size_t>(index, 1, points_.size() - 1) - 1];
  }

  std::vector<point> points_;
};

}  // namespace skel
