#include "rescheduling.hpp"

#include <algorithm>
#include <utility>

#include <skel/detail/platform/host_probe.hpp>
#include <skel/detail/record/clock.hpp>

namespace skel {

namespace {

/// A host that leaves is as good as taken: everything that may go elsewhere does, and what has to stay still computes.
constexpr double load_of_leaving = 0.999;

/// As a monitor has it of threads.
constexpr double slot = platform::monitor_options{}.period;

std::vector<bool> pins(std::size_t processes, std::vector<std::size_t> const& pinned) {
  std::vector<bool> out(processes);
  for (auto const process : pinned) out[process] = true;
  return out;
}

double slowest(cost::bsp::machine const& machine, record::superstep const& step) {
  return std::ranges::max(cost::bsp::host_times(machine, step));
}

}  // namespace

rescheduling::rescheduling(rescheduling_setup setup)
    : where_(std::move(setup.where)),
      policy_(mapping::migration::make_policy(setup.policy, where_.machine, pins(setup.processes, setup.pinned))),
      monitor_(std::move(setup.monitor)),
      announced_(std::move(setup.announced)),
      shares_(where_.host_of_rank.size(),
              platform::slot_series(slot, platform::slot_series::value_of::mean, platform::sure_enough * slot)) {
  made_.policy = setup.policy.name;
}

/// What ranks and others say of hosts.
void rescheduling::hear(bsp_measures const& last) {
  now_ += last.moving + last.took;
  for (std::size_t r = 0; r < shares_.size(); ++r) {
    shares_[r].add(now_, last.share[r] / monitor_.granted(r), last.computing[r]);
    shares_[r].close(now_);
    if (last.of_ranks[r].empty()) continue;
    auto reading = platform::parse_reading(last.of_ranks[r]);
    reading.time = now_;
    monitor_.add(r, reading);
  }
  if (announced_)
    for (auto const& one : announced_()) monitor_.add(one, now_);
  monitor_.advance(now_);
}

/// The part of each host that the program will not get.
std::vector<double> rescheduling::loads(bsp_measures const& last) const {
  std::vector<double> out(shares_.size());
  for (std::size_t r = 0; r < out.size(); ++r) {
    auto const& own = shares_[r];
    double const share = own.values() > 0 && own.is_recent(now_) ? own.next().value
                         : last.computing[r] > 0                 ? last.share[r] / monitor_.granted(r)
                                                                 : monitor_.host(monitor_.host_of_rank()[r]).share;
    out[where_.host_of_rank[r]] =
        monitor_.leaves(r) ? load_of_leaving : 1 - std::clamp(share, 1 - load_of_leaving, 1.0);
  }
  return out;
}

record::superstep rescheduling::superstep_of(bsp_measures const& last) {
  hear(last);
  if (ran_on_.empty()) ran_on_ = last.rank_of;
  record::superstep out;
  out.number = last.number;
  out.state_bytes = last.state_bytes;
  out.seconds = last.took;
  out.external_load = loads(last);
  out.load.work.resize(last.seconds.size());
  for (std::size_t p = 0; p < last.seconds.size(); ++p) {
    auto const rank = static_cast<std::size_t>(ran_on_[p]), host = where_.host_of_rank[rank];
    out.hosts.push_back(host);
    out.load.work[p] = last.seconds[p] * last.share[rank] / monitor_.granted(rank) * where_.machine.hosts.speed(host);
  }
  for (auto const& one : last.traffic) out.load.messages.push_back({one.from, one.to, one.bytes});
  auto const priced = cost::bsp::time_of(where_.machine, out);
  made_.computation += priced.computation, made_.communication += priced.communication;
  made_.barriers += priced.barrier, made_.measured += last.took;
  ++made_.supersteps;
  if (last.rank_of != ran_on_) {
    double const there = slowest(where_.machine, out);
    for (std::size_t p = 0; p < out.hosts.size(); ++p)
      out.hosts[p] = where_.host_of_rank[static_cast<std::size_t>(last.rank_of[p])];
    out.seconds = std::max(0.0, out.seconds - there + slowest(where_.machine, out));
    ran_on_ = last.rank_of;
  }
  return out;
}

std::vector<bsp_move> rescheduling::moves_of(record::rescheduling call, bsp_measures const& last, double took) {
  std::vector<bsp_move> moves;
  for (auto& one : call.candidates) {
    one.from = static_cast<std::size_t>(where_.rank_of_host[one.from]);
    one.to = static_cast<std::size_t>(where_.rank_of_host[one.to]);
    if (std::ranges::find(last.stay, one.process) != last.stay.end()) {
      one.accepted = false;
      one.why = "it could not move before";
    }
    if (one.accepted) moves.push_back({one.process, static_cast<int>(one.from), static_cast<int>(one.to)});
  }
  call.took = took;
  made_.calls.add(std::move(call));
  return moves;
}

std::vector<bsp_move> rescheduling::next_moves(bsp_measures const& last) {
  auto const step = superstep_of(last);
  double const before = record::now();
  auto call = policy_->after(step);
  double const took = record::now() - before;
  made_.deciding += took;
  if (!call) return {};
  return moves_of(std::move(*call), last, took);
}

}  // namespace skel
