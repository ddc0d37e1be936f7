#include <skel/runtime/run_line.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>

#include <sched.h>

#include <skel/record/clock.hpp>
#include <skel/record/throughput_watch.hpp>
#include <skel/runtime/archive.hpp>
#include <skel/runtime/executor.hpp>
#include <skel/runtime/flow_control.hpp>

#include "mpi_links.hpp"

namespace skel::record {

template <class Archive>
void serialize(Archive& archive, station_record& r) {
  archive(r.station, r.name, r.rank, r.workers, r.items, r.batches, r.bytes_out, r.largest_batch, r.item_bytes, r.busy,
          r.blocked);
}

template <class Archive>
void serialize(Archive& archive, span& s) {
  archive(s.station, s.worker, s.begin, s.end, s.first_item, s.items);
}

template <class Archive>
void serialize(Archive& archive, throughput_forecast& f) {
  archive(f.item, f.seconds, f.rate, f.low, f.high, f.drifts, f.why, f.items, f.lasted);
}

}  // namespace skel::record

namespace skel::runtime {

namespace {

/// The communication thread does not look after the source more often than this [s]: it would keep a core busy.
constexpr double shortest_watch = 5e-5;

/// How long the items of a first look at the throughput take at least [s]: a look takes less than a thousandth of it,
/// and a forecast that does not hold falls after some hundredths of a second. Later ones take as long as the watch
/// says.
constexpr double first_look_period = 1e-3;

/// The station whose items are counted. A reduce gives fewer than it takes: what the source gave counts then.
std::size_t counted_station(program const& line) {
  bool const folds = std::any_of(line.stations.begin(), line.stations.end(), [](station const& s) { return s.folds; });
  return folds ? 0 : line.size() - 1;
}

/// For a run of one rank: there is nobody to send to.
class no_links final : public link_layer {
 public:
  void send(int, std::uint32_t, posted, codec const&) override {}
  void send(int, notice const&) override {}
};

/// What one rank tells the others when it has come to rest.
struct closing {
  std::vector<record::station_record> stations;
  std::vector<record::span> spans;
  std::vector<record::throughput_forecast> forecasts;
  std::uint64_t items = 0, most_items = 0;
  std::int64_t begin_ns = 0, first_ns = 0, last_ns = 0, over_ns = 0;
  bool interrupted = false;
  std::optional<failure> failed;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(stations, spans, forecasts, items, most_items, begin_ns, first_ns, last_ns, over_ns, interrupted, failed);
  }
};

std::vector<closing> exchange(communicator const& ranks, closing const& mine) {
  if (ranks.size() == 1) return {mine};
  std::vector<closing> all;
  for (std::string const& bytes : ranks.all_gather(to_bytes(mine))) all.push_back(from_bytes<closing>(bytes));
  return all;
}

}  // namespace

void check_plan(program const& line, plan::run_plan const& plan, int ranks) {
  auto const refuse = [](std::string const& why) { throw error("the plan does not fit the program: " + why); };
  if (plan.stations.size() != line.size())
    refuse("it has " + std::to_string(plan.stations.size()) + " stations, the program has " +
           std::to_string(line.size()) + " (source and sink count)");
  if (!(plan.batch_latency > 0) || !std::isfinite(plan.batch_latency) || plan.batch_bytes == 0 ||
      plan.reorder_factor == 0)
    refuse("batch_latency, batch_bytes and reorder_factor must be positive, and batch_latency finite");
  for (std::size_t s = 0; s < line.size(); ++s) {
    auto const& at = plan.stations[s].ranks;
    std::string const name = "station '" + line.stations[s].notes.name + "' ";
    if (at.empty()) refuse(name + "has no worker");
    if (!line.stations[s].replicable && !line.stations[s].copies && at.size() > 1)
      refuse(name + "is not a farm and has " + std::to_string(at.size()) + " workers");
    if (line.stations[s].copies) try {
        flow_control::copy_tree(plan.stations[s]);
      } catch (error const& e) {
        refuse(name + "cannot be run: " + e.what());
      }
    for (int rank : at)
      if (rank < 0 || rank >= ranks)
        refuse(name + "is on rank " + std::to_string(rank) + " of " + std::to_string(ranks));
    bool const stays = s == 0 || line.stations[s].input != nullptr;
    auto const all_on = [](std::vector<int> const& list, int rank) {
      return std::all_of(list.begin(), list.end(), [rank](int r) { return r == rank; });
    };
    if (!stays && !(all_on(at, at.front()) && all_on(plan.stations[s - 1].ranks, at.front())))
      refuse("items that cannot be sent (no skel::serializer of their type, or of one inside it) would have to reach " +
             name + "from another rank");
  }
  // Sites compare a station's credits times its neighbour's workers.
  std::size_t workers = 0, widest = 0;
  for (auto const& station : plan.stations)
    workers += station.ranks.size(), widest = std::max(widest, station.capacity);
  std::size_t const most = std::numeric_limits<std::size_t>::max() / workers;
  if (flow_control::most_parcels(line, plan) > most)
    refuse("it lets more than " + std::to_string(most) +
           " batches be under way, which cannot be counted: lower its reorder_factor (" +
           std::to_string(plan.reorder_factor) + ") or the capacity of its stations (up to " + std::to_string(widest) +
           ")");
}

