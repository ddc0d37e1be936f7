#pragma once

#include <array>
#include <cstring>

namespace maxwell {

/// Four doubles, computed at once as the processor can: four by AVX, two and two without. Loops over the four corners
/// of a tetrahedron, as compilers translate them, take twice as long.
class lanes {
 public:
  lanes() = default;
  explicit lanes(double all) : values_{all, all, all, all} {}
  lanes(double a, double b, double c, double d) : values_{a, b, c, d} {}
  explicit lanes(std::array<double, 4> const& from) { std::memcpy(&values_, from.data(), sizeof values_); }

  void store(std::array<double, 4>& to) const { std::memcpy(to.data(), &values_, sizeof values_); }

  friend lanes operator+(lanes const& a, lanes const& b) { return lanes(a.values_ + b.values_); }
  friend lanes operator-(lanes const& a, lanes const& b) { return lanes(a.values_ - b.values_); }
  friend lanes operator*(lanes const& a, lanes const& b) { return lanes(a.values_ * b.values_); }

  double sum() const { return (values_[0] + values_[1]) + (values_[2] + values_[3]); }
  /// The sums of four, each as above.
  friend lanes sums(lanes const& a, lanes const& b, lanes const& c, lanes const& d) {
    auto const ab = __builtin_shufflevector(a.values_, b.values_, 0, 4, 2, 6) +
                    __builtin_shufflevector(a.values_, b.values_, 1, 5, 3, 7),
               cd = __builtin_shufflevector(c.values_, d.values_, 0, 4, 2, 6) +
                    __builtin_shufflevector(c.values_, d.values_, 1, 5, 3, 7);
    return lanes(__builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
  }

 private:
  using four = double __attribute__((vector_size(32)));
  explicit lanes(four const& values) : values_(values) {}

  four values_;
};

}  // namespace maxwell
