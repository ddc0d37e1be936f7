#include <skel/runtime/calibration.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include <skel/base/statistics.hpp>
#include <skel/plan/run_plan.hpp>
#include <skel/record/clock.hpp>

namespace skel::runtime {

namespace {

/// A batch should last this many times longer than reading the clock twice, about 50 ns, so that the clock does not
/// count: one per mille of it.
constexpr double shortest_batch = 5e-5;

/// Samples further from the median than this many robust deviations are spikes that somebody else caused. Exponential
/// times lose less than one sample in a thousand to it.
constexpr double spike = 10;

struct sample {
  double seconds;  // per item
  double items;
};

double seconds_of(record::span const& s) {
  return static_cast<double>(s.end - s.begin) * 1e-9;
}

station_cost summarise(std::vector<record::span> const& batches_of_station, double bytes) {
  std::vector<sample> samples;
  for (record::span const& s : batches_of_station)
    samples.push_back({seconds_of(s) / s.items, static_cast<double>(s.items)});
  if (samples.size() > 1) samples.erase(samples.begin());
  std::vector<double> times;
  for (sample const& s : samples) times.push_back(s.seconds);
  double const centre = statistics::median(times);
  double const reach = spike * std::max(statistics::deviation(times), 0.01 * centre);
  double time = 0, items = 0, square = 0, batches = 0;
  for (sample const& s : samples)
    if (std::abs(s.seconds - centre) <= reach) time += s.seconds * s.items, items += s.items, ++batches;
  station_cost cost;
  cost.seconds = items > 0 ? time / items : centre;
  cost.bytes = bytes;
  if (batches < 2 || cost.seconds <= 0) return cost;
  // The mean over a batch of b items has 1/b of the variance of one item, if items are independent.
  for (sample const& s : samples)
    if (std::abs(s.seconds - centre) <= reach)
      square += s.items * (s.seconds - cost.seconds) * (s.seconds - cost.seconds);
  cost.variation = std::min(1.0, square / (batches - 1) / (cost.seconds * cost.seconds));
  cost.doubt = std::sqrt(square / (batches - 1) / items) / cost.seconds;
  return cost;
}

/// At least 1.
double items_in(std::vector<record::span> const& batches) {
  double items = 0;
  for (record::span const& s : batches) items += s.items;
  return std::max(1.0, items);
}

double total(std::vector<record::span> const& batches) {
  double seconds = 0;
  for (record::span const& s : batches) seconds += seconds_of(s);
  return seconds;
}

/// The first batch pays for cold memory and opened files and is not counted; of two others one may be a spike.
constexpr std::size_t fewest_batches = 3;

/// Batches of slow items are waited for until this many times the time that was asked for: two batches that take so long
/// are measured to a few per cent, as a third one would be, which would cost a run of seconds a per cent more.
constexpr double long_enough = 3;

/// A batch that the source has left unfinished for this long is taken on without waiting for the rest of it: half of
/// what an item may wait in a run. Batches that are filled at the pace of the first ones take a tenth of it.
constexpr double stalled = plan::run_plan{}.batch_latency / 2;

/// The longest time between two looks at a source that has left nothing behind [s]: longer than that no item waits, and
/// a look of some microseconds takes less than a thousandth of it from a stage that shares its core.
constexpr double longest_look = 1e-2;

/// A station is asked how much of its time the processor worked where its batches take this many times longer than
/// asking [ns]: that the asking does not count.
constexpr double worth_asking = 100;

/// What asking for the time that the process has run takes, measured once [ns].
std::int64_t asking_ns() {
  static std::int64_t const taken = [] {
    constexpr int calls = 16;
    std::int64_t const begin = record::now_ns();
    for (int i = 0; i < calls; ++i) static_cast<void>(record::process_ns());
    return (record::now_ns() - begin) / calls + 1;
  }();
  return taken;
}

/// How long a station took on the wall's clock and how long the process ran meanwhile [ns].
struct core_use {
  std::int64_t wall = 0, ran = 0;
};

/// One calibration. The calling thread calls the source and takes what it gives through the stages; when the source
/// stalls within a batch, a second thread takes on what is there. `mutex_` is held by whoever does.
class measurement {
 public:
  measurement(program const& line, double seconds, std::atomic<bool> const* interrupt)
      : line_(line),
        seconds_(seconds),
        interrupt_(interrupt),
        source_(line.stations[0].make_producer()),
        workers_(line.size()),
        spans_(line.size()),
        bytes_(line.size(), 0),
        use_(line.size()) {}

