#include <skel/detail/mapping/migration/call.hpp>

#include <utility>

namespace skel::mapping::migration {

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
