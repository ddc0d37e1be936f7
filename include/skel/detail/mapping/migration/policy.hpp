#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <skel/detail/cost/bsp/superstep_time.hpp>
#include <skel/detail/pattern/migration_settings.hpp>
#include <skel/detail/record/superstep.hpp>

/// Which processes of a BSP program move to another host, when and where to.
namespace skel::mapping::migration {

/// Decides at the barriers of a program. It is told every superstep, in order, and knows nothing else of the program:
/// the same supersteps give the same answers. Without clock, random numbers or threads.
class policy {
 public:
  policy() = default;
  policy(policy const&) = delete;
  policy& operator=(policy const&) = delete;
  virtual ~policy() = default;

  /// A superstep that has ended. Nothing: no call is made at its barrier. Otherwise the call; its accepted candidates
  /// go to other hosts, each process at most once. Laws: hosts that exist, and have memory for what comes there if it
  /// had before; no pinned processes.
  virtual std::optional<record::rescheduling> after(record::superstep const& step) = 0;
};

/// `pinned`: of each process; empty: none is. Throws skel::error for a name that is none of
/// skeletons::migration_policies.
std::unique_ptr<policy> make_policy(skeletons::migration_settings const& settings, cost::bsp::machine const& machine,
                                    std::vector<bool> const& pinned = {});

}  // namespace skel::mapping::migration
