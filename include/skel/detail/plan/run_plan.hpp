#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/record/move_record.hpp>

namespace skel::plan {

/// Where the workers of one station run and how much they may hold.
struct station_plan {
  std::vector<int> ranks;    ///< one entry per worker or copy; serial stations have one
  std::size_t capacity = 1;  ///< batches that may wait before each worker (k of the cost model)
  /// Of a broadcast stage: the tree over its ranks, numbered as they first appear in `ranks`. parents[v] hands batches
  /// on to v, which gives back what its copies and those below it made of them; parents[0], of the root, is not looked
  /// at. Numbers go down the tree branch by branch, so that everybody below v has numbers from v on without a gap;
  /// children are served in the order of their numbers. Empty: binomial.
  std::vector<std::uint32_t> parents{};
  SKEL_FIELDS(ranks, capacity, parents);
};

/// Batches that a broadcast stage may have begun beside those that wait: one in the copies' hands, and those on their
/// way down a tree of this depth and up again.
constexpr std::size_t copies_under_way(std::size_t depth) {
  return 1 + 2 * depth;
}

/// What an engine obeys: source first, sink last.
struct run_plan {
  std::vector<station_plan> stations;
  /// An item never waits longer than this in a batch that is being filled, nor for the items before it in its batch at
  /// any stage [s]. Batches are as large as it allows. Behind a source that falls silent it is 0.1 ms at least.
  double batch_latency = 1e-3;
  /// A batch is closed when it holds this many bytes [B]: it then fits a core's second-level cache on its way.
  std::size_t batch_bytes = std::size_t{64} * 1024;
  /// Ranges of at least this many bytes cross ranks without being copied: where a message of their own begins to cost
  /// less than a copy at either end. On one host both take equally long at 4 to 16 KiB, and the copy takes 15 % longer
  /// at 32 KiB and 40 % longer at 128 KiB (mpirun -np 2 bench_constants copies).
  std::size_t direct_bytes = std::size_t{16} * 1024;
  /// Batches that may be under way in an ordered farm, as a multiple of what its stations can hold: the room for those
  /// that wait for a slower one before them.
  std::size_t reorder_factor = 4;
  /// Bytes of items that may be under way on all ranks together; 0: as many as the other credits allow. The source
  /// waits while the items that have not left the line would take more, at the most bytes that any batch has taken per
  /// item so far; one item passes alone, however large it is. Ranges are then not received into used memory.
  std::size_t most_bytes = 0;
  /// How long parts of a state that moves may hold up the items that need them, where they are divisible and what one
  /// part takes allows it [s]: as many go at once as have lately taken less.
  double part_pause = 0.02;
  SKEL_FIELDS(stations, batch_latency, batch_bytes, direct_bytes, reorder_factor, most_bytes, part_pause);
};

/// The stations that `to` has on other ranks than `from`, or with other widths, whichever worker is on which rank; of
/// those that both plans have. O(workers log workers).
std::vector<record::stage_move> moved_stages(run_plan const& from, run_plan const& to);

}  // namespace skel::plan
