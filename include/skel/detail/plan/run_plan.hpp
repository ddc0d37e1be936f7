#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/record/move_record.hpp>

namespace skel::plan {

/// The ranks of the workers of one station, and the batches that they may hold.
struct station_plan {
  std::vector<int> ranks;    ///< one entry per worker or copy; serial stations have one
  std::size_t capacity = 1;  ///< batches that may wait before each worker (k of the cost model)
  /// Of a broadcast stage: the tree over its ranks, numbered as they first appear in `ranks`. Its parents[v] hands
  /// batches on to v. Then v gives back the results of its copies and of those below it. The root's parents[0] is
  /// ignored. Numbers go down the tree branch by branch: all below v have the numbers after v without a gap. Children
  /// are served in the order of their numbers. Empty: binomial.
  std::vector<std::uint32_t> parents{};
  SKEL_FIELDS(ranks, capacity, parents);
};

/// Batches that a broadcast stage may have begun beside those that wait: one in the copies' hands, and those on their
/// way down a tree of this depth and up again.
constexpr std::size_t copies_under_way(std::size_t depth) {
  return 1 + 2 * depth;
}

/// The plan that an engine obeys: source first, sink last.
struct run_plan {
  std::vector<station_plan> stations;
  /// [s] The longest wait of an item in a batch that is being filled, and for the items before it in its batch at any
  /// stage. Batches are as large as this allows. Behind a source that falls silent it is at least 0.1 ms.
  double batch_latency = 1e-3;
  /// A batch is closed at this many bytes [B]: it then fits a core's second-level cache on its way.
  std::size_t batch_bytes = std::size_t{64} * 1024;
  /// Ranges of at least this many bytes cross ranks without a copy: from here on their own message costs less than a
  /// copy at either end. On one host both take equally long at 4 to 16 KiB. The copy takes 15 % longer at 32 KiB and 40
  /// % longer at 128 KiB (mpirun -np 2 bench_constants copies).
  std::size_t direct_bytes = std::size_t{16} * 1024;
  /// Most batches under way in an ordered farm, as a multiple of the capacity of its stations: room for batches that
  /// wait for a slower one before them.
  std::size_t reorder_factor = 4;
  /// Most bytes of items under way on all ranks together; 0: as many as the other credits allow. The source waits while
  /// the items in the line would take more, at the most bytes per item of any batch so far. One item passes alone,
  /// however large it is. Ranges are then not received into used memory.
  std::size_t most_bytes = 0;
  /// [s] Longest delay of items by parts of a state that moves, if the state is divisible and the time of one part
  /// permits it. As many parts go at once as have lately taken less.
  double part_pause = 0.02;
  SKEL_FIELDS(stations, batch_latency, batch_bytes, direct_bytes, reorder_factor, most_bytes, part_pause);
};

/// The stations of both plans that `to` places on other ranks than `from`, or with other widths. The order of workers
/// on the ranks does not count. O(workers log workers).
std::vector<record::stage_move> moved_stages(run_plan const& from, run_plan const& to);

}  // namespace skel::plan
