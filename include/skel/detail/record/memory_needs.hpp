#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace skel::record {

/// Memory that the processes of a program take on hosts, if it is not the sum of their states:
///   reserved of the host + sum of footprints + largest working memory + sum of blocks that its processes share.
/// Source: the data of the load-balancing framework of DARMA/vt, which counts rank_working_bytes, task_footprint_bytes,
/// task_working_bytes and shared_bytes so (github.com/DARMA-tasking/LB-analysis-framework).
struct memory_needs {
  static constexpr std::size_t no_block = std::numeric_limits<std::size_t>::max();

  std::vector<double> footprint;    ///< of each process, all the time [B]
  std::vector<double> working;      ///< of each process while it computes; one of a host does so at a time [B]
  std::vector<std::size_t> block;   ///< of each process: data that it shares with others, or no_block
  std::vector<double> block_bytes;  ///< of each block, once on every host that has a process of it [B]
  std::vector<double> reserved;     ///< of each host, whatever processes it has [B]
};

/// Memory of each host [B], with processes on `hosts`. O(processes log processes).
inline std::vector<double> memory_used(memory_needs const& of, std::span<std::size_t const> hosts) {
  std::vector<double> used = of.reserved, working(used.size());
  std::set<std::pair<std::size_t, std::size_t>> blocks;  // host and block
  for (std::size_t p = 0; p < hosts.size(); ++p) {
    std::size_t const h = hosts[p];
    used[h] += of.footprint[p];
    working[h] = std::max(working[h], of.working[p]);
    if (of.block[p] != memory_needs::no_block && blocks.emplace(h, of.block[p]).second)
      used[h] += of.block_bytes[of.block[p]];
  }
  for (std::size_t h = 0; h < used.size(); ++h) used[h] += working[h];
  return used;
}

}  // namespace skel::record
