#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/fields.hpp>

namespace skel::record {

/// Memory that the processes of a program take on hosts, if it is not the sum of their states. A host has:
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

/// A message between two processes of a BSP program.
struct bsp_message {
  std::size_t from = 0, to = 0;  ///< processes
  double bytes = 0;

  friend bool operator==(bsp_message const&, bsp_message const&) = default;
};

/// Work and messages of the processes of a BSP program in one superstep, on any hosts.
struct superstep_load {
  std::vector<double> work;  ///< of each process [work units]; 0: it did not compute
  std::vector<bsp_message> messages{};
};

/// One superstep, with all that is known of it at its barrier.
struct superstep {
  std::size_t number = 1;      ///< of the run, from 1
  std::size_t stands_for = 1;  ///< so many supersteps, if not all are told: on average of those told in a row
  superstep_load load;
  std::vector<std::size_t> hosts;           ///< of each process
  std::vector<double> state_bytes;          ///< of each process
  std::vector<double> external_load{};      ///< of each host: the part that others take, 0 to less than 1; empty: none
  double seconds = 0;                       ///< that it took
  std::optional<double> migration_fixed{};  ///< of a migration, whatever its state, as it was measured so far [s]
  double migration_per_byte = 0;            ///< of its state, beside the path that it takes, if measured [s/B]
  double call = 0;                ///< that a call usually took so far, or is expected to take [s]; 0: unknown
  double deciding = 0;            ///< that all calls took so far, as measured [s]
  bool leaves = false;            ///< a host with processes that may go elsewhere goes away soon
  std::shared_ptr<memory_needs const> memory{};  ///< memory of processes on hosts; null: their states
};

/// A process that was considered for migration at a rescheduling call.
struct migration_candidate {
  std::size_t process = 0, from = 0, to = 0;  ///< hosts that it was on and was to go to
  double pm = 0;                              ///< its potential of migration [s]
  double t1 = 0, t2 = 0;  ///< time until the next call without and with the migration, as far as its policy knows [s]
  bool accepted = false;  ///< it moves
  std::string why{};      ///< in words
  SKEL_FIELDS(process, from, to, pm, t1, t2, accepted, why);
};

/// A rescheduling call, with the figures that it was decided by.
struct rescheduling {
  std::size_t superstep = 0;                         ///< at whose barrier
  std::vector<migration_candidate> candidates;       ///< in the order in which they were considered
  double imbalance_before = 0, imbalance_after = 0;  ///< of the hosts' times: largest / mean - 1, predicted
  double cost = 0;                                   ///< of the call itself [s]
  double price = 0;                                  ///< of the migrations that were accepted [s]
  double took = 0;                                   ///< that deciding took, in a real run [s]
};

}  // namespace skel::record
