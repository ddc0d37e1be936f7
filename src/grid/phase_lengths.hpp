#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include <skel/base/statistics.hpp>

namespace skel {

/// How many executions there are with a pattern before it changes: what the user says, otherwise the median of the
/// last phases, one where nothing is known. Where there have been more than that, as many are to come as there have
/// been: ski rental.
class phase_lengths {
 public:
  /// Phases that are remembered.
  static constexpr std::size_t remembered = 8;

  /// `known`: by the user; 0 where nothing is said.
  explicit phase_lengths(double known) : known_(known) {}

  /// A phase has ended after so many executions; none: it has not been one.
  void ended(std::size_t uses) {
    if (uses == 0) return;
    lengths_.push_back(static_cast<double>(uses));
    if (lengths_.size() > remembered) lengths_.pop_front();
  }

  /// Of the next phase.
  double expected() const {
    if (known_ > 0) return known_;
    if (lengths_.empty()) return 1;
    return statistics::median(std::vector<double>(lengths_.begin(), lengths_.end()));
  }

  /// In a phase that was expected to have so many when it began, and has had some.
  static double to_come(double expected, std::size_t uses) {
    auto const so_far = static_cast<double>(uses);
    return so_far < expected ? expected - so_far : so_far;
  }

 private:
  double known_;
  std::deque<double> lengths_;
};

}  // namespace skel
