#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <skel/detail/cost/mesh/iteration_time.hpp>

namespace skel::mapping::selection {

using cluster_set = std::vector<std::size_t>;  ///< rising

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Times that differ by no more than this part of them are equal, as sums of the same numbers in another order.
inline constexpr double same = cost::mesh::program::rounding;

/// The best set so far, and the number of tested sets.
class incumbent {
 public:
  explicit incumbent(cost::mesh::program const& of) : of_(of) {}

  double seconds() const { return seconds_; }
  cluster_set const& clusters() const { return clusters_; }
  std::uint64_t evaluated() const { return evaluated_; }
  /// True if a set that takes no less than this may still be preferred.
  bool may_win(double least) const { return least <= seconds_ * (1 + same) && least < infinity; }

  void count(std::uint64_t many = 1) { evaluated_ += many; }

  /// A set whose time has been computed, and is finite. O(clusters).
  void offer(cluster_set const& one, double seconds) {
    if (seconds < infinity && wins(one, seconds)) seconds_ = seconds, clusters_ = one;
  }
  /// A set whose time is about this.
  void offer_near(cluster_set one, double about) {
    if (!may_win(about)) return;
    std::ranges::sort(one);
    offer(one, cost::mesh::seconds_of(of_, one));
  }

 private:
  bool wins(cluster_set const& one, double seconds) const {
    if (seconds < seconds_ * (1 - same)) return true;
    if (seconds > seconds_ * (1 + same)) return false;
    return one.size() != clusters_.size() ? one.size() < clusters_.size() : one < clusters_;
  }

  cost::mesh::program const& of_;
  cluster_set clusters_;
  double seconds_ = infinity;
  std::uint64_t evaluated_ = 0;
};

}  // namespace skel::mapping::selection
