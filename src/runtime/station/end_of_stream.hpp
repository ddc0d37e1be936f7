#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace skel::runtime {

/// Tells when a station has had everything of an epoch: each producing rank says how many parcels there are, and as
/// many have come from it. It does not lock: a site does.
class end_of_stream {
 public:
  explicit end_of_stream(std::vector<int> const& producers = {}) {
    for (int rank : producers) from_.push_back({rank, 0, {}});
  }

  void came(int from) {
    for (auto& one : from_) one.received += one.rank == from;
  }
  /// There are so many from this rank in all. `goes_on`: another epoch comes, which all say alike.
  void announced(int from, std::uint64_t parcels, bool goes_on = false) {
    for (auto& one : from_)
      if (one.rank == from) one.announced = parcels;
    goes_on_ = goes_on;
  }
  bool reached() const {
    return std::all_of(from_.begin(), from_.end(), [](auto const& one) { return one.announced == one.received; });
  }
  /// Ranks from which more may come.
  std::vector<int> open() const {
    std::vector<int> ranks;
    for (auto const& one : from_)
      if (one.announced != one.received) ranks.push_back(one.rank);
    return ranks;
  }
  /// Precondition: reached(), and there are producers.
  bool goes_on() const { return goes_on_; }

 private:
  struct producer {
    int rank = 0;
    std::uint64_t received = 0;
    std::optional<std::uint64_t> announced;
  };
  std::vector<producer> from_;
  bool goes_on_ = false;
};

}  // namespace skel::runtime
