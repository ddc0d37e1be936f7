#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace skel::runtime {

/// Tells how many items a source may let into a line that is to hold no more than `limit` bytes. Each item that has not
/// left the line counts as `places` times the most bytes per item that any station has seen. Until a parcel has been
/// all the way through, parcels of one item enter one at a time. One item may always enter when nothing is under way,
/// however large it is. The line needs no more to go on: nothing behind the source ever waits for these credits. It
/// does not lock: a site does.
class byte_credits {
 public:
  /// `parcels`: those that may be under way by the other credits. The limit is shared out among them.
  byte_credits(std::size_t limit, std::size_t places, std::size_t parcels)
      : limit_(limit), places_(places), parcels_(std::max<std::size_t>(1, parcels)) {}

  /// The most items that the next parcel may have; 0: none may enter until one has left. O(1).
  std::uint64_t room() const {
    if (!known_) return under_way_.empty() ? 1 : 0;
    std::uint64_t const share = std::max<std::uint64_t>(1, most_at_once() / parcels_);
    if (under_way_.empty()) return share;
    return most_at_once() > items_ ? std::min(share, most_at_once() - items_) : 0;
  }

  /// A parcel of `items` from item `first` on is under way. O(log parcels), as is leave().
  void enter(std::uint64_t first, std::uint64_t items) {
    under_way_.emplace(first, items);
    items_ += items;
    most_items_ = std::max(most_items_, items_);
  }
  /// The parcel that began with item `first` is no more.
  void leave(std::uint64_t first) {
    auto const gone = under_way_.find(first);
    if (gone == under_way_.end()) return;  // items held until the end of the stream leave with another's number
    items_ -= gone->second;
    under_way_.erase(gone);
    known_ = true;
  }
  /// Items take up to `bytes` somewhere.
  void weigh(std::uint64_t bytes) { heaviest_ = std::max(heaviest_, bytes); }

  /// The most items that have been under way at once.
  std::uint64_t most_items() const { return most_items_; }

 private:
  /// Divided twice, since the product may be too large.
  std::uint64_t most_at_once() const { return limit_ / places_ / heaviest_; }

  std::size_t limit_, places_, parcels_;
  std::map<std::uint64_t, std::uint64_t> under_way_;  // items by the number of the first one
  std::uint64_t items_ = 0, most_items_ = 0, heaviest_ = 1;
  bool known_ = false;
};

}  // namespace skel::runtime
