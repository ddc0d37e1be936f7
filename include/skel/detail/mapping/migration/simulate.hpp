#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <skel/detail/cost/bsp/superstep_time.hpp>
#include <skel/detail/mapping/migration/policy.hpp>
#include <skel/detail/record/superstep.hpp>
#include <skel/detail/record/workload.hpp>

namespace skel::mapping::migration {

/// From a superstep on others take another part of each host, as record::superstep::external_load.
struct load_change {
  std::size_t superstep = 0;
  std::vector<double> external_load;
};

/// The hosts of the processes of a program at its start, and their needs beside their work.
struct start {
  std::vector<std::size_t> hosts;                        ///< of each process
  std::vector<double> state_bytes;                       ///< of each process
  std::vector<double> external_load{};                   ///< as record::superstep::external_load, until it changes
  std::shared_ptr<record::memory_needs const> memory{};  ///< as record::superstep::memory
  std::optional<load_change> change{};                   ///< of the external load
  double call = 0;  ///< least time of a call, which the policy is told as in a real run [s]

  std::vector<double> const& load_in(std::size_t superstep) const {
    return change && superstep >= change->superstep ? change->external_load : external_load;
  }
};

/// The result of a program that ran under a policy. Times are in seconds.
struct simulated_run {
  double seconds = 0;  ///< supersteps, calls and migrations
  std::vector<cost::bsp::superstep_time> supersteps;
  std::vector<record::rescheduling> calls;
  double imbalance =
      0;  ///< sum over supersteps of the slowest hosts' times / sum of the means of hosts that have processes - 1
  double calling = 0, migrating = 0;  ///< parts of `seconds`
  std::vector<std::size_t> hosts;     ///< of each process, in the end
};

/// Replays a program under a policy: prices each superstep with the present hosts, tells the policy, and makes its
/// moves at their price. There is no call after the last superstep. O(supersteps (processes + hosts + messages +
/// clusters^2)) beside the policy. Throws skel::error if the policy moves a process that does not exist, from another
/// host than its own, or to no host.
simulated_run simulate(record::workload const& program, cost::bsp::machine const& machine, start const& begin,
                       policy& decides);

}  // namespace skel::mapping::migration
