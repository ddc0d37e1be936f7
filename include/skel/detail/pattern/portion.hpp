#pragma once

#include <cstddef>

namespace skel {

/// Which copy of a broadcast stage is asked, and of how many: copy `index` of `copies` answers for its part of whatever
/// the item is held against. The parts of all copies are the whole, in the order of the copies, and differ in length by
/// one at most.
struct portion {
  std::size_t index = 0;
  std::size_t copies = 1;

  /// The part of 0 .. n - 1 that is this copy's: from begin(n) to end(n), which is not part of it. O(1).
  constexpr std::size_t begin(std::size_t n) const { return start(n, index); }
  constexpr std::size_t end(std::size_t n) const { return start(n, index + 1); }

 private:
  constexpr std::size_t start(std::size_t n, std::size_t copy) const {
    std::size_t const longer = n % copies;  // so many parts have one more than the others
    return n / copies * copy + (copy < longer ? copy : longer);
  }
};

}  // namespace skel
