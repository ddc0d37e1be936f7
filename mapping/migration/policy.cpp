#include <skel/detail/mapping/migration/policy.hpp>

#include <string>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>

#include "expected_time.hpp"

namespace skel::mapping::migration {

std::unique_ptr<policy> make_expected_time(skeletons::migration_settings const& settings,
                                           cost::bsp::machine const& machine, std::vector<bool> const& pinned) {
  return std::make_unique<expected_time>(settings, machine, pinned);
}

void add_policy(policy_row const& made, std::string_view sentence) {
  skeletons::migration_policies().add({made.name, sentence});
  policies().add(made);
}

std::unique_ptr<policy> make_policy(skeletons::migration_settings const& settings, cost::bsp::machine const& machine,
                                    std::vector<bool> const& pinned) {
  SKEL_EXPECTS(settings.alpha >= 1);
  return policies()[policies().at(settings.name)].make(settings, machine, pinned);
}

void check_moves(record::rescheduling const& call, std::span<std::size_t const> hosts, std::size_t host_count) {
  std::vector<bool> moved(hosts.size());
  for (auto const& one : call.candidates) {
    bool const exists = one.process < hosts.size() && one.from < host_count && one.to < host_count;
    if (exists && !one.accepted) continue;
    if (!exists || moved[one.process] || hosts[one.process] != one.from)
      throw error("the policy moves process " + std::to_string(one.process) + " from host " + std::to_string(one.from) +
                  " to host " + std::to_string(one.to) + " after superstep " + std::to_string(call.superstep) +
                  ", which cannot be; there are " + std::to_string(hosts.size()) + " processes, each moves once, and " +
                  std::to_string(host_count) + " hosts");
    moved[one.process] = true;
  }
}

record::rescheduling finish_call(cost::bsp::machine const& machine, record::superstep const& expected,
                                 std::vector<record::migration_candidate> candidates, bool apply) {
  record::superstep after = expected;
  std::vector<cost::bsp::migration> moves;
  for (auto& one : candidates) {
    if (!one.accepted) continue;
    if (!apply) {
      one.accepted = false, one.why = "migrations are not applied";
      continue;
    }
    moves.push_back({one.process, one.from, one.to, expected.state_bytes[one.process]});
    after.hosts[one.process] = one.to;
  }
  return {.superstep = expected.number,
          .candidates = std::move(candidates),
          .imbalance_before = cost::bsp::imbalance(cost::bsp::host_times(machine, expected), expected.hosts),
          .imbalance_after = cost::bsp::imbalance(cost::bsp::host_times(machine, after), after.hosts),
          .cost = cost::bsp::rescheduling_time(machine, expected.hosts),
          .price = cost::bsp::migration_time(machine, moves)};
}

}  // namespace skel::mapping::migration