namespace {

/// The communication thread's part of a run.
class conductor {
 public:
  conductor(program const& line, plan::run_plan const& plan, communicator const& ranks, run_options const& options)
      : plan_(plan),
        ranks_(ranks),
        options_(options),
        bell_(ranks.bell()),
        links_(ranks.size() > 1 ? std::make_unique<mpi_links>(ranks, line, plan) : nullptr),
        sink_here_(plan.stations.back().ranks.front() == ranks.rank()),
        counts_here_(plan.stations[counted_station(line)].ranks.front() == ranks.rank()),
        throughput_(expected_from(options), first_look_period / 2, options.between_stretches),
        executor_(line, plan, ranks.rank(), links_ ? static_cast<link_layer&>(*links_) : none_,
                  {[this] { finished_.store(true), bell_.ring(); }, [this] { failed_.store(true), bell_.ring(); },
                   [this] { stirred_.store(true), bell_.ring(); },
                   [this](std::uint64_t items, std::int64_t end) { return look_at_throughput(items, end); }},
                  options.trace, options.first_item, counted_station(line)) {
    if (!executor_.hosts_anything()) finished_ = true;
  }

  closing run() {
    begin_ns_ = record::now_ns();
    begin_ = static_cast<double>(begin_ns_) * 1e-9;
    if (!asked_to_stop()) executor_.start();
    loop();
    over_ns_ = record::now_ns();
    executor_.stop();
    executor_.wait_idle();
    if (links_) links_->drain(executor_);
    return close();
  }

 private:
  bool asked_to_stop() const {
    return options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed);
  }

  /// Serves messages, the source's watch and the clock until the run is over.
  void loop() {
    bool told = false;
    for (;;) {
      if (asked_to_stop()) interrupted_ = true;
      if (failed_.load() || interrupted_) {
        executor_.stop();
        if (links_) {
          links_->tell_all_stop();
          links_->progress(executor_);  // the others stop while this rank waits for its own functions
        }
        return;
      }
      if (links_ && links_->heard_stop()) return;
      if (finished_.load()) {
        if (!links_) return;
        if (sink_here_ && !told) links_->tell_all_finished();
        told = true;
        // The sink's end is the end of the stream: every other station ended before it.
        if (sink_here_ || links_->heard_finished()) return;
      }
      if (links_ && links_->progress(executor_)) {
        report_progress(record::now());  // there may be no end of messages
        continue;
      }
      double const pause = watch();
      bell_.drowse();
      if (something_to_do())
        bell_.awake();
      else
        bell_.sleep(pause);
    }
  }

  bool something_to_do() {
    bool const flags =
        failed_.load() || (finished_.load() && (!links_ || sink_here_)) || (stirred_.load() && watch_off_);
    return flags || (links_ && (!links_->outbox_empty() || links_->progress(executor_)));
  }

  /// Looks after everything that happens by the clock and says how long the thread may sleep [s].
  double watch() {
    double const now = record::now();
    report_progress(now);
    double pause = longest_pause();
    if (options_.progress && counts_here_) pause = std::min(pause, next_progress_ - now);
    if (stirred_.exchange(false)) watch_off_ = false;
    if (!watch_off_) {
      double const period = std::max(plan_.batch_latency / 2, shortest_watch);
      if (now >= next_flush_) {
        bool active = executor_.flush_source(false);
        if (!active && ++silent_looks_ >= 2) active = executor_.flush_source(true), watch_off_ = !active;
        if (active) silent_looks_ = 0;
        next_flush_ = now + period;
      }
      if (!watch_off_) pause = std::min(pause, std::max(1e-6, next_flush_ - now));
    }
    return pause;
  }

  /// In a lane: so many items have passed by then [ns]. When the next look is due [ns].
  std::int64_t look_at_throughput(std::uint64_t items, std::int64_t end) {
    std::lock_guard guard(throughput_mutex_);
    throughput_.look(static_cast<double>(end) * 1e-9 - begin_, items);
    return end + static_cast<std::int64_t>(std::max(first_look_period, throughput_.length()) * 1e9);
  }

