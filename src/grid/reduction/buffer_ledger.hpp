#pragma once

#include <array>
#include <cstddef>

#include <skel/detail/pattern/pattern_features.hpp>
#include <skel/detail/plan/reduction.hpp>

namespace skel {

/// The algorithms of which an irregular reduction keeps plans and buffers. Plans hold for one pattern, buffers for all
/// that are not larger. A value without memory of its own.
class buffer_ledger {
 public:
  /// Another pattern: no plan holds any more.
  void next_pattern();
  /// The plan of an algorithm was made for a pattern, with buffers where it keeps any.
  void prepared(plan::reduction_algorithm algorithm, pattern_features const& of, bool has_buffers);
  /// Drops the buffers of the others.
  void keep_only(plan::reduction_algorithm algorithm);
  /// Nothing is there any more.
  void clear();

  /// Algorithms whose plans are there.
  plan::reduction_set plans() const { return plans_; }
  /// Algorithms whose buffers are there, and large enough for a pattern.
  plan::reduction_set buffers_for(pattern_features const& of) const;
  /// How many patterns are expected to share buffers that are bought now: as many as shared those that are there.
  double later_patterns() const { return static_cast<double>(patterns_before_); }

 private:
  /// The largest pattern that buffers were made for.
  struct sizes {
    std::size_t elements = 0, subscripts = 0;
  };

  /// Some have to be bought again: how many patterns will share the next ones is counted from this one on.
  void lose() { patterns_before_ = 0, patterns_ = 1; }

  plan::reduction_set plans_ = 0, buffers_ = 0;
  std::array<sizes, plan::reduction_algorithms> largest_{};
  std::size_t patterns_ = 0, patterns_before_ = 0;  // since buffers were lost; before this one
};

}  // namespace skel
