#include "site.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <skel/record/clock.hpp>
#include <skel/runtime/flow_control.hpp>

namespace skel::runtime {

namespace {

/// Weight of a new sample in the running mean of a station's time per item: the last eight batches or so count.
constexpr double recent = 1.0 / 8;

std::int64_t rounded(double ns) {
  return static_cast<std::int64_t>(std::llround(ns));
}

}  // namespace

site::site(program const& line, plan::run_plan const& plan, std::size_t station, int rank, std::size_t workers,
           std::uint64_t first_item, std::atomic<bool> const& stopping)
    : number_(station),
      station_(line.stations[station]),
      plan_(plan),
      stopping_(stopping),
      serial_(!station_.replicable),
      is_sink_(station + 1 == line.size()) {
  if (station == 0) {
    producer_ = station_.make_producer();
    source_items_ = source_items_seen_ = first_item;
    workers = 1;
    if (plan.most_bytes > 0)
      credits_ = std::make_unique<byte_credits>(plan.most_bytes, flow_control::most_places(line, plan),
                                                flow_control::most_parcels(line, plan));
  }
  workers_.resize(workers);
  for (std::size_t w = 0; w < workers; ++w) {
    if (station > 0) idle_.push_back(w);
    workers_[w].did.station = static_cast<std::uint32_t>(station);
    workers_[w].did.name = station_.notes.name;
    workers_[w].did.rank = rank;
  }
  if (station_.copies) crew_ = std::make_unique<crew>(plan.stations[station], rank);
  if (crew_ && crew_->parent()) {
    inlets_.push_back({*crew_->parent(), 0, {}});
    in_order_ = true;
    return;
  }
  if (station > 0) take_from(line, plan);
  if (!is_sink_) give_to(line, plan, rank);
}

void site::take_from(program const& line, plan::run_plan const& plan) {
  for (auto const& [rank, count] : flow_control::sites(flow_control::door(line, plan, number_ - 1)))
    inlets_.push_back({rank, 0, {}});
  in_order_ = serial_;
  if (serial_ && line.stations[number_ - 1].replicable) {
    auto const farm = flow_control::region_around(line, number_ - 1);
    in_order_ = is_exit_ = farm.ordered;
    entry_station_ = farm.entry;
    entry_rank_ = plan.stations[farm.entry].ranks.front();
  }
}

void site::give_to(program const& line, plan::run_plan const& plan, int rank) {
  auto const producers = flow_control::sites(flow_control::door(line, plan, number_));
  auto const me = static_cast<std::size_t>(
      std::find_if(producers.begin(), producers.end(), [rank](auto const& p) { return p.first == rank; }) -
      producers.begin());
  bool const next_replicable = line.stations[number_ + 1].replicable;
  bool const into_exit = !serial_ && !next_replicable && flow_control::region_around(line, number_).ordered;
  auto const consuming = flow_control::door(line, plan, number_ + 1);
  auto const consumers = flow_control::sites(consuming);
  for (std::size_t c = 0; c < consumers.size(); ++c) {
    outlet out;
    out.rank = consumers[c].first;
    out.workers = consumers[c].second;
    out.room = flow_control::room(consuming, c, producers.size(), me);
    out.unlimited = into_exit;
    outlets_.push_back(out);
  }
  if (serial_ && next_replicable) {
    auto const farm = flow_control::region_around(line, number_ + 1);
    is_entry_ = farm.ordered;
    exit_counts_items_ = !line.stations[farm.exit - 1].folds;
    window_ = flow_control::window(plan, farm);
  }
}

void site::connect(site* next) {
  if (next == nullptr) return;
  for (auto& out : outlets_)
    if (out.rank == next->workers_.front().did.rank) out.here = next;
}

void site::make(std::size_t worker) {
  auto& one = workers_[worker];
  if (crew_) {
    if (!one.copy) one.copy = station_.copies->make_copy(crew_->portion_of(worker));
  } else if (!one.call && !producer_) {
    one.call = station_.make_worker();
  }
}

void site::look(agenda& todo) {
  std::lock_guard guard(mutex_);
  pump(todo);
}

void site::deliver(int from, parcel what, agenda& todo) {
  std::lock_guard guard(mutex_);
  for (auto& in : inlets_)
    if (in.rank == from) ++in.received;
  if (stopping()) return;
  if (!in_order_) {
    ready_.push_back({std::move(what), from});
  } else if (what.sequence != expected_) {
    std::uint64_t const sequence = what.sequence;
    early_.emplace(sequence, arrival{std::move(what), from});
  } else {
    ready_.push_back({std::move(what), from});
    ++expected_;
    for (auto next = early_.begin(); next != early_.end() && next->first == expected_;
         next = early_.erase(next), ++expected_)
      ready_.push_back(std::move(next->second));
  }
  pump(todo);
}

void site::contribute(int from, parcel what, agenda& todo) {
  std::lock_guard guard(mutex_);
  if (stopping()) return;
  ask_for_join(crew_->contributed(from, std::move(what)), todo);
  pump(todo);
}

void site::hear(int from, notice const& what, agenda& todo) {
  std::lock_guard guard(mutex_);
  switch (what.what) {
    case notice::kind::room:
      for (auto& out : outlets_)
        if (out.rank == from) out.room += what.count, out.slowest_ns = what.slowest_item_ns;
      break;
    case notice::kind::window:
      window_ += what.count;
      window_slowest_ns_ = what.slowest_item_ns;
      break;
    case notice::kind::end:
      for (auto& in : inlets_)
        if (in.rank == from) in.announced = what.count;
      break;
    case notice::kind::left:
      credits_->leave(what.count);
      break;
    case notice::kind::weight:
      credits_->weigh(what.count);
      break;
  }
  pump(todo);
}

std::pair<batch_limits, std::uint64_t> site::next_batch() {
  std::lock_guard guard(mutex_);
  // As many items as pass the slowest station within the promised latency, once every station has told its time; at
  // most twice as many as last time, while the times are still being learnt.
  std::int64_t const slowest = slowest_ns();
  double const wanted = slowest > 0 ? plan_.batch_latency * 1e9 / static_cast<double>(slowest) : 1;
  batch_limits limits;
  limits.items = static_cast<std::size_t>(std::min(wanted, 2.0 * static_cast<double>(last_batch_)));
  if (credits_) limits.items = std::min<std::size_t>(limits.items, credits_->room());
  limits.items = std::max<std::size_t>(1, limits.items);
  limits.bytes = plan_.batch_bytes;
  return {limits, source_items_};
}

std::uint64_t site::source_ran(std::uint64_t first, std::int64_t begin, std::int64_t end, bool trace) {
  std::lock_guard guard(mutex_);
  take_open_batch();
  std::uint64_t const count = source_items_ - first;
  one_worker& caller = workers_.front();
  caller.did.items += count;
  caller.did.batches += count > 0;
  caller.did.busy += static_cast<double>(end - begin) * 1e-9;
  if (trace && count > 0) caller.spans.push_back({0, 0, begin, end, first, static_cast<std::uint32_t>(count)});
  if (count > 0) learn(static_cast<double>(end - begin) / static_cast<double>(count));
  last_batch_ = std::max<std::size_t>(1, count);
  return count;
}

void site::source_rests(producer::state state, agenda& todo) {
  std::lock_guard guard(mutex_);
  source_running_ = false;
  if (state == producer::state::ended) source_ended_ = true;
  pump(todo);
}

std::uint64_t site::source_threw() {
  std::lock_guard guard(mutex_);
  take_open_batch();
  source_running_ = false;
  return source_items_;
}

bool site::flush(double age, agenda& todo) {
  std::lock_guard guard(mutex_);
  bool active = false;
  std::int64_t const opened = producer_->opened_ns();
  if (opened != 0) {
    active = true;
    // While earlier results wait for room, more of them would pass over the credits.
    if (static_cast<double>(record::now_ns() - opened) * 1e-9 >= age && outputs_.empty()) take_open_batch();
  }
  if (std::exchange(source_items_seen_, source_items_) != source_items_) active = true;
  pump(todo);
  return active;
}

void site::batch_done(job const& work, std::unique_ptr<items_base> made, std::size_t count, std::uint64_t bytes,
                      double seconds, agenda& todo) {
  std::lock_guard guard(mutex_);
  weigh(bytes, count, &todo);
  learn(seconds * 1e9 / static_cast<double>(std::max<std::size_t>(1, count)));
  last_item_ = std::max(last_item_, work.input.what.first_item);
  if (!made) {
    idle_.push_back(work.worker);
    depart(work.input.from, todo);
    if (plan_.most_bytes > 0) tell_source(notice::kind::left, work.input.what.first_item, todo);
  } else {
    auto const& in = work.input.what;
    std::uint64_t const sequence = serial_ ? produced_++ : in.sequence;
    outputs_.push_back({parcel{std::move(made), sequence, in.first_item}, work.worker, work.input.from, 0});
  }
  pump(todo);
}

void site::copy_done(crew_job const& work, std::unique_ptr<items_base> made, std::size_t count, std::uint64_t bytes,
                     double seconds, agenda& todo) {
  std::lock_guard guard(mutex_);
  weigh(bytes, count, &todo);
  learn(seconds * 1e9 / static_cast<double>(std::max<std::size_t>(1, count)));
  ask_for_join(crew_->copy_done(work.copy, work.sequence, std::move(made)), todo);
  pump(todo);
}

void site::joined(crew_job const& work, std::unique_ptr<items_base> all, std::uint64_t bytes, agenda& todo) {
  std::lock_guard guard(mutex_);
  weigh(bytes, all->size(), &todo);
  crew_->joined(work.sequence, std::move(all));
  pump(todo);
}

void site::give_rest(std::vector<std::unique_ptr<items_base>> held, agenda& todo) {
  std::lock_guard guard(mutex_);
  for (auto& batch : held)
    outputs_.push_back({parcel{std::move(batch), serial_ ? produced_++ : 0, last_item_}, no_worker, {}, 0});
  rested_ = true;
  pump(todo);
}

void site::finished(agenda& todo) {
  std::lock_guard guard(mutex_);
  for (auto const& out : outlets_)
    todo.notices.push_back({out.rank, {notice::kind::end, static_cast<std::uint32_t>(number_ + 1), out.sent, 0}});
  if (!crew_) return;
  for (int child : crew_->children())
    todo.notices.push_back({child, {notice::kind::end, static_cast<std::uint32_t>(number_), crew_->begun(), 0}});
}

record::station_record site::record() const {
  record::station_record sum = workers_.front().did;
  for (std::size_t w = 1; w < workers_.size(); ++w) {
    auto const& did = workers_[w].did;
    sum.items += did.items;
    sum.batches += did.batches;
    sum.bytes_out += did.bytes_out;
    sum.busy += did.busy;
    sum.blocked += did.blocked;
  }
  sum.workers = static_cast<std::uint32_t>(workers_.size());
  if (producer_) sum.bytes_out = source_bytes_;
  sum.largest_batch = largest_batch_;
  sum.item_bytes = item_bytes_;
  return sum;
}

/// The longest time per item here and downstream [ns]; 0 as long as some of it is not known.
std::int64_t site::slowest_ns() const {
  bool const exit_says = is_entry_ && exit_counts_items_;
  std::int64_t downstream = exit_says ? window_slowest_ns_ : 0;
  bool known = !exit_says || window_slowest_ns_ > 0;
  bool asked = false, answered = false;
  for (outlet const& out : outlets_) {
    if (station_.folds) break;    // others take other items, and fewer
    if (out.unlimited) continue;  // the farm's exit tells the farm's entry
    asked = true;
    answered = answered || out.slowest_ns > 0;
    downstream = std::max(downstream, out.slowest_ns);
  }
  known = known && item_ns_ > 0 && (!asked || answered);
  return known ? std::max({std::int64_t{1}, rounded(item_ns_), downstream}) : 0;
}

double site::pace() const {
  return item_ns_ / static_cast<double>(workers_.size());
}

void site::learn(double ns_per_item) {
  item_ns_ = item_ns_ == 0 ? ns_per_item : item_ns_ + recent * (ns_per_item - item_ns_);
}

/// Notes what a batch made of `items` takes, and tells the source when that is more than before; nullptr: it is here.
void site::weigh(std::uint64_t bytes, std::uint64_t items, agenda* todo) {
  largest_batch_ = std::max(largest_batch_, bytes);
  std::uint64_t const each =
      bytes / std::max<std::uint64_t>(1, items) + (bytes % std::max<std::uint64_t>(1, items) > 0);
  if (each <= item_bytes_) return;
  item_bytes_ = each;
  if (credits_)
    credits_->weigh(each);
  else if (plan_.most_bytes > 0)
    tell_source(notice::kind::weight, each, *todo);
}

void site::tell_source(notice::kind what, std::uint64_t count, agenda& todo) const {
  todo.notices.push_back({plan_.stations.front().ranks.front(), {what, 0, count, 0}});
}

/// On demand: the outlet whose workers have most room each; in turn among equals.
site::outlet* site::pick() {
  outlet* best = nullptr;
  for (std::size_t i = 0; i < outlets_.size(); ++i) {
    outlet& out = outlets_[(next_outlet_ + i) % outlets_.size()];
    if (out.unlimited) return &out;
    if (out.room > 0 && (best == nullptr || out.room * best->workers > best->room * out.workers)) best = &out;
  }
  if (best != nullptr) next_outlet_ = static_cast<std::size_t>(best - outlets_.data()) + 1;
  return best;
}

bool site::input_over() const {
  if (producer_) return source_ended_ && !source_running_;
  return std::all_of(inlets_.begin(), inlets_.end(),
                     [](inlet const& in) { return in.announced && *in.announced == in.received; });
}

/// Moves what the source has produced into its results.
void site::take_open_batch() {
  open_batch open = producer_->take();
  if (!open.items) return;
  std::uint64_t const count = open.items->size();
  source_bytes_ += open.bytes;
  weigh(open.bytes, count, nullptr);
  if (credits_) credits_->enter(source_items_, count);
  outputs_.push_back({parcel{std::move(open.items), produced_++, source_items_}, no_worker, {}, 0});
  source_items_ += count;
}

/// Gives room back for a parcel that has left the station.
void site::depart(int from, agenda& todo) {
  notice back{notice::kind::room, static_cast<std::uint32_t>(number_ - 1), 1, slowest_ns()};
  if (is_exit_) {
    back.what = notice::kind::window;
    back.station = static_cast<std::uint32_t>(entry_station_);
    from = entry_rank_;
  }
  todo.notices.push_back({from, back});
}

/// Sends results for which there is room, and notes since when the others wait.
void site::send_results(agenda& todo) {
  while (!outputs_.empty() && !(is_entry_ && window_ == 0)) {
    outlet* const out = pick();
    if (out == nullptr) break;
    result done = std::move(outputs_.front());
    outputs_.pop_front();
    ++out->sent;
    if (!out->unlimited) --out->room;
    if (is_entry_) --window_;
    if (done.since_ns != 0) {
      auto& did = workers_[done.worker == no_worker ? 0 : done.worker].did;
      did.blocked += static_cast<double>(record::now_ns() - done.since_ns) * 1e-9;
    }
    if (done.worker != no_worker) idle_.push_back(done.worker);
    if (done.from) depart(*done.from, todo);
    todo.sends.push_back({this, out->rank, out->here, std::move(done.what)});
  }
  if (!outputs_.empty() && outputs_.back().since_ns == 0) {
    std::int64_t const now = record::now_ns();
    for (auto& waiting : outputs_)
      if (waiting.since_ns == 0) waiting.since_ns = now;
  }
}

void site::ask_for_join(std::optional<crew_job> work, agenda& todo) {
  if (work) todo.jobs.push_back({job::kind::join, this, no_worker, {}, *std::move(work)});
}

/// What all copies here and below have made: to the next station from the root, up the tree from the others.
void site::take_joint_results(agenda& todo) {
  while (auto done = crew_->next_result()) {
    auto& [what, from] = *done;
    if (auto const parent = crew_->parent())
      todo.posts.push_back({this, *parent, {std::move(what.items), what.sequence, what.first_item, true}});
    else
      outputs_.push_back({std::move(what), no_worker, from, 0});
  }
}

void site::begin_for_copies(agenda& todo) {
  while (!ready_.empty() && (crew_->parent() || crew_->has_room(outputs_.size()))) {
    auto const shown = crew_->begin(std::move(ready_.front().what), ready_.front().from);
    ready_.pop_front();
    for (int child : crew_->children()) todo.posts.push_back({this, child, shown});
  }
  while (auto work = crew_->next_for_copies()) {
    std::size_t const copy = work->copy;
    todo.jobs.push_back({job::kind::copy, this, copy, {}, *std::move(work)});
  }
}

/// Does everything that has become possible.
void site::pump(agenda& todo) {
  if (stopping()) return;
  if (crew_) take_joint_results(todo);
  send_results(todo);
  if (crew_) begin_for_copies(todo);
  while (!crew_ && !ready_.empty() && !idle_.empty()) {
    todo.jobs.push_back({job::kind::batch, this, idle_.back(), std::move(ready_.front()), {}, pace()});
    idle_.pop_back();
    ready_.pop_front();
  }
  bool const may_enter = !credits_ || credits_->room() > 0;
  if (producer_ && !source_running_ && !source_ended_ && outputs_.empty() && may_enter) {
    source_running_ = true;
    todo.jobs.push_back({job::kind::source, this, no_worker, {}, {}, pace()});
  }
  bool const at_rest = producer_ || (crew_ ? crew_->idle() : idle_.size() == workers_.size());
  bool const quiet = outputs_.empty() && ready_.empty() && early_.empty() && at_rest;
  if (station_.folds && !resting_ && quiet && input_over()) {
    resting_ = true;
    todo.jobs.push_back({job::kind::rest, this, no_worker, {}, {}});
  }
  if (!finishing_ && (rested_ || !station_.folds) && quiet && input_over()) {
    finishing_ = true;
    todo.jobs.push_back({job::kind::finish, this, no_worker, {}, {}});
  }
}

}  // namespace skel::runtime
