#pragma once

#include <cstdint>
#include <vector>

#include <skel/detail/base/fields.hpp>

namespace skel::record {

/// A station whose workers another plan has elsewhere.
struct stage_move {
  std::uint32_t station = 0;
  std::vector<int> from, to;  ///< the ranks of its workers, in ascending order

  friend bool operator==(stage_move const&, stage_move const&) = default;
  SKEL_FIELDS(station, from, to);
};

}  // namespace skel::record