  calibration run() {
    begin_ = record::now();
    std::int64_t const kept_waiting = record::kept_waiting_ns();
    make_workers();
    if (!result_.failed) {
      std::jthread const watcher([this](std::stop_token const& over) { watch(over); });
      call_source();
    }
    if (!result_.failed) result_.ended ? finish() : hand_on_folds();
    if (!result_.failed && !result_.ended) dismiss_copies();
    result_.seconds = record::now() - begin_;
    // Others had the core in proportion to the time that a station wanted it.
    std::int64_t all_ran = 1;
    for (core_use const& one : use_) all_ran += one.ran;
    double const delay = static_cast<double>(record::kept_waiting_ns() - kept_waiting) / static_cast<double>(all_ran);
    auto const items = static_cast<double>(std::max<std::uint64_t>(1, result_.items));
    bool thinned = false;  // not every batch comes here
    for (std::size_t s = 0; s < line_.size(); ++s) {
      auto const& batches = spans_[s];
      double const bytes =
          static_cast<double>(bytes_[s]) / (line_.stations[s].folds_in_farm() ? items_in(spans_[s + 1]) : items);
      if (thinned)
        result_.stations.push_back({total(batches) / items, 0, bytes});
      else
        result_.stations.push_back(batches.empty() ? station_cost{} : summarise(batches, bytes));
      if (use_[s].wall > 0)
        result_.stations.back().waiting = std::clamp(
            1 - static_cast<double>(use_[s].ran) * (1 + delay) / static_cast<double>(use_[s].wall), 0.0, 1.0);
      thinned = thinned || (line_.stations[s].folds && !line_.stations[s].replicable);
      result_.spans.insert(result_.spans.end(), batches.begin(), batches.end());
    }
    return std::move(result_);
  }

 private:
  /// Copies the user's functions.
  void make_workers() {
    std::size_t at = 1;
    try {
      for (; at < line_.size(); ++at) workers_[at] = line_.stations[at].make_worker();
    } catch (...) {
      fail(at, 0, failure::kind::make);
    }
  }

  bool interrupted() const { return interrupt_ != nullptr && interrupt_->load(); }
  bool is_over() const {
    if (result_.ended || result_.failed || interrupted()) return true;
    double const since = record::now() - begin_;
    if (result_.items == 0 || since < seconds_) return false;
    return spans_[1].size() >= fewest_batches || since >= long_enough * seconds_;
  }

  void call_source() {
    std::size_t batch_size = 1;
    for (;;) {
      std::uint64_t first = 0;
      {
        std::lock_guard guard(mutex_);
        if (is_over()) return;
        given_ = 0;
        first = result_.items;
      }
      bool const asks = is_worth_asking(0);
      std::int64_t const ran = asks ? record::process_ns() : 0;
      std::int64_t const begin = record::now_ns();
      auto state = producer::state::stopped;
      try {
        state = source_->fill({batch_size, std::size_t{1} << 20}, halt_, [] {});
      } catch (...) {
        std::lock_guard guard(mutex_);
        if (result_.failed) return;
        open_batch const left = source_->take();
        fail(0, result_.items + (left.items ? left.items->size() : 0));
        return;
      }
      std::int64_t const end = record::now_ns();
      std::int64_t const ran_since = asks ? record::process_ns() - ran : 0;

      std::lock_guard guard(mutex_);
      if (asks) use_[0].wall += end - begin, use_[0].ran += ran_since;
      result_.ended = state == producer::state::ended;
      double slowest = carry();
      if (given_ == 0) continue;
      slowest = std::max(slowest, note(0, begin, end, first, given_));
      // Batches grow until the slowest station can be timed; slow items keep batches of one.
      if (slowest < shortest_batch) batch_size *= 2;
    }
  }

  /// Looks after a source that does not return, until `over`.
  void watch(std::stop_token const& over) {
    std::unique_lock guard(mutex_);
    for (double pause = stalled; !over.stop_requested(); pause = std::min(2 * pause, longest_look)) {
      look_.wait_for(guard, over, std::chrono::duration<double>(pause), [] { return false; });
      if (is_over()) halt_ = true;  // the source is not asked for more than the item it is about
      if (result_.failed) return;
      std::int64_t const opened = source_->opened_ns();
      if (opened == 0 || static_cast<double>(record::now_ns() - opened) * 1e-9 < stalled) continue;
      carry();
      pause = stalled / 2;
    }
  }

