#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <skel/base/statistics.hpp>

namespace skel::mapping {

/// How many uses of a decision are to come: what the user says, otherwise the median of the last phases, otherwise one.
/// Where there have been as many, as many are to come as there have been: ski rental, which never pays more than twice
/// what knowing the number would.
class horizon {
 public:
  /// Phases that are remembered.
  static constexpr std::size_t remembered = 8;

  /// A phase has ended after so many uses; none: it has not been one.
  void ended(std::uint64_t uses) {
    if (uses == 0) return;
    lengths_.push_back(static_cast<double>(uses));
    if (lengths_.size() > remembered) lengths_.pop_front();
  }

  /// In a phase that has had so many uses. `said`: by the user for all of it; 0: nothing. At least 1.
  double to_come(double said, std::uint64_t so_far) const {
    if (said <= 0 && !lengths_.empty())
      said = statistics::median(std::vector<double>(lengths_.begin(), lengths_.end()));
    return to_come_of(said, so_far);
  }
  /// The same where nothing is known of phases.
  static double to_come_of(double said, std::uint64_t so_far) {
    auto const uses = static_cast<double>(so_far);
    return std::max(1.0, uses < said ? said - uses : uses);
  }

 private:
  std::deque<double> lengths_;
};

}  // namespace skel::mapping
