#include <skel/detail/mapping/migration/simulate.hpp>

#include <algorithm>
#include <numeric>

#include <skel/detail/base/contract.hpp>

namespace skel::mapping::migration {

namespace {

void move(record::superstep& step, record::rescheduling const& call, cost::bsp::machine const& machine) {
  check_moves(call, step.hosts, machine.hosts.host_count());
  for (auto const& one : call.candidates)
    if (one.accepted) step.hosts[one.process] = one.to;
}

}  // namespace

simulated_run simulate(record::workload const& program, cost::bsp::machine const& machine, start const& begin,
                       policy& decides) {
  std::size_t const processes = record::processes_of(program), last = record::supersteps_of(program);
  SKEL_EXPECTS(processes == begin.hosts.size() && processes == begin.state_bytes.size());
  record::superstep step{
      .load = {}, .hosts = begin.hosts, .state_bytes = begin.state_bytes, .call = begin.call, .memory = begin.memory};
  simulated_run run;
  double most = 0, mean = 0;
  for (std::size_t s = 1; s <= last; ++s) {
    step.number = s;
    step.load = record::load_of(program, s);
    step.external_load = begin.load_in(s);
    auto const time = cost::bsp::time_of(machine, step);
    step.seconds = time.seconds();
    run.supersteps.push_back(time);
    run.seconds += step.seconds;
    auto const hosts = cost::bsp::host_times(machine, step);
    double const slowest = std::ranges::max(hosts);
    most += slowest;
    mean += slowest / (1 + cost::bsp::imbalance(hosts, step.hosts));
    if (s == last) break;
    auto call = decides.after(step);
    if (!call) continue;
    move(step, *call, machine);
    call->cost = std::max(call->cost, begin.call);
    if (begin.call > 0) step.deciding += call->cost;
    run.calling += call->cost, run.migrating += call->price;
    run.seconds += call->cost + call->price;
    run.calls.push_back(std::move(*call));
  }
  run.imbalance = mean > 0 ? most / mean - 1 : 0;
  run.hosts = std::move(step.hosts);
  return run;
}

}  // namespace skel::mapping::migration