  /// Takes what the source has given through the stages. Returns the time of the slowest of them [s].
  double carry() {
    open_batch open = source_->take();
    if (!open.items || result_.failed) return 0;
    std::size_t const items = open.items->size();
    given_ += items;
    bytes_[0] += open.bytes;
    double slowest = 0;
    std::size_t at = 1, position = 0;
    try {
      std::unique_ptr<items_base> batch = std::move(open.items);
      std::int64_t before = record::now_ns();
      for (; at < line_.size() && batch; ++at) {
        position = 0;
        bool const asks = is_worth_asking(at);
        std::int64_t const ran = asks ? record::process_ns() : 0;
        // What a farm has folded counts as what it is now; otherwise times are told per item of the source.
        std::size_t const taken = line_.stations[at - 1].folds_in_farm() ? batch->size() : items;
        batch = workers_[at]->process(std::move(batch), position, bytes_[at]);
        std::int64_t const after = record::now_ns();
        slowest = std::max(slowest, note(at, before, after, result_.items, taken));
        if (asks) use_[at].wall += after - before, use_[at].ran += record::process_ns() - ran;
        before = asks ? record::now_ns() : after;
      }
      result_.items += items;
    } catch (...) {
      fail(at, result_.items + position);
    }
    return slowest;
  }

  /// The first batch of a station is not asked: it pays for cold memory.
  bool is_worth_asking(std::size_t station) const {
    return !spans_[station].empty() && static_cast<double>(spans_[station].back().end - spans_[station].back().begin) >
                                           worth_asking * static_cast<double>(asking_ns());
  }

  /// Keeps the time of a batch and returns it [s].
  double note(std::size_t station, std::int64_t begin, std::int64_t end, std::uint64_t first, std::uint64_t items) {
    spans_[station].push_back(
        {static_cast<std::uint32_t>(station), 0, begin, end, first, static_cast<std::uint32_t>(items)});
    return seconds_of(spans_[station].back());
  }

  void finish() {
    std::size_t at = 0;
    try {
      source_->finish();
      for (at = 1; at < line_.size() && give_rest(at); ++at) workers_[at]->finish();
    } catch (...) {
      fail(at, result_.items, failure::kind::finish);
    }
  }

  /// The workers of farms that measured are no part of the run: they have seen their last item.
  void dismiss_copies() {
    std::size_t at = 1;
    try {
      for (; at < line_.size(); ++at)
        if (line_.stations[at].replicable || line_.stations[at].copies) workers_[at]->finish();
    } catch (...) {
      fail(at, result_.items, failure::kind::finish);
    }
  }

  /// What the workers of farms have folded goes on to the reduce behind them, whose held items go along with it where
  /// the stream goes on. That happens once in a run, and so is no part of what an item costs.
  void hand_on_folds() {
    auto const bytes = bytes_;
    std::size_t at = 1;
    try {
      for (; at < line_.size(); ++at)
        if (line_.stations[at].folds_in_farm() && !give_rest(at)) return;
    } catch (...) {
      fail(at, result_.items, failure::kind::finish);
    }
    bytes_ = bytes;
  }

  /// Takes what a station still holds at the end of the stream through those behind it. Returns false when one failed.
  bool give_rest(std::size_t station) {
    auto batch = workers_[station]->rest(bytes_[station]);
    std::size_t at = station + 1;
    try {
      for (std::size_t position = 0; at < line_.size() && batch; ++at)
        batch = workers_[at]->process(std::move(batch), position, bytes_[at]);
    } catch (...) {
      fail(at, result_.items - 1);
      return false;
    }
    return true;
  }

  /// In a catch clause.
  void fail(std::size_t station, std::uint64_t item, failure::kind during = failure::kind::process) {
    result_.failed = describe_failure({line_.stations[station].notes.name, during, item});
    halt_ = true;
  }

  program const& line_;
  double seconds_;
  std::atomic<bool> const* interrupt_;
  std::unique_ptr<producer> source_;
  std::atomic<bool> halt_{false};
  double begin_ = 0;

  std::mutex mutex_;  // guards all that follows
  std::condition_variable_any look_;
  std::vector<std::unique_ptr<worker>> workers_;
  std::vector<std::vector<record::span>> spans_;  // per station
  std::vector<std::uint64_t> bytes_;
  std::vector<core_use> use_;  // per station
  std::uint64_t given_ = 0;    // items of the call of the source that is under way
  calibration result_;
};

}  // namespace

calibration calibrate(program const& line, double seconds, std::atomic<bool> const* interrupt) {
  return measurement(line, seconds, interrupt).run();
}

}  // namespace skel::runtime
