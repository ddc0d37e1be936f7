#include "site.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/station/flow_control.hpp>

namespace skel::runtime {

namespace {

std::int64_t rounded(double ns) {
  return static_cast<std::int64_t>(std::llround(ns));
}

record::station_record nothing_done(station const& of, std::size_t number, int rank) {
  record::station_record out;
  out.station = static_cast<std::uint32_t>(number);
  out.name = of.notes.name;
  out.rank = rank;
  return out;
}

}  // namespace

site::site(program const& line, plan::run_plan const& plan, std::size_t station, int rank, std::uint64_t first_item,
           std::atomic<bool> const& stopping, std::stop_token stop)
    : line_(line),
      number_(station),
      rank_(rank),
      station_(line.stations[station]),
      plan_(plan),
      stopping_(stopping),
      stop_(std::move(stop)),
      is_sink_(station + 1 == line.size()),
      arrivals_(false),
      workers_(0, nothing_done(line.stations[station], station, rank)) {
  assignment first = assigned(plan, plan);
  here_ = open_ = first.workers > 0;
  if (!here_) return;
  workers_.resize(first.workers);
  entry_ = first.around.entry;
  arrivals_ = arrival_order(first.around.in_order);
  input_ = end_of_stream(first.around.producers);
  flow_ = std::move(first.around.flow);
  if (station_.copies) copies_ = std::make_unique<copy_group>(plan.stations[station], rank);
  if (station > 0) return;
  std::optional<byte_credits> credits;
  if (plan.most_bytes > 0)
    credits.emplace(plan.most_bytes, flow_control::most_places(line, plan), flow_control::most_parcels(line, plan));
  source_.emplace(station_.make_producer(), first_item, std::move(credits));
  source().stop_by(stop_);
}

void site::make(std::size_t worker) {
  auto& one = workers_.all()[worker];
  if (copies_) {
    if (!one.copy) one.copy = station_.copies->make_copy(copies_->portion_of(worker));
  } else if (!one.call && !source_) {
    one.call = station_.make_worker();
    one.call->stop_by(stop_);
  }
}

void site::start(agenda& todo) {
  std::lock_guard guard(mutex_);
  pump(todo);
}

void site::deliver(int from, std::uint32_t epoch, parcel what, agenda& todo) {
  std::lock_guard guard(mutex_);
  catch_up(epoch, todo);
  if (epoch != epoch_) {
    coming_.at(epoch).early.push_back({std::move(what), from});
    return;
  }
  input_.came(from);
  if (stopping()) return;
  arrivals_.add({std::move(what), from});
  pump(todo);
}

void site::contribute(int from, parcel what, agenda& todo) {
  std::lock_guard guard(mutex_);
  if (stopping()) return;
  ask_for_join(copies_->contributed(from, std::move(what)), todo);
  pump(todo);
}

void site::hear(int from, notice const& what, agenda& todo) {
  std::lock_guard guard(mutex_);
  bool const of_source = what.what == notice::kind::left || what.what == notice::kind::weight;
  if (!of_source) {
    catch_up(what.epoch, todo);
    if (what.epoch < epoch_) return;  // room for parcels that are sent no more
    if (what.epoch > epoch_) {
      coming_.at(what.epoch).notices.emplace_back(from, what);
      return;
    }
  }
  switch (what.what) {
    case notice::kind::room:
      flow_.give_room(from, what.count, what.slowest_item_ns);
      break;
    case notice::kind::window:
      flow_.give_window(what.count, what.slowest_item_ns);
      break;
    case notice::kind::end:
    case notice::kind::cut:
      input_.announced(from, what.count, what.what == notice::kind::cut);
      break;
    case notice::kind::left:
      source_->credits()->leave(what.count);
      break;
    case notice::kind::weight:
      source_->credits()->weigh(what.count);
      break;
  }
  pump(todo);
}

std::pair<batch_limits, std::uint64_t> site::next_batch() {
  std::lock_guard guard(mutex_);
  return {source_->next_batch(slowest_ns(), plan_.batch_latency, plan_.batch_bytes), source_->next_item()};
}

std::uint64_t site::source_ran(std::uint64_t first, std::int64_t begin, std::int64_t end, bool trace) {
  std::lock_guard guard(mutex_);
  take_open_batch();
  std::uint64_t const count = source_->next_item() - first;
  auto& caller = workers_.all().front();
  caller.did.items += count;
  caller.did.items_out += count;
  caller.did.source_items += count;
  caller.did.batches += count > 0;
  caller.did.busy += static_cast<double>(end - begin) * 1e-9;
  if (trace && count > 0) caller.spans.push_back({0, 0, begin, end, first, static_cast<std::uint32_t>(count)});
  done_.source_items += count;
  changed_ns_ = end;
  done_.busy += static_cast<double>(end - begin) * 1e-9;
  if (count > 0) workers_.learn(static_cast<double>(end - begin) / static_cast<double>(count));
  source_->ran(count);
  return count;
}

void site::source_rests(producer::state state, agenda& todo) {
  std::lock_guard guard(mutex_);
  source_->rests(state == producer::state::ended);
  pump(todo);
}

std::uint64_t site::source_threw() {
  std::lock_guard guard(mutex_);
  take_open_batch();
  source_->rests(false);
  return source_->next_item();
}

bool site::flush(double age, agenda& todo) {
  std::lock_guard guard(mutex_);
  bool active = false;
  std::int64_t const opened = source().opened_ns();
  if (opened != 0) {
    active = true;
    // While earlier results wait for room, more of them would pass over the credits.
    if (static_cast<double>(record::now_ns() - opened) * 1e-9 >= age && outputs_.empty()) take_open_batch();
  }
  if (source_->active()) active = true;
  pump(todo);
  return active;
}

void site::batch_done(job const& work, std::unique_ptr<items_base> made, std::uint64_t bytes, double seconds,
                      agenda& todo) {
  std::lock_guard guard(mutex_);
  pass_on(work.input, work.worker, std::move(made), bytes, seconds, todo);
  pump(todo);
}

/// The result of a parcel goes out or is held back. `worker` is busy until it has left.
void site::pass_on(arrival const& of, std::size_t worker, std::unique_ptr<items_base> made, std::uint64_t bytes,
                   double seconds, agenda& todo) {
  auto const& in = of.what;
  weigh(bytes, in.credited, &todo);
  learn(seconds, in.source_items);
  last_item_ = std::max(last_item_, in.first_item);
  folded_ += in.source_items;
  if (!made) {
    if (worker != no_worker) workers_.end_work(worker);
    depart(of.from, todo);
    if (plan_.most_bytes > 0) tell_source(notice::kind::left, in.first_item, todo);
    return;
  }
  std::uint64_t const sequence = !station_.replicable ? produced_++ : in.sequence;
  outputs_.push_back(
      {parcel{std::move(made), sequence, in.first_item, std::exchange(folded_, 0), in.credited}, worker, of.from, 0});
}

void site::copy_done(copy_job const& work, std::unique_ptr<items_base> made, std::uint64_t bytes, double seconds,
                     agenda& todo) {
  std::lock_guard guard(mutex_);
  weigh(bytes, work.credited, &todo);
  learn(seconds, work.source_items);
  ask_for_join(copies_->copy_done(work.copy, work.sequence, std::move(made)), todo);
  pump(todo);
}

void site::joined(copy_job const& work, std::unique_ptr<items_base> all, std::uint64_t bytes, agenda& todo) {
  std::lock_guard guard(mutex_);
  weigh(bytes, work.credited, &todo);
  copies_->joined(work.sequence, std::move(all));
  pump(todo);
}

void site::give_rest(std::vector<std::unique_ptr<items_base>> held, agenda& todo) {
  std::lock_guard guard(mutex_);
  for (auto& batch : held) add_rest(std::move(batch));
  rested_ = true;
  pump(todo);
}

void site::add_rest(std::unique_ptr<items_base> batch) {
  outputs_.push_back(
      {parcel{std::move(batch), !station_.replicable ? produced_++ : 0, last_item_, std::exchange(folded_, 0), 1},
       no_worker,
       {},
       0});
}

void site::finished(agenda& todo) {
  std::lock_guard guard(mutex_);
  ended_ = true;
  announce_counts(notice::kind::end, todo);
}

/// Tells those behind, and below in a broadcast's tree, how many parcels of this epoch they were sent.
void site::announce_counts(notice::kind as, agenda& todo) {
  auto const tell = [&](int rank, std::size_t station, std::uint64_t parcels) {
    todo.notices.push_back({rank, {as, static_cast<std::uint32_t>(station), epoch_, parcels, 0}});
  };
  for (auto const& out : flow_.outlets()) tell(out.rank, number_ + 1, out.sent);
  if (!copies_) return;
  for (int child : copies_->children()) tell(child, number_, copies_->begun() - begun_before_);
  begun_before_ = copies_->begun();
}

std::optional<record::station_progress> site::progress() {
  std::lock_guard guard(mutex_);
  if (workers_.most() == 0) return std::nullopt;
  auto done = done_;
  done.station = static_cast<std::uint32_t>(number_);
  return done;
}

record::station_record site::record() const {
  record::station_record sum = workers_.sum();
  if (lender_) {
    replica_group::add(sum, lender_->workers().sum());
    sum.workers = std::max(sum.workers, 1U);
  }
  if (source_) sum.bytes_out = source_->bytes();
  sum.largest_batch = largest_batch_;
  sum.item_bytes = item_bytes_;
  return sum;
}

/// The longest time per item here and downstream [ns]; 0 as long as some of it is not known.
std::int64_t site::slowest_ns() const {
  auto const downstream = flow_.slowest_ns();
  if (!downstream || workers_.item_ns() <= 0) return 0;
  return std::max({std::int64_t{1}, rounded(workers_.item_ns()), *downstream});
}

/// Notes the bytes of a batch per item of the source whose credit it holds, and tells the source if they are more than
/// before. nullptr: it is here.
void site::weigh(std::uint64_t bytes, std::uint64_t credited, agenda* todo) {
  largest_batch_ = std::max(largest_batch_, bytes);
  std::uint64_t const items = std::max<std::uint64_t>(1, credited);
  std::uint64_t const each = bytes / items + (bytes % items > 0);
  if (each <= item_bytes_) return;
  item_bytes_ = each;
  if (source_ && source_->credits() != nullptr)
    source_->credits()->weigh(each);
  else if (plan_.most_bytes > 0)
    tell_source(notice::kind::weight, each, *todo);
}

/// Work on so many items of the source took so long.
void site::learn(double seconds, std::uint64_t source_items) {
  done_.source_items += source_items;
  done_.busy += seconds;
  changed_ns_ = record::rough_now_ns();
  workers_.learn(seconds * 1e9 / static_cast<double>(std::max<std::uint64_t>(1, source_items)));
}

void site::tell_source(notice::kind what, std::uint64_t count, agenda& todo) const {
  todo.notices.push_back({plan_.stations.front().ranks.front(), {what, 0, epoch_, count, 0}});
}

/// Moves the items that the source has produced into its results.
void site::take_open_batch() {
  std::uint64_t bytes = 0;
  auto open = source_->take_open(bytes);
  if (!open) return;
  weigh(bytes, open->credited, nullptr);
  open->sequence = produced_++;
  outputs_.push_back({*std::move(open), no_worker, {}, 0});
}

/// Gives room back for a parcel that has left the station.
void site::depart(int from, agenda& todo) {
  notice back{notice::kind::room, static_cast<std::uint32_t>(number_ - 1), epoch_, 1, slowest_ns()};
  if (entry_) {
    back.what = notice::kind::window;
    back.station = entry_->station;
    from = entry_->rank;
  }
  todo.notices.push_back({from, back});
}

/// Sends results for which there is room, and notes since when the others wait.
void site::send_results(agenda& todo) {
  while (!outputs_.empty()) {
    auto const rank = flow_.take_room();
    if (!rank) break;
    result done = std::move(outputs_.front());
    outputs_.pop_front();
    if (done.since_ns != 0) {
      auto& did = workers_.all()[done.worker == no_worker ? 0 : done.worker].did;
      did.blocked += static_cast<double>(record::now_ns() - done.since_ns) * 1e-9;
    }
    if (done.worker != no_worker) workers_.end_work(done.worker);
    if (done.from) depart(*done.from, todo);
    todo.sends.push_back({this, *rank, epoch_, std::move(done.what)});
  }
  if (!outputs_.empty() && outputs_.back().since_ns == 0) {
    std::int64_t const now = record::now_ns();
    for (auto& waiting : outputs_)
      if (waiting.since_ns == 0) waiting.since_ns = now;
  }
}

void site::ask_for_join(std::optional<copy_job> work, agenda& todo) {
  if (work) todo.jobs.push_back({job::kind::join, this, no_worker, {}, *std::move(work)});
}

/// Results of all copies here and below go to the next station from the root, up the tree from the others.
void site::take_joint_results(agenda& todo) {
  while (auto done = copies_->next_result()) {
    auto& [what, from] = *done;
    if (auto const parent = copies_->parent())
      todo.posts.push_back(
          {this,
           *parent,
           epoch_,
           {std::move(what.items), what.sequence, what.first_item, what.source_items, what.credited, true}});
    else
      outputs_.push_back({std::move(what), no_worker, from, 0});
  }
}

void site::begin_for_copies(agenda& todo) {
  while (arrivals_.ready() && (copies_->parent() || copies_->has_room(outputs_.size()))) {
    auto [what, from] = arrivals_.take();
    auto const shown = copies_->begin(std::move(what), from);
    for (int child : copies_->children()) todo.posts.push_back({this, child, epoch_, shown});
  }
  while (auto work = copies_->next_for_copies()) {
    std::size_t const copy = work->copy;
    todo.jobs.push_back({job::kind::copy, this, copy, {}, *std::move(work)});
  }
}

/// True if the line is saved where the next epoch begins, or will begin.
bool site::saves_next() const {
  return (!source_ || cuts_ > 0) && !coming_.empty() && coming_.begin()->second.saves;
}

/// True if all that will come in this epoch has come, has been worked on and has left.
bool site::at_rest() const {
  if (!outputs_.empty() || !arrivals_.empty()) return false;
  if (source_ && saves_next()) return !source_->running();  // with an open batch it would not be where its state is
  if (source_) return cuts_ > 0 || source_->over();         // its open batch belongs to the next epoch
  return input_.reached() && (copies_ ? copies_->idle() : workers_.all_idle()) && (!loan_ || loan_->idle()) &&
         (!parting_ || (parting_->idle() && !parting_->in_flight() && !state_busy_));
}

/// Of one at rest: true if another epoch follows this one.
bool site::goes_on() const {
  return source_ ? cuts_ > 0 : input_.goes_on();
}

/// Does everything that has become possible, in this epoch and those that follow.
void site::pump(agenda& todo) {
  for (bool again = true; again;) {
    if (stopping() || !open_ || leaving_) return;
    std::uint32_t const before = epoch_;
    work(todo);
    feeds_others_.store(flow_.reaches_others(rank_), std::memory_order_relaxed);
    again = epoch_ != before;
  }
}

void site::work(agenda& todo) {
  if (copies_) take_joint_results(todo);
  if (loan_) work_on_loan(todo);
  if (parting_) take_parted_results(todo);
  send_results(todo);
  if (copies_) begin_for_copies(todo);
  if (divide_ || parting_) steer(todo);
  while (!copies_ && !loan_ && !state_busy_ && arrivals_.ready() && workers_.any_idle()) {
    todo.jobs.push_back(
        {job::kind::batch, this, workers_.begin_work(), arrivals_.take(), {}, workers_.item_ns(), workers_.pace()});
    todo.jobs.back().parted = parting_.has_value();
  }
  if (source_ && cuts_ == 0 && outputs_.empty() && source_->may_run()) {
    source_->run();
    todo.jobs.push_back({job::kind::source, this, no_worker, {}, {}, workers_.item_ns(), workers_.pace()});
  }
  if (finishing_ || !at_rest()) return;
  if (goes_on()) return leave_if_done(todo);
  if (parting_) {  // some parts did not come home
    finishing_ = true;
    todo.jobs.push_back({job::kind::strand, this, no_worker, {}, {}});
    return;
  }
  if (station_.folds && !resting_) {
    resting_ = true;
    if (loan_) return ask_keeper(errand::kind::rest, todo);
    todo.jobs.push_back({job::kind::rest, this, 0, {}, {}});
  }
  if (rested_ || !station_.folds) {
    finishing_ = true;
    if (loan_) return ask_keeper(errand::kind::finish, todo);
    todo.jobs.push_back({job::kind::finish, this, no_worker, {}, {}});
  }
}

}  // namespace skel::runtime
