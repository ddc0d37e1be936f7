#include <skel/detail/adapt/rescheduling.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <skel/detail/base/statistics.hpp>
#include <skel/detail/platform/host_probe.hpp>
#include <skel/detail/record/clock.hpp>

namespace skel {

namespace {

/// A host that leaves is as good as taken: all processes that may migrate do so, and pinned ones still compute.
constexpr double load_of_leaving = 0.999;
constexpr double least_share = 1 - load_of_leaving;

/// Part of the time of supersteps that telling a policy may take: the limit for a scheduler.
constexpr double telling_share = 0.01;

/// The period of a monitor for its readings of threads [s].
constexpr double slot = platform::monitor_options{}.period;

std::vector<bool> pins(std::size_t processes, std::vector<std::size_t> const& pinned) {
  std::vector<bool> out(processes);
  for (auto const process : pinned) out[process] = true;
  return out;
}

/// Only the last ones count. The outermost of six bound their median with 95 %.
constexpr std::size_t most_remembered = 16;

void remember(std::deque<double>& all, double one) {
  all.push_back(one);
  if (all.size() > most_remembered) all.pop_front();
}

/// Time of a call for each process before the first measurement [s]. It is that of `skel`, the policy with the longest
/// calls, for 274 to 100,000 processes on 4 and 16 hosts (`skel bsp --timing`: 2 to 7 us).
constexpr double call_of_a_process = 7e-6;

double usual(std::deque<double> const& all) {
  return statistics::median({all.begin(), all.end()});
}

double slowest(cost::bsp::machine const& machine, record::superstep const& step) {
  return std::ranges::max(cost::bsp::host_times(machine, step));
}

}  // namespace

rescheduling::rescheduling(rescheduling_setup setup, std::unique_ptr<mapping::migration::policy> policy)
    : where_(std::move(setup.where)),
      policy_(policy
                  ? std::move(policy)
                  : mapping::migration::make_policy(setup.policy, where_.machine, pins(setup.processes, setup.pinned))),
      pinned_(pins(setup.processes, setup.pinned)),
      monitor_(std::move(setup.monitor)),
      announced_(std::move(setup.announced)),
      told_(std::move(setup.told)),
      thread_time_(std::move(setup.thread_time)),
      wanted_(where_.host_of_rank.size()),
      got_(wanted_.size()),
      quotas_(wanted_.size(), std::numeric_limits<double>::infinity()),
      shares_(where_.host_of_rank.size(),
              platform::slot_series(slot, platform::slot_series::value_of::mean, platform::sure_enough * slot)),
      prices_(where_.machine, cost::bsp::migration_messages(where_.machine)) {
  made_.policy = setup.policy.name;
  if (auto* const mover = policy_->mover()) mover->decide_by(setup.decisions);
}

/// The part of a core that the quota of the rank's control group leaves each thread in it that never rests.
double rescheduling::quota_of(std::size_t rank) const {
  auto const group = monitor_.quota_of(rank);
  std::size_t threads = 0;
  for (auto const r : group.ranks) threads += where_.threads[r];
  return group.processors / static_cast<double>(threads);
}

/// True if the policy is told this superstep. After a pause a row begins at a multiple of its length after the last
/// one. A superstep as long as the pause begins one at once: waiting would be in vain.
bool rescheduling::is_told(bsp_measures const& last) {
  if (pause_ > 0) {
    ++passed_over_;
    bool const in_step = (last.number - row_begun_) % told_in_a_row == 0;
    if (now_ < row_began_ + pause_ || !(in_step || last.took >= pause_)) return false;
    // Short supersteps say nothing of a long one.
    begin_row(last.number, in_step ? 1 + passed_over_ / told_in_a_row : 1);
    row_began_ -= last.took;
  }
  return true;
}

void rescheduling::begin_row(std::uint64_t number, std::uint64_t stands_for) {
  row_begun_ = number, row_began_ = now_;
  stands_for_ = stands_for, passed_over_ = 0;
  telling_ = pause_ = 0;
}

/// Pauses after a row until telling has taken only its share of the time. If processes move, the row goes on so that
/// the time of the move is seen.
void rescheduling::end_row(bsp_measures const& last) {
  bool const is_over = (last.number + 1 - row_begun_) % told_in_a_row == 0;
  if (!is_over || moves_ || !moved_.empty() || !policy_->takes_samples()) return;
  double const paid = telling_ / telling_share;
  if (now_ - row_began_ < paid)
    pause_ = paid;
  else
    begin_row(last.number + 1, 1);
}

/// Takes over the messages of ranks on their hosts.
void rescheduling::hear_ranks(bsp_measures const& last) {
  now_ += last.moving + last.took;
  bool said = false;
  for (std::size_t r = 0; r < shares_.size(); ++r)
    if (!last.of_ranks[r].empty()) said = monitor_.add(r, last.of_ranks[r], now_).has_value() || said;
  if (said)
    for (std::size_t r = 0; r < quotas_.size(); ++r) quotas_[r] = quota_of(r);
}

/// Takes over announcements, which end a pause.
void rescheduling::hear_others(bsp_measures const& last) {
  if (!announced_ || (pause_ > 0 && now_ < listened_ + slot)) return;
  listened_ = now_;
  auto const said = announced_();
  for (auto const& one : said) monitor_.add(one, now_);
  if (pause_ > 0 && !said.empty()) begin_row(last.number, 1);
}

/// Takes over the shares that ranks got of their cores.
void rescheduling::hear(bsp_measures const& last) {
  for (std::size_t r = 0; r < shares_.size(); ++r) {
    wanted_[r] += last.computing[r], got_[r] += last.computing[r] * last.share[r];
    shares_[r].add(now_, last.share[r], last.computing[r]);
    shares_[r].close(now_);
    monitor_.add(platform::share_reading{r, now_, last.share[r], last.computing[r]});
  }
  monitor_.advance(now_);
}

/// The part of a core that each thread of the rank will get.
double rescheduling::share_of(std::size_t rank) const {
  auto const& own = shares_[rank];
  auto const host = monitor_.host(monitor_.host_of_rank()[rank]);
  double share = 0;
  if (host.source != platform::believed_source::announcement && own.values() > 0 && own.is_recent(now_))
    share = own.next().value;
  else if (host.source != platform::believed_source::announcement && own.values() == 0 && wanted_[rank] > 0)
    share = got_[rank] / wanted_[rank];
  else
    share = host.share * monitor_.granted(rank);
  return std::min(share, quotas_[rank]);
}

/// The unit of work and speeds in which no load is negative. If the rank that measured the speed of a host had a quota,
/// another rank may get more of a core than that speed stands for.
double rescheduling::unit() const {
  double least = 1;
  for (std::size_t r = 0; r < shares_.size(); ++r) least = std::min(least, monitor_.granted(r));
  return least;
}

/// The part of each host that the program will not get, whether it leaves or not.
std::vector<double> rescheduling::loads() const {
  std::vector<double> out(shares_.size());
  double const unit = this->unit();
  for (std::size_t r = 0; r < out.size(); ++r) {
    double const share = share_of(r) / monitor_.granted(r) * unit;
    out[where_.host_of_rank[r]] = 1 - std::clamp(share, least_share, 1.0);
  }
  return out;
}

/// Learns the overhead of the migrations at the barrier before, beside the paths of their states.
void rescheduling::learn_migrations(bsp_measures const& last) {
  if (moved_.empty()) return;
  prices_.add(moved_, last.moving);
  if (auto* const mover = policy_->mover()) mover->moved(last.moving);
  auto const learnt = prices_.learnt();
  made_.migration_fixed = learnt.fixed, made_.migration_per_byte = learnt.per_byte;
  moved_.clear();
}

record::superstep rescheduling::superstep_of(bsp_measures const& last) {
  hear(last);
  learn_migrations(last);
  record::superstep out;
  out.number = last.number, out.stands_for = stands_for_;
  out.state_bytes = last.state_bytes;
  out.seconds = last.took - last.began;
  out.external_load = loads();
  if (prices_.has_any()) out.migration_fixed = made_.migration_fixed, out.migration_per_byte = made_.migration_per_byte;
  out.call = calls_.empty() ? call_of_a_process * static_cast<double>(last.seconds.size()) : usual(calls_);
  out.deciding = calling_;
  out.load.work.resize(last.seconds.size());
  double const unit = this->unit();
  for (std::size_t p = 0; p < last.seconds.size(); ++p) {
    auto const rank = static_cast<std::size_t>(ran_on_[p]), host = where_.host_of_rank[rank];
    out.hosts.push_back(host);
    double const of_thread = where_.machine.hosts.speed(host) / static_cast<double>(where_.threads[rank]);
    out.load.work[p] = last.seconds[p] / monitor_.granted(rank) * unit * of_thread;
  }
  for (auto const& one : last.traffic) out.load.messages.push_back({one.from, one.to, one.bytes});
  auto const priced = cost::bsp::time_of(where_.machine, out);
  made_.computation += priced.computation, made_.communication += priced.communication;
  made_.barriers += priced.barrier, made_.measured += last.took;
  ++made_.supersteps;
  if (told_) told_(out);
  if (last.rank_of != ran_on_) {
    double const there = slowest(where_.machine, out);
    for (std::size_t p = 0; p < out.hosts.size(); ++p) {
      auto const to = where_.host_of_rank[static_cast<std::size_t>(last.rank_of[p])];
      if (to != out.hosts[p]) moved_.push_back({p, out.hosts[p], to, out.state_bytes[p]});
      out.hosts[p] = to;
    }
    out.seconds = std::max(0.0, out.seconds - there + slowest(where_.machine, out));
    ran_on_ = last.rank_of;
  } else if (auto* const mover = policy_->mover(); mover != nullptr && moves_) {
    mover->stayed("its processes stayed");
  }
  // The past is priced by the shares that hosts gave, the future by those that they will give.
  for (std::size_t r = 0; r < shares_.size(); ++r)
    if (monitor_.leaves(r)) leave(where_.host_of_rank[r], out);
  return out;
}

/// Prices processes that may migrate as very slow on this host, and pinned ones as they are.
void rescheduling::leave(std::size_t host, record::superstep& step) const {
  double& load = step.external_load[host];
  // At any speed, it is as slow as the slowest host would be.
  auto const& hosts = where_.machine.hosts;
  double least = hosts.speed(host);
  for (std::size_t h = 0; h < hosts.host_count(); ++h) least = std::min(least, hosts.speed(h));
  double const share = least_share * least / hosts.speed(host), slower = share / (1 - load);
  load = 1 - share;
  for (std::size_t p = 0; p < step.hosts.size(); ++p) {
    if (step.hosts[p] != host) continue;
    if (pinned_[p])
      step.load.work[p] *= slower;
    else
      step.leaves = true;
  }
}

std::vector<bsp_move> rescheduling::moves_of(record::rescheduling call, double took) {
  std::vector<bsp_move> moves;
  for (auto& one : call.candidates) {
    one.from = static_cast<std::size_t>(where_.rank_of_host[one.from]);
    one.to = static_cast<std::size_t>(where_.rank_of_host[one.to]);
    if (one.accepted) moves.push_back({one.process, static_cast<int>(one.from), static_cast<int>(one.to)});
  }
  call.took = took;
  made_.moves += moves.size();
  made_.calls.add(std::move(call));
  return moves;
}

std::vector<bsp_move> rescheduling::next_moves(bsp_measures const& last) {
  if (ran_on_.empty()) ran_on_ = last.rank_of;
  hear_ranks(last);
  hear_others(last);
  for (auto const process : last.stay) policy_->pin(process), pinned_[process] = true;
  bool const tells = is_told(last);
  if (!tells && !told_) return {};
  auto const heard = thread_time_();
  auto const step = superstep_of(last);
  if (!tells) return {};
  auto const begun = thread_time_();
  double const began = record::now();
  auto call = policy_->after(step);
  auto const ended = thread_time_();
  // In the long run a computation takes as much longer as its thread gets less of a core. The wall clock also counts
  // pauses that a quota makes for earlier computations. If threads sleep, only the wall clock is right.
  double const took =
      std::min(record::now() - began, 1e-9 * static_cast<double>(ended - begun) / std::max(least_share, share_of(0)));
  made_.deciding += took;
  moves_ = false;
  if (!call) {
    telling_ += 1e-9 * static_cast<double>(ended - heard);
    end_row(last);
    return {};
  }
  mapping::migration::check_moves(*call, step.hosts, where_.rank_of_host.size());
  remember(calls_, took);
  calling_ += took;
  auto moves = moves_of(std::move(*call), took);
  moves_ = !moves.empty();
  end_row(last);
  return moves;
}

record::bsp_decisions rescheduling::made() const {
  auto out = made_;
  if (auto const* const mover = policy_->mover()) out.history = mover->history();
  return out;
}

void rescheduling::hear_last(bsp_measures const& last) {
  if (ran_on_.empty()) ran_on_ = last.rank_of;
  hear_ranks(last);
  hear_others(last);
  if (is_told(last) || told_) static_cast<void>(superstep_of(last));
}

}  // namespace skel
