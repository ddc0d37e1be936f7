#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include <skel/detail/plan/schedule.hpp>
#include <skel/detail/runtime/collective/collective.hpp>

/// What both ways of taking the steps of a schedule do with bytes.
namespace skel::runtime {

inline bool combines(plan::step const& s) {
  return s.what == plan::step::action::combine || s.what == plan::step::action::combine_before;
}

inline bool overlap(std::span<plan::byte_range const> a, std::span<plan::byte_range const> b) {
  for (plan::byte_range const& x : a)
    for (plan::byte_range const& y : b)
      if (x.first < y.first + y.bytes && y.first < x.first + x.bytes) return true;
  return false;
}

/// Takes a message that was received elsewhere to its ranges of the work buffer: copied, or combined with what is
/// there.
inline void settle_message(plan::step const& s, std::span<plan::byte_range const> ranges, std::byte const* from,
                           std::span<std::byte> work, combine_function const& combine) {
  for (plan::byte_range const& part : ranges) {
    std::span<std::byte const> const received(from, part.bytes);
    std::span<std::byte> const target = work.subspan(part.first, part.bytes);
    if (combines(s))
      combine(received, target, s.what == plan::step::action::combine_before);
    else
      std::ranges::copy(received, target.begin());
    from += part.bytes;
  }
}

}  // namespace skel::runtime
