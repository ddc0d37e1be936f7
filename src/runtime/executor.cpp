#include <skel/runtime/executor.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <skel/base/contract.hpp>
#include <skel/record/clock.hpp>

namespace skel::runtime {

namespace {

constexpr std::size_t no_worker = static_cast<std::size_t>(-1);

/// Weight of a new sample in the running mean of a station's time per item: the last eight batches or so count.
constexpr double recent = 1.0 / 8;

std::int64_t rounded(double ns) {
  return static_cast<std::int64_t>(std::llround(ns));
}

}  // namespace

/// One station's workers on this rank, and everything that waits for them. `mutex` guards all that is not said to
/// belong to the thread that runs a worker. No two sites are ever locked at once.
struct executor::site {
  struct one_worker {
    std::unique_ptr<worker> call;  // these three by the thread that runs it
    record::station_record did;
    std::vector<record::span> spans;
  };
  struct outlet {
    int rank = 0;
    site* here = nullptr;  // nullptr: on another rank
    std::size_t workers = 1;
    std::size_t room = 0;
    bool unlimited = false;  // the exit of an ordered farm takes whatever comes; the farm's window bounds it
    std::uint64_t sent = 0;
    std::int64_t slowest_ns = 0;
  };
  struct inlet {
    int rank = 0;
    std::uint64_t received = 0;
    std::optional<std::uint64_t> announced;  // how many there will be in all
  };
  struct arrival {
    parcel what;
    int from = 0;
  };
  struct result {
    parcel what;
    std::size_t worker = no_worker;  // held until there is room
    int from = 0;                    // who gets room back when it has left
    std::int64_t since_ns = 0;       // waiting for room since; 0: not yet
  };

  std::size_t station = 0;
  std::string const* name = nullptr;
  bool serial = false;
  bool in_order = false;  // takes parcels by their sequence
  bool is_sink = false;
  site* upstream = nullptr;  // the station before, on this rank

  std::mutex mutex;
  std::unique_ptr<producer> produce;
  std::vector<one_worker> workers;
  std::vector<std::size_t> idle;
  std::deque<arrival> ready;
  std::map<std::uint64_t, arrival> early;
  std::uint64_t expected = 0;
  std::deque<result> outputs;
  std::uint64_t produced = 0;  // parcels, by a serial station

  std::vector<outlet> outlets;
  std::vector<inlet> inlets;
  std::size_t next_outlet = 0;

  bool is_entry = false;  // of an ordered farm
  std::size_t window = 0;
  std::int64_t window_slowest_ns = 0;
  bool is_exit = false;
  std::size_t entry_station = 0;
  int entry_rank = 0;

  double item_ns = 0;  // running mean of the time per item

  std::uint64_t source_items = 0, source_items_seen = 0;
  std::uint64_t source_bytes = 0;
  std::size_t last_batch = 0;
  bool source_running = false, source_ended = false;
  bool finishing = false;

  /// The longest time per item here and downstream [ns]; 0 as long as some of it is not known.
  std::int64_t slowest_ns() const {
    std::int64_t downstream = is_entry ? window_slowest_ns : 0;
    bool known = !is_entry || window_slowest_ns > 0;
    bool asked = false, answered = false;
    for (outlet const& out : outlets) {
      if (out.unlimited) continue;  // the farm's exit tells the farm's entry
      asked = true;
      answered = answered || out.slowest_ns > 0;
      downstream = std::max(downstream, out.slowest_ns);
    }
    known = known && item_ns > 0 && (!asked || answered);
    return known ? std::max({std::int64_t{1}, rounded(item_ns), downstream}) : 0;
  }

  void learn(double ns_per_item) { item_ns = item_ns == 0 ? ns_per_item : item_ns + recent * (ns_per_item - item_ns); }

