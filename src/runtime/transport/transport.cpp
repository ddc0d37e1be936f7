#include "transport.hpp"

#include <algorithm>

#include <skel/detail/base/contract.hpp>

namespace skel::runtime {

receiver const& transport::receiver_of(channel where) const {
  auto const found = receivers_.find(where);
  SKEL_EXPECTS(found != receivers_.end());
  return found->second;
}

bool transport::fits(landing const& place, std::span<std::uint64_t const> sizes) {
  return std::ranges::equal(place.ranges, sizes, {}, [](auto const& range) { return range.size(); });
}

void transport::settle() {
  constexpr double shortest = 1e-5, longest = 5e-3;
  quiesce();
  for (double pause = shortest; !quiet();) {
    if (progress()) {
      pause = shortest;
    } else {
      rest(pause, [] { return false; });
      pause = std::min(2 * pause, longest);
    }
  }
}

}  // namespace skel::runtime
