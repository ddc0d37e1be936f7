#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <skel/detail/mapping/decision.hpp>

namespace skel::mapping::detail {

/// True if the throughputs tie.
inline bool ties(double a, double b) {
  return a - b <= tie_tolerance * a && b - a <= tie_tolerance * b;
}

/// The best placements seen, best first; the simplest of those that tie with the best leads.
class ranking {
 public:
  explicit ranking(std::size_t kept) : kept_(kept + 1) {}

  bool empty() const { return list_.empty(); }
  double best() const { return list_.empty() ? 0 : highest_; }
  /// Throughput that a placement must reach to be kept; 0 while there is room.
  double least_kept() const { return list_.size() < kept_ ? 0 : list_.back().throughput; }
  alternative const& winner() const { return list_.front(); }

  void add(plan::placement const& where, double throughput) {
    if (list_.size() >= kept_ && throughput < list_.back().throughput && !ties(throughput, highest_)) return;
    auto const same = std::find_if(list_.begin(), list_.end(), [&](auto const& a) { return a.placement == where; });
    if (same != list_.end()) return;
    highest_ = std::max(highest_, throughput);
    list_.push_back({where, throughput});
    std::sort(list_.begin(), list_.end(), [&](alternative const& a, alternative const& b) {
      bool const x = ties(a.throughput, highest_), y = ties(b.throughput, highest_);
      if (x != y) return x;
      if (x || a.throughput == b.throughput) return simpler(a.placement, b.placement);
      return a.throughput > b.throughput;
    });
    if (list_.size() > kept_) list_.pop_back();
  }

  /// Takes winner, price and losers over into a decision.
  void hand_over(decision& into) const {
    into.placement = list_.front().placement;
    into.throughput = list_.front().throughput;
    into.alternatives.assign(list_.begin() + 1, list_.end());
  }

 private:
  std::size_t kept_;
  double highest_ = 0;
  std::vector<alternative> list_;
};

}  // namespace skel::mapping::detail
