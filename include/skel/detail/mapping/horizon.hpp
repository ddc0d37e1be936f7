#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <skel/detail/base/statistics.hpp>

namespace skel::mapping {

/// Expected uses of a decision: as the user says, otherwise the median of the last phases, otherwise one. Once there
/// have been as many, as many are to come as there have been. That is ski rental, which never pays more than twice the
/// cost with knowledge of the number.
class horizon {
 public:
  /// Phases that are remembered.
  static constexpr std::size_t remembered = 8;

  /// A phase has ended after so many uses; none: it does not count as a phase.
  void ended(std::uint64_t uses) {
    if (uses == 0) return;
    lengths_.push_back(static_cast<double>(uses));
    if (lengths_.size() > remembered) lengths_.pop_front();
  }

  /// Uses of the next phase. `said`: by the user; 0: nothing. O(1).
  double expected(double said) const {
    if (said > 0) return said;
    if (lengths_.empty()) return 1;
    return statistics::median(std::vector<double>(lengths_.begin(), lengths_.end()));
  }

  /// Uses to come in a phase that was expected to have so many when it began, and has had some.
  static double to_come(double expected, std::uint64_t so_far) {
    auto const uses = static_cast<double>(so_far);
    return uses < expected ? expected - uses : uses;
  }

 private:
  std::deque<double> lengths_;
};

}  // namespace skel::mapping
