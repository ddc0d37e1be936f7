#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <skel/detail/record/bsp_record.hpp>

namespace skel::record {

/// Computing of ranks in consecutive supersteps, by rank 0's clock.
struct timed_supersteps {
  std::uint64_t first = 1, count = 1;
  double begin = 0, end = 0;      ///< with the migrations before it; at its barrier [s]
  std::vector<double> computing;  ///< of each rank, until its last process was done [s]
  std::size_t moved = 0;          ///< processes, at the barrier before
  double moving = 0;              ///< that these migrations took [s]

  void join(timed_supersteps const& next);
};

/// When ranks of a BSP program computed and waited. Its size is bounded: if there are too many supersteps, each two
/// neighbours become one group, and so on.
class bsp_timeline {
 public:
  /// Groups times ranks at most: a trace of some 20 MB.
  static constexpr std::size_t most_cells = std::size_t{1} << 16;

  /// Precondition: there is a host of each rank.
  explicit bsp_timeline(std::vector<std::string> hosts);

  /// The next superstep. If a rank computed longer than it took on rank 0, it begins sooner, as in bsp_recorder::add().
  /// Precondition: it has the computing time of each rank.
  void add(timed_supersteps next);

  std::vector<timed_supersteps> const& supersteps() const { return all_; }
  std::vector<std::string> const& hosts() const { return hosts_; }

 private:
  std::vector<std::string> hosts_;
  std::size_t most_;
  double spare_ = 0;  // of the last superstep, in which its slowest rank neither computed nor moved processes [s]
  std::vector<timed_supersteps> all_;
};

}  // namespace skel::record