  void report_progress(double now) {
    if (!options_.progress || !counts_here_ || now < next_progress_) return;
    if (next_progress_ > 0) options_.progress(executor_.items_passed(), now - begin_, standing());
    next_progress_ = now + 1.0;
  }

  record::throughput_forecast standing() {
    std::lock_guard guard(throughput_mutex_);
    return throughput_.standing();
  }

  static record::throughput_forecast expected_from(run_options const& options) {
    record::throughput_forecast first = options.expected;
    first.item = options.first_item;
    return first;
  }

  double longest_pause() const {
    if (!links_) return 0.05;
    if (links_->transferring()) return 2e-5;  // only looking completes a transfer
    return ranks_.all_ring() ? 0.01 : 1e-3;
  }

  closing close() {
    closing mine;
    mine.stations = executor_.records();
    if (options_.trace) mine.spans = executor_.take_spans();
    mine.items = executor_.items_passed();
    mine.most_items = executor_.most_items();
    if (counts_here_) mine.forecasts = throughput_.forecasts();
    mine.begin_ns = begin_ns_;
    mine.first_ns = executor_.first_ns();
    mine.last_ns = executor_.last_ns();
    mine.over_ns = over_ns_;
    mine.interrupted = interrupted_;
    mine.failed = executor_.first_failure();
    return mine;
  }

  plan::run_plan const& plan_;
  communicator const& ranks_;
  run_options const& options_;
  doorbell bell_;
  no_links none_;
  std::unique_ptr<mpi_links> links_;
  bool sink_here_, counts_here_;
  std::mutex throughput_mutex_;
  record::throughput_watch throughput_;  // what lanes look at
  std::atomic<bool> finished_{false}, failed_{false}, stirred_{false};
  bool interrupted_ = false;
  executor executor_;

  std::int64_t begin_ns_ = 0, over_ns_ = 0;
  double begin_ = 0, next_progress_ = 0, next_flush_ = 0;
  int silent_looks_ = 0;
  bool watch_off_ = true;
};

}  // namespace

record::run_record run_line(program const& line, plan::run_plan const& plan, communicator const& ranks,
                            run_options const& options) {
  check_plan(line, plan, ranks.size());
  conductor here(line, plan, ranks, options);
  closing const mine = here.run();
  std::vector<closing> const all = exchange(ranks, mine);

  // The earliest item that failed is the one that everybody reports; the exception itself is known to its rank.
  failure const* first = nullptr;
  bool interrupted = false;
  for (closing const& one : all) {
    interrupted = interrupted || one.interrupted;
    if (one.failed && (first == nullptr || one.failed->item < first->item)) first = &*one.failed;
  }
  if (first != nullptr) throw_failure(first->rank == ranks.rank() ? *mine.failed : *first);
  if (interrupted)
    throw cancelled("the run was cancelled before its stream had ended; items that a sink had taken by then are done");

  record::run_record result;
  result.hosts = ranks.hosts();
  for (station const& s : line.stations) result.names.push_back(s.notes.name);
  result.most_batches = flow_control::most_parcels(line, plan);
  result.batch_bytes = plan.batch_bytes;
  result.memory_limit = plan.most_bytes;
  result.places = flow_control::most_places(line, plan);
  for (closing const& one : all) {
    result.items += one.items;
    result.most_items += one.most_items;  // the source's rank says it
    result.forecasts.insert(result.forecasts.end(), one.forecasts.begin(), one.forecasts.end());
    result.stations.insert(result.stations.end(), one.stations.begin(), one.stations.end());
    if (options.trace) result.spans.push_back(one.spans);
  }
  std::stable_sort(result.stations.begin(), result.stations.end(),
                   [](auto const& a, auto const& b) { return a.station < b.station; });
  // Clocks of one host agree; where the sink is on another, the source's rank says when it heard of the end.
  auto const source = static_cast<std::size_t>(plan.stations.front().ranks.front());
  auto const sink = static_cast<std::size_t>(plan.stations.back().ranks.front());
  bool const one_clock = result.hosts[source] == result.hosts[sink];
  std::int64_t const end = one_clock ? all[sink].last_ns : all[source].over_ns;
  result.seconds = static_cast<double>(end - all[source].first_ns) * 1e-9;
  // Forecasts say when they were made by the clock of the rank that counts, from when it began.
  auto const counts = static_cast<std::size_t>(plan.stations[counted_station(line)].ranks.front());
  if (result.hosts[source] == result.hosts[counts])
    for (auto& f : result.forecasts)
      if (!f.why.empty())
        f.seconds = std::max(0.0, f.seconds - static_cast<double>(all[source].first_ns - all[counts].begin_ns) * 1e-9);
  record::judge(result.forecasts, options.first_item, result.items, result.seconds);
  return result;
}

}  // namespace skel::runtime
