#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <skel/detail/plan/mesh_layout.hpp>
#include <skel/detail/runtime/iteration/mesh_part.hpp>

#include "transport/transport.hpp"

namespace skel::runtime::iteration {

/// Updates of ghosts. For each, each neighbour sends a message, which is kept until its cells may be written. Updates
/// are numbered, as neighbours may be some ahead, and messages come in any order.
class ghost_exchange {
 public:
  ghost_exchange(mesh_part& part, plan::mesh_layout const& layout, transport& among, channel where);

  /// Sends the data of which neighbours have ghosts, as it is now. The update is under way. Throws std::bad_alloc.
  void begin(std::size_t step);
  /// True if any update is under way.
  bool is_under_way() const { return !under_way_.empty(); }
  /// True if all updates that are under way have come.
  bool has_come() const;
  /// The step of the first update under way that has not come, and the ranks that owe it; none: all have come.
  std::pair<std::size_t, std::vector<int>> missing() const;
  /// Writes the updates that have come into the ghosts, in the order of the updates. Precondition: has_come().
  void finish();

  std::uint64_t bytes() const { return bytes_; }  ///< that were sent

 private:
  struct update {
    std::size_t step;
    std::uint64_t number;
  };

  landing receive(int from, std::span<std::byte const> body);

  mesh_part& part_;
  plan::mesh_layout const& layout_;
  transport& among_;
  channel where_;
  std::uint64_t next_ = 0;  // number of an update
  std::uint64_t bytes_ = 0;
  std::deque<update> under_way_;
  std::map<int, std::size_t> neighbour_of_;                            // by rank
  std::vector<std::map<std::uint64_t, std::vector<std::byte>>> come_;  // of each neighbour, by update
  std::vector<std::vector<std::byte>> spare_;                          // memory of earlier ones
};

}  // namespace skel::runtime::iteration
