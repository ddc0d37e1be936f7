#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <mpi.h>

#include <skel/detail/plan/schedule.hpp>
#include <skel/detail/runtime/collective/collective.hpp>

namespace skel::runtime {

/// Takes the steps of a schedule that is cut into strands, each strand as far as it can go. Messages of strand s go
/// under tag + s mod strand_tags. `while_waiting` as in run_collective().
void run_strands(MPI_Comm among, plan::rank_schedule const& mine, std::span<std::byte> work,
                 combine_function const& combine, int tag, std::function<void()> const& while_waiting);

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

/// MPI_Waitall; calls `meanwhile` now and then, if there is one.
void wait_for_all(std::vector<MPI_Request>& requests, std::function<void()> const& meanwhile);
/// MPI_Waitany, likewise.
int wait_for_any(std::vector<MPI_Request>& requests, std::function<void()> const& meanwhile);

/// Cancels requests that have not been matched and lets the rest end, for a while. Perhaps nobody is left to end them,
/// so their memory is MPI's from now on.
void give_up(std::vector<MPI_Request>& requests);

}  // namespace skel::runtime
