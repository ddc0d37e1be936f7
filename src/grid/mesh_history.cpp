#include "mesh_history.hpp"

#include <algorithm>

#include <skel/detail/record/joined.hpp>

namespace skel {

void iteration_times::add(std::uint64_t count, double seconds) {
  double const each = seconds / static_cast<double>(count);
  while (count > 0) {
    std::uint64_t const full = groups_.empty() ? 1 : groups_.front().count,
                        begun = groups_.empty() || groups_.back().count == full ? 0 : groups_.back().count,
                        some = std::min(count, full - begun);
    record::add_joined(groups_, {added_ + 1, some, each * static_cast<double>(some)}, most_groups);
    added_ += some, count -= some;
  }
}

}  // namespace skel
