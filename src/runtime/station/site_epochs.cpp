#include "site.hpp"

#include <algorithm>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/runtime/line/checkpoint.hpp>

/// A site goes from epoch to epoch.
namespace skel::runtime {

/// The part of an epoch's plan for this site, after an epoch with the plan `before`.
site::assignment site::assigned(plan::run_plan const& plan, plan::run_plan const& before) const {
  auto const& ranks = plan.stations[number_].ranks;
  assignment out;
  out.workers = static_cast<std::size_t>(std::count(ranks.begin(), ranks.end(), rank_));
  if (!station_.replicable && !station_.copies) out.on = ranks.front();
  if (out.workers == 0) return out;
  out.around = neighbourhood_of(line_, plan, number_, rank_);
  out.comes = out.on != no_rank && before.stations[number_].ranks.front() != rank_;
  return out;
}

std::size_t site::announce(std::uint32_t epoch, plan::run_plan const& before, plan::run_plan const& next, bool saves) {
  std::lock_guard guard(mutex_);
  SKEL_EXPECTS(epoch > epoch_ && (coming_.empty() || epoch > coming_.rbegin()->first));
  assignment as = assigned(next, before);
  std::size_t const workers = as.workers;
  coming_.emplace(epoch, coming{std::move(as), saves, {}, {}});
  agenda nothing;
  pass_by(nothing);
  return workers;
}

void site::forget(std::uint32_t epoch) {
  std::lock_guard guard(mutex_);
  coming_.erase(epoch);
}

bool site::cut(agenda& todo) {
  std::lock_guard guard(mutex_);
  if (finishing_) return false;
  ++cuts_;
  pump(todo);
  return true;
}

void site::come(int from, stream_position const& counts, std::string state, agenda& todo) {
  std::lock_guard guard(mutex_);
  catch_up(counts.epoch, todo);
  SKEL_EXPECTS(epoch_ == counts.epoch && here_ && !open_);
  if (counts.keeper != no_rank) return go_on_from(counts, todo);
  job work;
  work.what = job::kind::enter;
  work.here = this;
  work.from = from;
  work.counts = counts;
  work.state = std::move(state);
  todo.jobs.push_back(std::move(work));
}

void site::entered(stream_position const& counts, agenda& todo) {
  std::lock_guard guard(mutex_);
  go_on_from(counts, todo);
}

/// The station is here, and its state is where `counts` says.
void site::go_on_from(stream_position const& counts, agenda& todo) {
  if (counts.keeper != no_rank && counts.keeper != rank_) loan_.emplace(counts.keeper, counts.epoch);
  produced_ = counts.produced;
  last_item_ = counts.last_item;
  folded_ = counts.folded;
  arrivals_.expect(counts.expected);
  open_ = true;
  pump(todo);
}

void site::left(agenda& todo) {
  std::lock_guard guard(mutex_);
  announce_counts(notice::kind::cut, todo);
  enter_next(todo);
  pump(todo);
}

/// One without workers goes on to the epochs up to this one, until it has some.
void site::catch_up(std::uint32_t epoch, agenda& todo) {
  while (!here_ && epoch_ < epoch) enter_next(todo);
}

/// One without workers goes on over epochs in which it has none, and to one for which something has come.
void site::pass_by(agenda& todo) {
  auto const has_come = [](auto const& one) { return !one.second.early.empty() || !one.second.notices.empty(); };
  while (!here_ && !coming_.empty() &&
         (coming_.begin()->second.as.workers == 0 || std::ranges::any_of(coming_, has_come)))
    enter_next(todo);
}

/// Begins the next epoch, with what has come for it. Precondition: it is at rest, or without workers.
void site::enter_next(agenda& todo) {
  SKEL_EXPECTS(!coming_.empty());
  auto next = coming_.extract(coming_.begin());
  bool const was_here = here_;
  if (was_here) todo.left.push_back(epoch_);
  epoch_ = next.key();
  auto& [as, saves, early, notices] = next.mapped();
  here_ = as.workers > 0;
  todo.opened += (here_ ? 1 : 0) - (was_here ? 1 : 0);
  open_ = here_ && !as.comes;
  resting_ = rested_ = finishing_ = leaving_ = false;
  if (cuts_ > 0) --cuts_;
  workers_.resize(as.workers);
  if (!here_) loan_.reset(), parting_.reset();
  if (!here_) return pass_by(todo);
  if (!was_here) arrivals_ = arrival_order(as.around.in_order);
  entry_ = as.around.entry;
  input_ = end_of_stream(as.around.producers);
  as.around.flow.remember_times(flow_);
  flow_ = std::move(as.around.flow);
  for (auto& one : early) {
    input_.came(one.from);
    arrivals_.add(std::move(one));
  }
  for (auto const& [from, what] : notices) {
    SKEL_EXPECTS(what.what == notice::kind::end || what.what == notice::kind::cut);
    input_.announced(from, what.count, what.what == notice::kind::cut);
  }
}

/// Leaves this epoch when all is done. Users' functions have to be called first if workers end, or if the state goes to
/// another rank.
void site::leave_if_done(agenda& todo) {
  auto const& next = coming_.begin()->second.as;
  bool const fewer = next.workers < workers_.all().size(), saves = saves_next();
  if (station_.folds_in_farm() && (fewer || saves) && !rested_) {
    if (std::exchange(resting_, true)) return;
    todo.jobs.push_back({job::kind::rest, this, saves ? 0 : next.workers, {}, {}});
    return;
  }
  if (saves && is_saved(line_, number_)) {
    leaving_ = true;
    job work;
    work.what = job::kind::save;
    work.here = this;
    work.counts.station = static_cast<std::uint32_t>(number_);
    work.counts.epoch = coming_.begin()->first;
    work.counts.last_item = source_ ? source_->next_item() : last_item_;
    work.counts.keeper = loan_ ? loan_->keeper() : parting_ ? parting_->to() : no_rank;
    todo.jobs.push_back(std::move(work));
    return;
  }
  if (!fewer) {
    announce_counts(notice::kind::cut, todo);
    return enter_next(todo);
  }
  leaving_ = true;
  job work;
  work.what = job::kind::leave;
  work.here = this;
  work.worker = next.workers;
  if (next.on != no_rank) {
    work.to = next.on;
    work.counts = {static_cast<std::uint32_t>(number_),
                   coming_.begin()->first,
                   produced_,
                   arrivals_.expected(),
                   last_item_,
                   folded_,
                   loan_      ? loan_->keeper()
                   : parting_ ? parting_->to()
                              : no_rank};
  }
  todo.jobs.push_back(std::move(work));
}

}  // namespace skel::runtime
