#include "executor.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/record/clock.hpp>

#include "station/site.hpp"

namespace skel::runtime {

struct executor::job_queue {
  std::mutex mutex;
  std::deque<job> queue;
};

namespace {

/// A batch that another lane takes is in no cache there. If it takes twice as long there, the line still waits for a
/// station that is this many times as slow.
constexpr double cold = 2;

/// True if other ranks have room for the result of a job, or wait for it.
bool feeds_others(job const& one) {
  switch (one.what) {
    case job::kind::source:
    case job::kind::batch:
      return one.here->feeds_others();
    case job::kind::lend:
    case job::kind::part:
      return true;
    case job::kind::leave:
      return one.to != no_rank;
    default:
      return false;
  }
}

}  // namespace

executor::executor(program const& line, plan::run_plan const& plan, int rank, link_layer& links, events on, bool trace,
                   std::uint64_t first_item, std::size_t watched, std::size_t cores)
    : line_(line),
      plan_(plan),
      rank_(rank),
      links_(links),
      on_(std::move(on)),
      trace_(trace),
      watched_(watched),
      jobs_(std::make_unique<job_queue>()),
      item_ns_(line.size()),
      cores_(static_cast<double>(cores)) {
  SKEL_EXPECTS(line.size() == plan.stations.size());
  SKEL_EXPECTS(line.size() >= 2);
  SKEL_EXPECTS(cores > 0);
  last_ = plan;
  for (std::size_t s = 0; s < line.size(); ++s) {
    auto const& ranks = plan.stations[s].ranks;
    SKEL_EXPECTS(!ranks.empty());
    SKEL_EXPECTS(line.stations[s].replicable || line.stations[s].copies || ranks.size() == 1);
    functions_.emplace_back(line.words_of(s, rank));
    sites_.push_back(std::make_unique<site>(line, plan, s, rank, first_item, stopping_, stop_.get_token()));
    most_jobs_ += sites_.back()->workers().size();
    open_sites_ += sites_.back()->had_workers() ? 1 : 0;
  }
  if (open_sites_ > 0) sites_in_[0] = static_cast<std::size_t>(open_sites_.load());
}

executor::~executor() = default;

site& executor::at(std::size_t station) const {
  SKEL_EXPECTS(station < sites_.size());
  return *sites_[station];
}

void executor::start() {
  if (site& last = *sites_.back(); last.had_workers() && last.what().begin) try {
      user_call const known(functions_.back(), record::now_ns());
      last.what().begin();
    } catch (...) {
      return fail(last, failure::kind::begin, 0);
    }
  if (!sites_.front()->is_source()) return;
  agenda todo;
  sites_.front()->start(todo);
  perform(todo, nullptr);
}

void executor::announce(std::uint32_t epoch, plan::run_plan const& next, bool saves) {
  plan::run_plan kept = next;
  std::size_t sites = 0, workers = 0, known = 0;
  try {
    for (; known < sites_.size(); ++known) {
      std::size_t const here = sites_[known]->announce(epoch, last_, next, saves);
      sites += here > 0;
      workers += here;
    }
    std::lock_guard guard(epochs_mutex_);
    if (sites > 0) sites_in_[epoch] = sites;
  } catch (...) {
    while (known > 0) sites_[--known]->forget(epoch);
    throw;
  }
  before_last_ = std::exchange(last_, std::move(kept));
  most_jobs_ = std::max(most_jobs_, workers);
}

void executor::forget(std::uint32_t epoch) {
  for (auto const& one : sites_) one->forget(epoch);
  last_ = before_last_;
  std::lock_guard guard(epochs_mutex_);
  sites_in_.erase(epoch);
}

bool executor::cut() {
  SKEL_EXPECTS(sites_.front()->is_source());
  agenda todo;
  bool const begins = sites_.front()->cut(todo);
  perform(todo, nullptr);
  return begins;
}

void executor::receive(int from, stream_position const& counts, std::string state) {
  agenda todo;
  at(counts.station).come(from, counts, std::move(state), todo);
  perform(todo, nullptr);
}

void executor::count_left(std::uint32_t epoch) {
  {
    std::lock_guard guard(epochs_mutex_);
    auto const here = sites_in_.find(epoch);
    SKEL_EXPECTS(here != sites_in_.end());
    if (--here->second > 0) return;
    sites_in_.erase(here);
  }
  if (on_.left) on_.left(epoch);
}

void executor::receive(std::uint32_t epoch, std::uint32_t station, int from, parcel what) {
  agenda todo;
  at(station).deliver(from, epoch, std::move(what), todo);
  perform(todo, nullptr);
}

void executor::receive_contribution(std::uint32_t station, int from, parcel what) {
  agenda todo;
  at(station).contribute(from, std::move(what), todo);
  perform(todo, nullptr);
}

void executor::receive(int from, notice const& what) {
  agenda todo;
  at(what.station).hear(from, what, todo);
  perform(todo, nullptr);
}

bool executor::flush_source(bool last_look) {
  if (!sites_.front()->is_source() || stopping()) return false;
  if (last_look) watch_asleep_.store(true);
  agenda todo;
  bool const active = sites_.front()->flush(plan_.batch_latency / 2, todo);
  if (active) functions_.front().seen.store(record::now_ns(), std::memory_order_relaxed);
  perform(todo, nullptr);
  return active;
}

void executor::stop() {
  stopping_.store(true);
}

void executor::stop_early() {
  stop();
  stop_.request_stop();
}

std::vector<std::string> executor::explained() const {
  std::vector<std::string> all;
  for (std::size_t s = 0; s < sites_.size(); ++s)
    if (auto const one = sites_[s]->explained(); !one.empty()) all.push_back(functions_[s].text + ": " + one);
  return all;
}

std::vector<record::station_progress> executor::progress() const {
  std::vector<record::station_progress> all;
  for (auto const& here : sites_)
    if (auto const one = here->progress()) all.push_back(*one);
  return all;
}

std::optional<failure> executor::first_failure() const {
  std::lock_guard guard(failure_mutex_);
  return failure_;
}

std::vector<record::station_record> executor::records() const {
  std::vector<record::station_record> all;
  for (auto const& here : sites_)
    if (here->had_workers()) all.push_back(here->record());
  return all;
}

std::uint64_t executor::most_items() const {
  return sites_.front()->most_items();
}

std::vector<record::span> executor::take_spans() {
  std::vector<record::span> all;
  for (auto const& here : sites_) {
    auto const some = here->spans();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

/// True if the line waits for a station of this pace [ns], and not for the cores. Then all stations here, alone on the
/// cores, would do an item in less time.
bool executor::waits_for(double pace) const {
  double all = 0;
  for (auto const& one : item_ns_) all += one.load(std::memory_order_relaxed);
  return pace * cores_ > all;
}

/// Chooses the next job of the calling lane: the one furthest down the line, as its batch is in the lane's cache. If
/// the line waits for the slowest one, which would wait for a lane to wake up otherwise, it takes that. A job for which
/// other ranks have room comes first if it takes no longer: they would wait while this lane computes.
job executor::take_next() {
  auto& jobs = jobs_->queue;
  auto best = jobs.begin(), slow = best, feeds = jobs.end();
  for (auto one = jobs.begin(); one != jobs.end(); ++one) {
    if (one->here->number() > best->here->number()) best = one;
    if (one->pace > slow->pace) slow = one;
    if (feeds_others(*one) && (feeds == jobs.end() || one->item_ns < feeds->item_ns)) feeds = one;
  }
  if (slow->pace > cold * best->pace && waits_for(slow->pace)) best = slow;
  if (feeds != jobs.end() && feeds->item_ns <= best->item_ns) best = feeds;
  job next = std::move(*best);
  jobs.erase(best);
  return next;
}

/// Carries out what sites ask of each other until only jobs are left. Those wait, except one of all that wait, which
/// the calling lane keeps.
void executor::perform(agenda& todo, std::optional<job>* keep) {
  for (;;) {
    if (std::ptrdiff_t const more = std::exchange(todo.opened, 0); more != 0)
      if (open_sites_.fetch_add(more) + more == 0) on_.finished();
    if (!todo.left.empty())
      for (std::uint32_t const epoch : std::exchange(todo.left, {})) count_left(epoch);
    for (site* const here : std::exchange(todo.ended, {})) end(*here, todo);
    for (auto const& what : std::exchange(todo.parted_, {}))
      if (on_.parted) on_.parted(what);
    if (todo.sends.empty() && todo.posts.empty() && todo.notices.empty() && todo.errands.empty()) break;
    for (auto& sending : std::exchange(todo.sends, {})) {
      if (sending.rank == rank_)
        sites_[sending.from->number() + 1]->deliver(rank_, sending.epoch, std::move(sending.what), todo);
      else
        send(*sending.from, sending.rank, sending.epoch, sending.from->number() + 1, sending.from->number() + 1,
             {std::move(sending.what.items), sending.what.sequence, sending.what.first_item, sending.what.source_items,
              sending.what.credited, false});
    }
    for (auto& posting : std::exchange(todo.posts, {})) {
      std::size_t const station = posting.from->number();
      send(*posting.from, posting.rank, posting.epoch, station, station + (posting.what.contribution ? 1 : 0),
           std::move(posting.what));
    }
    for (auto& one : std::exchange(todo.errands, {})) send(*one.from, one.rank, std::move(one.what));
    for (auto const& telling : std::exchange(todo.notices, {})) {
      if (telling.rank == rank_)
        at(telling.what.station).hear(rank_, telling.what, todo);
      else
        links_.send(telling.rank, telling.what);
    }
  }
  if (todo.jobs.empty()) return;
  std::size_t const count = todo.jobs.size() - (keep != nullptr ? 1 : 0);
  {
    std::lock_guard guard(jobs_->mutex);
    for (job& work : todo.jobs) {
      if (work.item_ns > 0) item_ns_[work.here->number()].store(work.item_ns, std::memory_order_relaxed);
      jobs_->queue.push_back(std::move(work));
    }
    if (keep != nullptr) *keep = take_next();
  }
  todo.jobs.clear();
  for (std::size_t i = 0; i < count; ++i) on_.job_waits();
}

/// Turning items into bytes calls the user's serializers, which may throw. `taker`: the station that takes such items.
void executor::send(site const& from, int rank, std::uint32_t epoch, std::size_t station, std::size_t taker,
                    posted what) {
  bool const counted = !from.what().emits && !from.what().renumbered;
  std::uint64_t const item = what.first_item, items = counted ? what.items->size() : what.source_items;
  try {
    links_.send(rank, epoch, static_cast<std::uint32_t>(station), std::move(what), *line_.stations[taker].input);
  } catch (...) {
    fail(from, failure::kind::write, item, items);
  }
}

void executor::refuse(std::uint32_t station, std::uint64_t item) {
  fail(at(station), failure::kind::read, item);
}

void executor::drain() {
  std::optional<job> current;
  agenda todo;
  for (;;) {
    if (!current) {
      std::lock_guard guard(jobs_->mutex);
      if (jobs_->queue.empty()) return;
      current = take_next();
    }
    job work = *std::exchange(current, std::nullopt);
    turns_.fetch_add(1, std::memory_order_relaxed);
    run(work, todo);
    perform(todo, &current);
    if (on_.turn) on_.turn();
  }
}

std::size_t executor::waiting_jobs() const {
  std::lock_guard guard(jobs_->mutex);
  return jobs_->queue.size();
}

void executor::run_job(std::size_t which) {
  job work;
  {
    std::lock_guard guard(jobs_->mutex);
    SKEL_EXPECTS(which < jobs_->queue.size());
    auto const at = jobs_->queue.begin() + static_cast<std::ptrdiff_t>(which);
    work = std::move(*at);
    jobs_->queue.erase(at);
  }
  agenda todo;
  run(work, todo);
  perform(todo, nullptr);
}

/// finish() of a station has returned.
void executor::end(site& here, agenda& todo) {
  last_ns_.store(record::now_ns(), std::memory_order_relaxed);
  here.finished(todo);
  if (here.is_sink()) sink_ended_.store(true);
  bool const last = open_sites_.fetch_sub(1) == 1;
  if (!last && !here.is_sink()) return;
  perform(todo, nullptr);
  on_.finished();
}

/// The function of `stage` threw on the item at `position` of a batch.
void executor::fail_at(site const& here, std::string const& stage, std::uint64_t first_item, std::uint64_t source_items,
                       std::size_t position) {
  if (here.what().renumbered)
    fail(here, {stage, failure::kind::process, first_item, source_items, rank_});
  else
    fail(here, {stage, failure::kind::process, first_item + position, 1, rank_});
}

void executor::fail(site const& here, failure::kind during, std::uint64_t item, std::uint64_t items) {
  fail(here, {here.what().notes.name, during, item, items, rank_});
}

void executor::fail(site const& here, failure known) {
  known.part = line_.kind_of(here.number());
  if (user_call::was_interrupted()) return stop_early();  // the run ends for another reason
  failure what = describe_failure(std::move(known));
  std::string const why = text_of(what);
  {
    std::lock_guard guard(failure_mutex_);
    if (!failure_ || what.item < failure_->item) failure_ = std::move(what);
  }
  run_ends(why);
  stop_early();
  on_.failed();
}

}  // namespace skel::runtime
