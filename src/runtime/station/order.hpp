#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "link_layer.hpp"

namespace skel::runtime {

/// A parcel and the rank it came from, which gets room back for it.
struct arrival {
  parcel what;
  int from = 0;
};

/// Parcels that have come to a station and wait to be taken: as they came, or by their places in the stream, from 0 on
/// and without a gap. It does not lock: a site does.
class arrival_order {
 public:
  explicit arrival_order(bool by_sequence) : by_sequence_(by_sequence) {}

  /// O(log n) in those that came too early.
  void add(arrival one) {
    if (by_sequence_ && one.what.sequence != expected_) {
      std::uint64_t const sequence = one.what.sequence;
      early_.emplace(sequence, std::move(one));
      return;
    }
    ready_.push_back(std::move(one));
    if (!by_sequence_) return;
    ++expected_;
    for (auto next = early_.begin(); next != early_.end() && next->first == expected_;
         next = early_.erase(next), ++expected_)
      ready_.push_back(std::move(next->second));
  }

  /// True if one can be taken.
  bool ready() const { return !ready_.empty(); }
  /// Precondition: ready().
  arrival take() {
    arrival one = std::move(ready_.front());
    ready_.pop_front();
    return one;
  }
  /// Those that wait, and those of them that came too early.
  std::size_t size() const { return ready_.size() + early_.size(); }
  std::size_t early() const { return early_.size(); }
  /// True if none waits, nor one that came too early.
  bool empty() const { return ready_.empty() && early_.empty(); }

  /// The place of the next one to become ready.
  std::uint64_t expected() const { return expected_; }
  /// Those before this place were taken elsewhere. Precondition: none of them has come here.
  void expect(std::uint64_t sequence) {
    if (sequence <= expected_) return;
    expected_ = sequence;
    for (auto next = early_.begin(); next != early_.end() && next->first == expected_;
         next = early_.erase(next), ++expected_)
      ready_.push_back(std::move(next->second));
  }

 private:
  bool by_sequence_;
  std::deque<arrival> ready_;
  std::map<std::uint64_t, arrival> early_;
  std::uint64_t expected_ = 0;
};

}  // namespace skel::runtime