  /// On demand: the outlet whose workers have most room each; in turn among equals.
  outlet* pick() {
    outlet* best = nullptr;
    for (std::size_t i = 0; i < outlets.size(); ++i) {
      outlet& out = outlets[(next_outlet + i) % outlets.size()];
      if (out.unlimited) return &out;
      if (out.room > 0 && (best == nullptr || out.room * best->workers > best->room * out.workers)) best = &out;
    }
    if (best != nullptr) next_outlet = static_cast<std::size_t>(best - outlets.data()) + 1;
    return best;
  }

  bool input_over() const {
    if (produce) return source_ended && !source_running;
    return std::all_of(inlets.begin(), inlets.end(),
                       [](inlet const& in) { return in.announced && *in.announced == in.received; });
  }
};

struct executor::job {
  enum class kind { source, batch, finish };
  kind what = kind::batch;
  site* here = nullptr;
  std::size_t worker = no_worker;
  site::arrival input;
};

/// What a change of one site asks of others; carried out when no lock is held.
struct executor::agenda {
  struct sending {
    site* from;
    std::size_t outlet;
    parcel what;
  };
  struct telling {
    int rank;
    notice what;
  };
  std::vector<sending> sends;
  std::vector<telling> notices;
  std::vector<job> jobs;
};

executor::executor(program const& line, plan::run_plan const& plan, int rank, link_layer& links, events on, bool trace,
                   std::uint64_t first_item)
    : line_(line), plan_(plan), rank_(rank), links_(links), on_(std::move(on)), trace_(trace) {
  SKEL_EXPECTS(line.size() == plan.stations.size());
  SKEL_EXPECTS(line.size() >= 2);
  by_station_.resize(line.size(), nullptr);
  std::size_t threads = 0;
  for (std::size_t s = 0; s < line.size(); ++s) {
    SKEL_EXPECTS(!plan.stations[s].ranks.empty());
    SKEL_EXPECTS(line.stations[s].replicable || plan.stations[s].ranks.size() == 1);
    auto const here =
        static_cast<std::size_t>(std::count(plan.stations[s].ranks.begin(), plan.stations[s].ranks.end(), rank));
    if (here > 0) build_site(s, here);
    threads += here;
  }
  for (auto& here : sites_) {
    for (auto& out : here->outlets)
      if (out.rank == rank_) out.here = by_station_[here->station + 1];
    if (here->station > 0) here->upstream = by_station_[here->station - 1];
  }
  if (by_station_[0] != nullptr) by_station_[0]->source_items = by_station_[0]->source_items_seen = first_item;
  open_sites_ = sites_.size();
  lanes_ = std::make_unique<lanes>(std::max<std::size_t>(1, threads), [this] { drain(); });
}

executor::~executor() {
  stop();
  lanes_->wait_idle();
}

void executor::build_site(std::size_t station, std::size_t workers) {
  auto made = std::make_unique<site>();
  site& here = *made;
  auto const& stations = line_.stations;
  here.station = station;
  here.name = &stations[station].notes.name;
  here.serial = !stations[station].replicable;
  here.is_sink = station + 1 == line_.size();

  if (station == 0) {
    here.produce = stations[0].make_producer();
    workers = 1;
  }
  here.workers.resize(workers);
  for (std::size_t w = 0; w < workers; ++w) {
    if (station > 0) here.idle.push_back(w);  // the copy is made when it is first needed, where it may throw
    here.workers[w].did.station = static_cast<std::uint32_t>(station);
    here.workers[w].did.name = *here.name;
    here.workers[w].did.rank = rank_;
  }

  if (station > 0) {
    for (auto const& [rank, count] : flow_control::sites(plan_.stations[station - 1]))
      here.inlets.push_back({rank, 0, {}});
    here.in_order = here.serial;
    if (here.serial && stations[station - 1].replicable) {
      auto const farm = flow_control::region_around(line_, station - 1);
      here.in_order = here.is_exit = farm.ordered;
      here.entry_station = farm.entry;
      here.entry_rank = plan_.stations[farm.entry].ranks.front();
    }
  }
  if (!here.is_sink) {
    auto const producers = flow_control::sites(plan_.stations[station]);
    auto const me = static_cast<std::size_t>(
        std::find_if(producers.begin(), producers.end(), [this](auto const& p) { return p.first == rank_; }) -
        producers.begin());
    bool const into_exit = stations[station].replicable && !stations[station + 1].replicable &&
                           flow_control::region_around(line_, station).ordered;
    auto const consumers = flow_control::sites(plan_.stations[station + 1]);
    for (std::size_t c = 0; c < consumers.size(); ++c) {
      site::outlet out;
      out.rank = consumers[c].first;
      out.workers = consumers[c].second;
      out.room = flow_control::room(plan_.stations[station + 1], c, producers.size(), me);
      out.unlimited = into_exit;
      here.outlets.push_back(out);
    }
    if (here.serial && stations[station + 1].replicable) {
      auto const farm = flow_control::region_around(line_, station + 1);
      here.is_entry = farm.ordered;
      here.window = flow_control::window(plan_, farm);
    }
  }
  by_station_[station] = made.get();
  sites_.push_back(std::move(made));
}

void executor::start() {
  if (by_station_[0] == nullptr) return;
  agenda todo;
  {
    std::lock_guard guard(by_station_[0]->mutex);
    pump(*by_station_[0], todo);
  }
  perform(todo, nullptr);
}

void executor::receive(std::uint32_t station, int from, parcel what) {
  SKEL_EXPECTS(station < by_station_.size() && by_station_[station] != nullptr);
  agenda todo;
  deliver(*by_station_[station], from, std::move(what), todo);
  perform(todo, nullptr);
}

void executor::receive(int from, notice const& what) {
  SKEL_EXPECTS(what.station < by_station_.size() && by_station_[what.station] != nullptr);
  agenda todo;
  hear(*by_station_[what.station], from, what, todo);
  perform(todo, nullptr);
}

bool executor::flush_source(bool last_look) {
  site* here = by_station_[0];
  if (here == nullptr || stopping()) return false;
  if (last_look) watch_asleep_.store(true);
  agenda todo;
  bool active = false;
  {
    std::lock_guard guard(here->mutex);
    std::int64_t const opened = here->produce->opened_ns();
    if (opened != 0) {
      active = true;
      double const age = static_cast<double>(record::now_ns() - opened) * 1e-9;
      // While earlier results wait for room, more of them would pass over the credits.
      if (age >= plan_.batch_latency / 2 && here->outputs.empty()) take_open_batch(*here);
    }
    if (std::exchange(here->source_items_seen, here->source_items) != here->source_items) active = true;
    pump(*here, todo);
  }
  perform(todo, nullptr);
  return active;
}

void executor::stop() {
  stopping_.store(true);
}

void executor::wait_idle() {
  lanes_->wait_idle();
}

std::optional<failure> executor::first_failure() const {
  std::lock_guard guard(failure_mutex_);
  return failure_;
}

std::vector<record::station_record> executor::records() const {
  std::vector<record::station_record> all;
  for (auto const& here : sites_) {
    record::station_record sum = here->workers.front().did;
    for (std::size_t w = 1; w < here->workers.size(); ++w) {
      auto const& did = here->workers[w].did;
      sum.items += did.items;
      sum.batches += did.batches;
      sum.bytes_out += did.bytes_out;
      sum.busy += did.busy;
      sum.blocked += did.blocked;
    }
    sum.workers = static_cast<std::uint32_t>(here->workers.size());
    if (here->produce) sum.bytes_out = here->source_bytes;
    all.push_back(std::move(sum));
  }
  return all;
}

std::vector<record::span> executor::take_spans() {
  std::vector<record::span> all;
  for (auto const& here : sites_)
    for (auto& one : here->workers) all.insert(all.end(), one.spans.begin(), one.spans.end());
  return all;
}

/// Carries out what sites ask of each other until only jobs are left. Those go to the lanes, except the one furthest
/// down the line, which the calling lane keeps: its batch is in the cache.
void executor::perform(agenda& todo, std::optional<job>* keep) {
  while (!todo.sends.empty() || !todo.notices.empty()) {
    for (auto& sending : std::exchange(todo.sends, {})) {
      auto& out = sending.from->outlets[sending.outlet];
      if (out.here != nullptr)
        deliver(*out.here, rank_, std::move(sending.what), todo);
      else
        send(*sending.from, out.rank, std::move(sending.what));
    }
    for (auto const& telling : std::exchange(todo.notices, {})) {
      if (telling.rank == rank_)
        hear(*by_station_[telling.what.station], rank_, telling.what, todo);
      else
        links_.send(telling.rank, telling.what);
    }
  }
  if (todo.jobs.empty()) return;
  if (keep != nullptr) {
    auto const best = std::max_element(todo.jobs.begin(), todo.jobs.end(),
                                       [](job const& a, job const& b) { return a.here->station < b.here->station; });
    *keep = std::move(*best);
    todo.jobs.erase(best);
  }
  if (todo.jobs.empty()) return;
  std::size_t const count = todo.jobs.size();
  {
    std::lock_guard guard(jobs_mutex_);
    for (job& work : todo.jobs) jobs_.push_back(std::move(work));
  }
  todo.jobs.clear();
  for (std::size_t i = 0; i < count; ++i) lanes_->wake();
}

/// Turning items into bytes calls the user's serializers, which may throw.
void executor::send(site const& from, int rank, parcel what) {
  std::uint64_t const item = what.first_item;
  std::size_t const consumer = from.station + 1;
  try {
    links_.send(rank, static_cast<std::uint32_t>(consumer), std::move(what), *line_.stations[consumer].input);
  } catch (...) {
    fail(from, item, false);
  }
}

void executor::refuse(std::uint32_t station, std::uint64_t item) {
  SKEL_EXPECTS(station < by_station_.size() && by_station_[station] != nullptr);
  fail(*by_station_[station], item, false);
}

void executor::drain() {
  std::optional<job> current;
  agenda todo;
  for (;;) {
    if (!current) {
      std::lock_guard guard(jobs_mutex_);
      if (jobs_.empty()) return;
      current = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job work = *std::exchange(current, std::nullopt);
    run(work, todo);
    perform(todo, &current);
  }
}

void executor::run(job& work, agenda& todo) {
  switch (work.what) {
    case job::kind::source:
      return run_source(*work.here, todo);
    case job::kind::batch:
      return run_batch(work, todo);
    case job::kind::finish:
      return run_finish(*work.here, todo);
  }
}

void executor::run_source(site& here, agenda& todo) {
  batch_limits limits;
  std::uint64_t items_before = 0;
  {
    std::lock_guard guard(here.mutex);
    // As many items as pass the slowest station within the promised latency, once every station has told its time; at
    // most twice as many as last time, while the times are still being learnt.
    std::int64_t const slowest = here.slowest_ns();
    double const wanted = slowest > 0 ? plan_.batch_latency * 1e9 / static_cast<double>(slowest) : 1;
    limits.items = static_cast<std::size_t>(std::min(wanted, 2.0 * static_cast<double>(here.last_batch)));
    limits.items = std::max<std::size_t>(1, limits.items);
    limits.bytes = plan_.batch_bytes;
    items_before = here.source_items;
  }
  std::int64_t const begin = record::now_ns();
  if (first_ns_ == 0) first_ns_ = begin;
  auto state = producer::state::stopped;
  try {
    state = here.produce->fill(limits, stopping_, [this] {
      if (watch_asleep_.load(std::memory_order_relaxed) && watch_asleep_.exchange(false)) on_.stirred();
    });
  } catch (...) {
    std::uint64_t item = 0;
    {
      std::lock_guard guard(here.mutex);
      take_open_batch(here);
      item = here.source_items;
      here.source_running = false;
    }
    return fail(here, item, false);
  }
  std::int64_t const end = record::now_ns();

  std::lock_guard guard(here.mutex);
  take_open_batch(here);
  std::uint64_t const count = here.source_items - items_before;
  auto& one = here.workers.front();
  one.did.items += count;
  one.did.batches += count > 0;
  one.did.busy += static_cast<double>(end - begin) * 1e-9;
  if (trace_ && count > 0) one.spans.push_back({0, 0, begin, end, items_before, static_cast<std::uint32_t>(count)});
  if (count > 0) here.learn(static_cast<double>(end - begin) / static_cast<double>(count));
  here.last_batch = std::max<std::size_t>(1, count);
  here.source_running = false;
  if (state == producer::state::ended) here.source_ended = true;
  pump(here, todo);
}

/// Moves what the source has produced into its results. Caller holds the lock.
void executor::take_open_batch(site& here) {
  open_batch open = here.produce->take();
  if (!open.items) return;
  std::uint64_t const count = open.items->size();
  here.source_bytes += open.bytes;
  here.outputs.push_back({parcel{std::move(open.items), here.produced++, here.source_items}, no_worker, 0, 0});
  here.source_items += count;
}

void executor::run_batch(job& work, agenda& todo) {
  if (stopping()) return;
  site& here = *work.here;
  auto& one = here.workers[work.worker];
  parcel& in = work.input.what;
  std::size_t const count = in.items->size();
  std::size_t position = 0;
  std::unique_ptr<items_base> out;
  std::int64_t const begin = record::now_ns();
  try {
    if (!one.call) one.call = line_.stations[here.station].make_worker();
    out = one.call->process(std::move(in.items), position, one.did.bytes_out);
  } catch (...) {
    return fail(here, in.first_item + position, false);
  }
  std::int64_t const end = record::now_ns();
  one.did.items += count;
  one.did.batches += 1;
  one.did.busy += static_cast<double>(end - begin) * 1e-9;
  if (trace_)
    one.spans.push_back({static_cast<std::uint32_t>(here.station), static_cast<std::uint32_t>(work.worker), begin, end,
                         in.first_item, static_cast<std::uint32_t>(count)});

  std::lock_guard guard(here.mutex);
  here.learn(static_cast<double>(end - begin) / static_cast<double>(count));
  if (here.is_sink) {
    items_finished_.fetch_add(count, std::memory_order_relaxed);
    last_ns_.store(end, std::memory_order_relaxed);
    here.idle.push_back(work.worker);
    depart(here, work.input.from, todo);
  } else {
    std::uint64_t const sequence = here.serial ? here.produced++ : in.sequence;
    here.outputs.push_back({parcel{std::move(out), sequence, in.first_item}, work.worker, work.input.from, 0});
  }
  pump(here, todo);
}

void executor::run_finish(site& here, agenda& todo) {
  if (stopping()) return;
  try {
    if (here.produce) here.produce->finish();
    for (auto& one : here.workers) {
      if (!one.call && !here.produce) one.call = line_.stations[here.station].make_worker();
      if (one.call) one.call->finish();
    }
  } catch (...) {
    std::uint64_t items = 0;
    for (auto& one : here.workers) items += one.did.items;
    return fail(here, items, true);
  }
  last_ns_.store(record::now_ns(), std::memory_order_relaxed);
  {
    std::lock_guard guard(here.mutex);
    for (auto const& out : here.outlets) {
      notice end{notice::kind::end, static_cast<std::uint32_t>(here.station + 1), out.sent, 0};
      todo.notices.push_back({out.rank, end});
    }
  }
  if (open_sites_.fetch_sub(1) == 1) {
    perform(todo, nullptr);
    on_.finished();
  }
}

void executor::deliver(site& here, int from, parcel what, agenda& todo) {
  std::lock_guard guard(here.mutex);
  for (auto& in : here.inlets)
    if (in.rank == from) ++in.received;
  if (stopping()) return;
  if (!here.in_order) {
    here.ready.push_back({std::move(what), from});
  } else if (what.sequence != here.expected) {
    std::uint64_t const sequence = what.sequence;
    here.early.emplace(sequence, site::arrival{std::move(what), from});
  } else {
    here.ready.push_back({std::move(what), from});
    ++here.expected;
    for (auto next = here.early.begin(); next != here.early.end() && next->first == here.expected;
         next = here.early.erase(next), ++here.expected)
      here.ready.push_back(std::move(next->second));
  }
  pump(here, todo);
}

void executor::hear(site& here, int from, notice const& what, agenda& todo) {
  std::lock_guard guard(here.mutex);
  switch (what.what) {
    case notice::kind::room:
      for (auto& out : here.outlets)
        if (out.rank == from) out.room += what.count, out.slowest_ns = what.slowest_item_ns;
      break;
    case notice::kind::window:
      here.window += what.count;
      here.window_slowest_ns = what.slowest_item_ns;
      break;
    case notice::kind::end:
      for (auto& in : here.inlets)
        if (in.rank == from) in.announced = what.count;
      break;
  }
  pump(here, todo);
}

/// Gives room back for a parcel that has left the station. Caller holds the lock.
void executor::depart(site& here, int from, agenda& todo) {
  notice back{notice::kind::room, static_cast<std::uint32_t>(here.station - 1), 1, here.slowest_ns()};
  if (here.is_exit) {
    back.what = notice::kind::window;
    back.station = static_cast<std::uint32_t>(here.entry_station);
    from = here.entry_rank;
  }
  todo.notices.push_back({from, back});
}

/// Does everything that has become possible at a site. Caller holds the lock.
void executor::pump(site& here, agenda& todo) {
  if (stopping()) return;
  while (!here.outputs.empty() && !(here.is_entry && here.window == 0)) {
    auto* const out = here.pick();
    if (out == nullptr) break;
    site::result result = std::move(here.outputs.front());
    here.outputs.pop_front();
    ++out->sent;
    if (!out->unlimited) --out->room;
    if (here.is_entry) --here.window;
    if (result.since_ns != 0) {
      auto& did = here.workers[result.worker == no_worker ? 0 : result.worker].did;
      did.blocked += static_cast<double>(record::now_ns() - result.since_ns) * 1e-9;
    }
    if (result.worker != no_worker) {
      here.idle.push_back(result.worker);
      depart(here, result.from, todo);
    }
    todo.sends.push_back({&here, static_cast<std::size_t>(out - here.outlets.data()), std::move(result.what)});
  }
  if (!here.outputs.empty() && here.outputs.back().since_ns == 0) {
    std::int64_t const now = record::now_ns();
    for (auto& waiting : here.outputs)
      if (waiting.since_ns == 0) waiting.since_ns = now;
  }
  while (!here.ready.empty() && !here.idle.empty()) {
    todo.jobs.push_back({job::kind::batch, &here, here.idle.back(), std::move(here.ready.front())});
    here.idle.pop_back();
    here.ready.pop_front();
  }
  if (here.produce && !here.source_running && !here.source_ended && here.outputs.empty()) {
    here.source_running = true;
    todo.jobs.push_back({job::kind::source, &here, no_worker, {}});
  }
  bool const quiet = here.outputs.empty() && here.ready.empty() && here.early.empty() &&
                     (here.produce || here.idle.size() == here.workers.size());
  if (!here.finishing && quiet && here.input_over()) {
    here.finishing = true;
    todo.jobs.push_back({job::kind::finish, &here, no_worker, {}});
  }
}

void executor::fail(site const& here, std::uint64_t item, bool in_finish) {
  failure what = describe_failure(*here.name, item, in_finish, rank_);
  {
    std::lock_guard guard(failure_mutex_);
    if (!failure_ || what.item < failure_->item) failure_ = std::move(what);
  }
  stop();
  on_.failed();
}

}  // namespace skel::runtime
