#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <skel/detail/cost/bsp/superstep_time.hpp>
#include <skel/detail/mapping/move_decider.hpp>
#include <skel/detail/pattern/migration_settings.hpp>
#include <skel/detail/record/superstep.hpp>

/// Decides which processes of a BSP program move to another host, when and to which one.
namespace skel::mapping::migration {

/// The policy whose calls are decisions of the decider (mapping::of_bsp).
inline constexpr std::string_view deciding_policy = "skel";

/// Decides at the barriers of a program. It is told every superstep, in order, and knows nothing else of the program.
/// The same supersteps give the same answers. Without clock, random numbers or threads.
class policy {
 public:
  policy() = default;
  policy(policy const&) = delete;
  policy& operator=(policy const&) = delete;
  virtual ~policy() = default;

  /// The decider of its calls, which is told their outcome; null: calls are no decisions of the decider.
  virtual move_decider* mover() { return nullptr; }

  /// True if it may be told samples: several supersteps in a row, each of which stands for as many as were passed over.
  virtual bool takes_samples() const { return false; }

  /// The process stays where it is from now on. Precondition: make_policy() was given the pins of all processes.
  virtual void pin(std::size_t) {}

  /// A superstep that has ended. Returns nothing if no call is made at its barrier, otherwise the call. Accepted
  /// candidates go to other hosts, each process at most once. Laws: hosts exist, and have memory for arrivals if they
  /// had before; no pinned processes.
  virtual std::optional<record::rescheduling> after(record::superstep const& step) = 0;
};

/// Makes a policy. `pinned`: of each process; empty: none is.
using policy_maker = std::unique_ptr<policy> (*)(skeletons::migration_settings const& settings,
                                                 cost::bsp::machine const& machine, std::vector<bool> const& pinned);
std::unique_ptr<policy> make_expected_time(skeletons::migration_settings const& settings,
                                           cost::bsp::machine const& machine, std::vector<bool> const& pinned);

/// Makes the policy of this name in skeletons::migration_policies().
struct policy_row {
  std::string_view name;
  policy_maker make;
};

template <class Policy>
constexpr policy_row row_of(std::string_view name) {
  return {name, [](auto const& settings, auto const& machine, auto const& pinned) -> std::unique_ptr<policy> {
            return std::make_unique<Policy>(settings, machine, pinned);
          }};
}

/// All of them. The list stands beside the core, with the policies of papers (mapping/migration/published).
registry<policy_row>& policies();

/// Adds a policy, with a sentence for help. Precondition: no other thread uses policies.
void add_policy(policy_row const& made, std::string_view sentence);

/// The policy of the name in the settings. Throws skel::input_error for an unknown name.
std::unique_ptr<policy> make_policy(skeletons::migration_settings const& settings, cost::bsp::machine const& machine,
                                    std::vector<bool> const& pinned = {});

/// Throws skel::error, with the move and the valid range, for a candidate that is no process, or is on no host or goes
/// to none. The same for one that moves a process twice, or from another host than its own. `hosts`: of each process.
/// O(processes).
void check_moves(record::rescheduling const& call, std::span<std::size_t const> hosts, std::size_t host_count);

/// The record of a call: accepted candidates with their price, the imbalance of `expected` before and after them, and
/// the cost of the call. Unless moves are applied, no candidate is accepted.
record::rescheduling finish_call(cost::bsp::machine const& machine, record::superstep const& expected,
                                 std::vector<record::migration_candidate> candidates, bool apply);

}  // namespace skel::mapping::migration
