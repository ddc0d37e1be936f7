#include <skel/detail/runtime/line/calibration.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/base/threads.hpp>
#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/ranks/run_watch.hpp>
#include <skel/detail/runtime/threads/lanes.hpp>

namespace skel::runtime {

namespace {

/// A batch should last so long [s]: reading the clock twice takes about 50 ns, one per mille of it, and does not count.
constexpr double shortest_batch = 5e-5;

/// Samples further from the median than this many robust deviations are spikes that others have caused. Exponential
/// times lose less than one sample in a thousand to it.
constexpr double spike = 10;

struct sample {
  double seconds;  // per item
  double items;
};

/// A batch, and how long others had the core of its thread while it could have run [ns].
struct timed_batch {
  record::span span;
  std::int64_t held = 0;

  std::int64_t lasted() const { return span.end - span.begin; }
  /// Its time with a core of its own [s].
  double seconds() const { return static_cast<double>(lasted() - std::clamp<std::int64_t>(held, 0, lasted())) * 1e-9; }
};

/// All batches but each worker's first one, which pays for cold memory and opened files. If there are no others, those.
std::vector<timed_batch> warm(std::vector<timed_batch> const& batches) {
  std::set<std::uint32_t> seen;
  std::vector<timed_batch> later;
  for (timed_batch const& one : batches)
    if (!seen.insert(one.span.worker).second) later.push_back(one);
  return later.empty() ? batches : later;
}

/// The part of the time of some batches in which others had the cores of their threads.
double held_part(std::vector<timed_batch> const& batches) {
  double held = 0, lasted = 0;
  for (timed_batch const& one : batches)
    lasted += static_cast<double>(one.lasted()), held += static_cast<double>(one.lasted()) - 1e9 * one.seconds();
  return lasted > 0 ? held / lasted : 0;
}

station_cost summarise(std::vector<timed_batch> const& batches_of_station, double bytes) {
  std::vector<sample> samples;
  for (timed_batch const& s : warm(batches_of_station))
    samples.push_back({s.seconds() / s.span.items, static_cast<double>(s.span.items)});
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
double items_in(std::vector<timed_batch> const& batches) {
  double items = 0;
  for (timed_batch const& s : batches) items += s.span.items;
  return std::max(1.0, items);
}

double total(std::vector<timed_batch> const& batches) {
  double seconds = 0;
  for (timed_batch const& s : batches) seconds += s.seconds();
  return seconds;
}

/// The first batch of a worker is not counted; of two others one may be a spike.
constexpr std::size_t fewest_batches = 3;

/// Workers are asked to measure together if their batches take this many times longer than waking them up. Then they
/// work at once for nine tenths of the time.
constexpr double worth_waking = 10;

/// Batches of slow items are waited for until this many times the time that was asked for. Two that take so long are
/// measured to a few per cent, no worse than a third. A third would cost a run of seconds a per cent more.
constexpr double long_enough = 3;

/// A batch that the source has left unfinished for this long [s] goes on without the rest of it. This is half of the
/// time that an item may wait in a run. Batches that are filled at the pace of the first ones take a tenth of it.
constexpr double stalled = plan::run_plan{}.batch_latency / 2;

/// The longest time between two looks at a source that has left nothing behind [s]. No item waits longer than that. A
/// look of some microseconds takes less than a thousandth of it from a stage that shares its core.
constexpr double longest_look = 1e-2;

/// A station is asked for its processor time if its batches take this many times longer than asking. Then asking does
/// not count.
constexpr double worth_asking = 100;

/// Time of a call: the least of some [ns].
template <class Call>
std::int64_t time_of(Call const& call) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 16; ++i) {
    std::int64_t const begin = record::now_ns();
    call();
    least = std::min(least, record::now_ns() - begin);
  }
  return least + 1;
}

/// Time that it takes to ask how long the process has run, and how long a thread was kept waiting, measured once [ns].
std::int64_t asking_ns() {
  static std::int64_t const taken = time_of([] { static_cast<void>(record::process_ns()); });
  return taken;
}
std::int64_t asking_threads_ns() {
  static std::int64_t const taken = time_of([] { static_cast<void>(record::kept_waiting_ns() + record::thread_ns()); });
  return taken;
}

/// Time of a station on the wall's clock, and time that the process ran meanwhile [ns].
struct core_use {
  std::int64_t wall = 0, ran = 0;
};

/// Time that threads ran, and time that they could have run while others had the core [ns].
struct turns {
  std::int64_t ran = 0, held = 0;

  turns& operator+=(turns const& more) {
    ran += more.ran, held += more.held;
    return *this;
  }
  friend turns operator-(turns const& a, turns const& b) { return {a.ran - b.ran, a.held - b.held}; }
  std::int64_t wanted() const { return ran + held; }
};
turns turns_of_this_thread() {
  return {record::thread_ns(), record::kept_waiting_ns()};
}

/// The standard error of the share is that of so many means, of parts of the time that threads wanted to run.
constexpr std::size_t parts_of_share = 8;

/// ran / (ran + held) of all, with its standard error as a part of it, by means of batches.
std::pair<double, double> share_and_doubt(std::vector<turns> const& windows) {
  turns all;
  for (turns const& one : windows) all += one;
  if (all.wanted() <= 0) return {1, 0};
  double const share = static_cast<double>(all.ran) / static_cast<double>(all.wanted());
  double square = 0, weight = 0;
  turns part;
  for (turns const& one : windows) {
    part += one;
    if (part.wanted() * static_cast<std::int64_t>(parts_of_share) < all.wanted()) continue;
    auto const wanted = static_cast<double>(part.wanted());
    square += wanted * std::pow(static_cast<double>(part.ran) / wanted - share, 2);
    weight += 1;
    part = {};
  }
  if (weight < 2) return {share, all.held > 0 ? 1 - share : 0};
  return {share, std::sqrt(square / static_cast<double>(all.wanted()) / (weight - 1)) / share};
}

/// Items of the source on their way through the line.
struct carried_batch {
  std::unique_ptr<items_base> items;
  std::uint64_t first = 0;  // number of the first item
  std::uint64_t given = 0;  // that the source gave
};

/// One calibration. The calling thread calls the source and takes its items through the stages, as many batches at once
/// as farms have workers. If the source stalls within a batch, a second thread takes on what is there. The thread that
/// does so holds `mutex_`. The workers of a farm take their batches at once, in threads like those of a run.
class measurement {
 public:
  measurement(program const& line, double seconds, std::size_t threads, std::atomic<bool> const* interrupt,
              std::size_t batch_bytes, std::uint64_t first_item)
      : line_(line),
        first_item_(first_item),
        at_once_(most_workers(line, threads)),
        copies_(threads),
        seconds_(seconds),
        batch_bytes_(batch_bytes),
        interrupt_(interrupt),
        source_(line.stations[0].make_producer()),
        workers_(line.size()),
        spans_(line.size()),
        bytes_(line.size(), 0),
        taken_by_(line.size(), 0),
        use_(line.size()),
        first_use_(line.size()) {
    for (std::size_t at = 0; at < line.size(); ++at) functions_.emplace_back(line.words_of(at, 0));
    source_->stop_by(stop_.get_token());
  }

  calibration run() {
    begin_ = record::now();
    last_turns_ = turns_of_this_thread();
    make_workers();
    if (!result_.failed) {
      auto const watcher = start_thread("skel-watch", [this](std::stop_token const& over) { watch(over); });
      call_source();
    }
    if (refused_) std::rethrow_exception(refused_);
    if (!result_.failed) result_.ended ? finish() : hand_on_folds();
    if (!result_.failed && !result_.ended) dismiss_copies();
    result_.seconds = record::now() - begin_;
    end_window();
    say_share();
    auto const items = static_cast<double>(std::max<std::uint64_t>(1, result_.items));
    bool thinned = false;  // not every batch comes here
    for (std::size_t s = 0; s < line_.size(); ++s) {
      auto& batches = spans_[s];
      double const bytes =
          static_cast<double>(bytes_[s]) / (line_.stations[s].folds_in_farm() ? items_in(spans_[s + 1]) : items);
      if (thinned)
        result_.stations.push_back({total(batches) / items, 0, bytes});
      else
        result_.stations.push_back(batches.empty() ? station_cost{} : summarise(batches, bytes));
      if (s > 0) result_.stations.back().takes = static_cast<double>(taken_by_[s]) / items;
      if (core_use const& use = use_[s].wall > 0 ? use_[s] : first_use_[s]; use.wall > 0) {
        double const ran = static_cast<double>(use.ran) / static_cast<double>(use.wall), alone = 1 - held_part(batches);
        result_.stations.back().waiting = alone > ran ? 1 - ran / alone : 0;
      }
      thinned = thinned || (line_.stations[s].folds && !line_.stations[s].replicable);
      for (timed_batch const& one : batches) result_.spans.push_back(one.span);
    }
    return std::move(result_);
  }

 private:
  /// Number of workers of a station that measure at once.
  static std::size_t workers_of(station const& of, std::size_t threads) {
    if (!of.replicable) return 1;
    return of.notes.width > 0 ? std::min(of.notes.width, threads) : threads;
  }
  static std::size_t most_workers(program const& line, std::size_t threads) {
    std::size_t most = 1;
    for (station const& one : line.stations) most = std::max(most, workers_of(one, threads));
    return most;
  }

  /// A broadcast stage has as many copies as it may have, one after the other. So their portions are as small as in a
  /// run, and joining their answers is measured too.
  std::unique_ptr<worker> make_worker(station const& of) const {
    if (of.copies && of.notes.width == 0) return std::make_unique<joint_worker>(*of.copies, copies_);
    return of.make_worker();
  }

  /// Copies the user's functions once each; further workers of farms are made when there are batches for them.
  void make_workers() {
    for (std::size_t at = 1; at < line_.size() && add_worker(at, 0); ++at) continue;
    auto const& sink = line_.stations.back();
    if (result_.failed || !sink.begin) return;
    try {
      sink.begin();
    } catch (...) {
      fail(line_.size() - 1, 0, failure::kind::begin);
    }
  }
  /// `item`: the first for the worker. False: its copy threw.
  bool add_worker(std::size_t at, std::uint64_t item) {
    try {
      workers_[at].push_back(make_worker(line_.stations[at]));
      workers_[at].back()->stop_by(stop_.get_token());
      return true;
    } catch (...) {
      fail(at, item, failure::kind::make);
      return false;
    }
  }

  bool is_broken() const { return result_.failed || refused_; }
  bool interrupted() const { return interrupt_ != nullptr && interrupt_->load(); }
  bool is_over() const {
    if (result_.ended || is_broken() || interrupted()) return true;
    double const since = record::now() - begin_;
    if (result_.items == 0 || since < seconds_) return false;
    return spans_[1].size() >= std::max(fewest_batches, 2 * at_once_) || since >= long_enough * seconds_;
  }

  /// Notes how the calling thread, and those that measured at once, found cores since the last window.
  void end_window() {
    turns const now = turns_of_this_thread();
    turns const own = now - std::exchange(last_turns_, now);
    threads_wanted_ += static_cast<double>(own.wanted());
    turns window = std::exchange(window_, {});
    window += own;
    if (window.wanted() > 0) windows_.push_back(window);
    window_ended_ = record::now_ns();
  }

  void say_share() {
    auto& share = result_.cores;
    for (turns const& one : windows_)
      share.ran += 1e-9 * static_cast<double>(one.ran), share.held += 1e-9 * static_cast<double>(one.held);
    share.doubt = share_and_doubt(windows_).second;
    if (share.ran + share.held > 0) share.threads = std::max(1.0, threads_wanted_ * 1e-9 / (share.ran + share.held));
  }

  void call_source() {
    std::size_t batch_size = 1;
    for (;;) {
      std::uint64_t first = 0;
      {
        std::lock_guard guard(mutex_);
        if (is_over()) {
          carry();
          return;
        }
        given_ = 0;
        first = taken_;
      }
      std::int64_t const ran = record::process_ns(), held = record::kept_waiting_ns();
      std::int64_t const begin = record::now_ns();
      auto state = producer::state::stopped;
      {
        user_call const known(functions_.front(), begin);
        in_source_ = true;
        try {
          state = source_->fill({batch_size, batch_bytes_}, halt_, [] {});
          in_source_ = false;
        } catch (...) {
          in_source_ = false;
          std::lock_guard guard(mutex_);
          if (is_broken() || user_call::was_interrupted()) return;
          open_batch const left = source_->take();
          fail(0, taken_ + (left.items ? left.items->size() : 0));
          return;
        }
      }
      std::int64_t const end = record::now_ns();
      std::int64_t const own_held = record::kept_waiting_ns() - held, ran_since = record::process_ns() - ran;

      std::lock_guard guard(mutex_);
      count_use(0, {end - begin, ran_since}, spans_[0].empty());
      result_.ended = state == producer::state::ended;
      take_open();
      if (given_ > 0) longest_ = std::max(longest_, note(0, begin, end, first, given_, own_held));
      if (state == producer::state::full && ready_.size() < at_once_) continue;
      carry();
      // Batches grow until the slowest station can be timed; slow items keep batches of one.
      if (given_ > 0 && longest_ < std::max(shortest_batch, worth_waking * waking_)) batch_size *= 2;
      longest_ = 0;
    }
  }

  /// Looks after functions that do not return, until `over`. It tells functions with a token when the run is to end,
  /// and takes on the items that a source has given.
  void watch(std::stop_token const& over) {
    std::mutex mine;
    std::unique_lock rest(mine);
    for (double pause = stalled; !over.stop_requested(); pause = std::min(2 * pause, longest_look)) {
      look_.wait_for(rest, over, std::chrono::duration<double>(pause), [] { return false; });
      if (interrupted()) {
        halt_ = true;
        stop_.request_stop();
      }
      std::unique_lock const guard(mutex_, std::try_to_lock);
      if (!guard) continue;         // items are in a stage
      if (is_over()) halt_ = true;  // the source is not asked for more than the item it is about
      if (is_broken()) return;
      if (!in_source_) continue;  // the calling thread waits for the lock, or for a core: it goes on by itself
      std::int64_t const opened = ready_.empty() ? source_->opened_ns() : ready_since_;
      if (opened == 0 || static_cast<double>(record::now_ns() - opened) * 1e-9 < stalled) continue;
      try {
        carry();
      } catch (std::exception const& problem) {  // the system does not give as many threads: run() says so
        refused_ = std::current_exception();
        end_early(what_of(problem));
      }
      pause = stalled / 2;
    }
  }

  /// Takes the batch that the source has begun.
  void take_open() {
    open_batch open = source_->take();
    if (!open.items) return;
    std::uint64_t const items = open.items->size();
    if (ready_.empty()) ready_since_ = record::now_ns();
    ready_.push_back({std::move(open.items), taken_, items});
    given_ += items;
    taken_ += items;
    bytes_[0] += open.bytes;
  }

  /// Takes the items that the source has given through the stages, one after the other.
  void carry() {
    take_open();
    auto batches = std::exchange(ready_, {});
    std::erase_if(batches, [](carried_batch const& one) { return !one.items; });
    std::uint64_t items = 0;
    for (carried_batch const& one : batches) items += one.given;
    for (std::size_t at = 1; at < line_.size() && !batches.empty() && !is_broken(); ++at) {
      pass(at, batches);
      std::erase_if(batches, [](carried_batch const& one) { return !one.items; });
    }
    if (!is_broken()) result_.items += items;
    // In the calling thread, which has the turns that are told.
    if (std::this_thread::get_id() == caller_ &&
        static_cast<double>(record::now_ns() - window_ended_) > worth_asking * static_cast<double>(asking_threads_ns()))
      end_window();
  }

  /// Work of one worker on a station's batches.
  struct part {
    std::vector<timed_batch> spans{};
    std::uint64_t bytes = 0, taken = 0;
    std::int64_t begun = 0;  // [ns]
    turns got{};
    std::optional<failure> failed{};
  };

  /// Takes batches through a station: worker w of it the batches w, w + workers, ...
  void pass(std::size_t at, std::vector<carried_batch>& batches) {
    std::size_t const workers = std::min(workers_of(line_.stations[at], at_once_), batches.size());
    while (workers_[at].size() < workers)
      if (!add_worker(at, batches[workers_[at].size()].first)) return;
    std::vector<part> parts(workers);
    bool const is_first = spans_[at].empty();
    std::int64_t const ran = record::process_ns();
    std::int64_t const begin = record::now_ns();
    bool const asks_threads = workers > 1 && is_worth_asking(at);  // the calling thread is asked after all stations
    auto const work = [&](std::size_t w) {
      parts[w].begun = record::now_ns();
      turns const before = asks_threads ? turns_of_this_thread() : turns{};
      for (std::size_t b = w; b < batches.size() && !parts[w].failed; b += workers)
        process(at, w, batches[b], parts[w]);
      if (asks_threads) parts[w].got = turns_of_this_thread() - before;
    };
    if (workers == 1)
      work(0);
    else
      at_once(workers, work);
    std::int64_t const ended = record::now_ns();
    core_use used;
    turns got;
    std::int64_t latest = begin;
    for (part& one : parts) {
      for (timed_batch const& batch : one.spans) {
        spans_[at].push_back(batch);
        longest_ = std::max(longest_, static_cast<double>(batch.lasted()) * 1e-9);
        used.wall += batch.lasted();
      }
      bytes_[at] += one.bytes;
      taken_by_[at] += one.taken;
      got += one.got;
      latest = std::max(latest, one.begun);
    }
    used.ran = record::process_ns() - ran;
    count_use(at, used, is_first);
    if (asks_threads && ended > begin) {
      window_ += got;
      // Beside a thread that wants to run, each of the others does for its part of the time.
      double const each =
          static_cast<double>(got.wanted()) / static_cast<double>(ended - begin) / static_cast<double>(workers);
      threads_wanted_ +=
          static_cast<double>(got.wanted()) * (1 + static_cast<double>(workers - 1) * std::min(1.0, each));
    }
    if (workers > 1) {
      double const took = static_cast<double>(latest - begin) * 1e-9;
      waking_ = waking_ > 0 ? std::min(waking_, took) : took;
    }
    auto const first = std::min_element(parts.begin(), parts.end(), [](part const& a, part const& b) {
      return a.failed && (!b.failed || a.failed->item < b.failed->item);
    });
    if (first->failed) fail(*std::move(first->failed));
  }

  /// In any thread.
  void process(std::size_t at, std::size_t w, carried_batch& batch, part& of) {
    std::size_t position = 0;
    std::uint64_t const taken = batch.items->size();
    // Items that a farm has folded count as what they are now. Otherwise times are per item of the source.
    std::uint64_t const items = line_.stations[at - 1].folds_in_farm() ? taken : batch.given;
    std::int64_t const held = record::kept_waiting_ns();
    std::int64_t const begin = record::now_ns();
    user_call const known(functions_[at], begin);
    try {
      workers_[at][w]->stands_for(first_item_ + batch.first, batch.given);
      batch.items = workers_[at][w]->process(std::move(batch.items), position, of.bytes);
    } catch (...) {
      batch.items = nullptr;
      if (user_call::was_interrupted()) return;
      bool const counted = !line_.stations[at].renumbered;
      of.failed = describe_failure({.stage = line_.stations[at].stage_of(*workers_[at][w]),
                                    .item = batch.first + (counted ? position : 0),
                                    .items = counted ? 1 : batch.given,
                                    .part = line_.kind_of(at)});
      end_early(text_of(*of.failed));  // other workers of the station may wait for that
      return;
    }
    of.taken += taken;
    if (items == 0) return;
    std::int64_t const end = record::now_ns();
    of.spans.push_back({{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(w), begin, end, batch.first,
                         static_cast<std::uint32_t>(items)},
                        record::kept_waiting_ns() - held});
  }

  /// Counts how much of its time a station used processors, if its batches took so long that asking does not count. The
  /// first ones, which pay for cold memory, are kept apart.
  void count_use(std::size_t station, core_use const& used, bool is_first) {
    if (static_cast<double>(used.wall) <= worth_asking * static_cast<double>(asking_ns())) return;
    core_use& all = is_first ? first_use_[station] : use_[station];
    all.wall += used.wall, all.ran += used.ran;
  }

  /// Calls work(0), ..., work(workers - 1), in as many threads as are free to: short ones may share some.
  template <class Work>
  void at_once(std::size_t workers, Work const& work) {
    std::atomic<std::size_t> next{0};
    work_ = [&] {
      if (std::size_t const w = next++; w < workers) work(w);
    };
    if (!threads_) threads_.emplace(at_once_, [this] { work_(); });
    for (std::size_t w = 0; w < workers; ++w) threads_->wake();
    threads_->wait_idle();
  }

  /// Of the threads of its workers. Not for the first batch of a station: nobody knows how long that takes.
  bool is_worth_asking(std::size_t station) const {
    return !spans_[station].empty() && static_cast<double>(spans_[station].back().lasted()) >
                                           worth_asking * static_cast<double>(asking_threads_ns());
  }

  /// Keeps the time of a batch and returns it [s].
  double note(std::size_t station, std::int64_t begin, std::int64_t end, std::uint64_t first, std::uint64_t items,
              std::int64_t held) {
    spans_[station].push_back(
        {{static_cast<std::uint32_t>(station), 0, begin, end, first, static_cast<std::uint32_t>(items)}, held});
    return static_cast<double>(end - begin) * 1e-9;
  }

  template <class Function>
  void finish_one(std::size_t at, Function& of) {
    user_call const known(functions_[at], record::now_ns());
    of.finish();
  }

  void finish() {
    std::size_t at = 0;
    try {
      finish_one(at, *source_);
      for (at = 1; at < line_.size() && give_rest(at); ++at)
        for (auto const& one : workers_[at]) finish_one(at, *one);
    } catch (...) {
      fail(at, result_.items, failure::kind::finish);
    }
  }

  /// The workers of farms that measured are no part of the run: they have seen their last item.
  void dismiss_copies() {
    std::size_t at = 1;
    try {
      for (; at < line_.size(); ++at)
        if (line_.stations[at].replicable || line_.stations[at].copies)
          for (auto const& one : workers_[at]) finish_one(at, *one);
    } catch (...) {
      fail(at, result_.items, failure::kind::finish);
    }
  }

  /// Hands the folds of farms' workers on to the reduce behind them. Its held items go along with these if the stream
  /// goes on. That happens once in a run, and so is no part of the cost of an item.
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

  /// Takes the items that a station still holds at the end of the stream through those behind it. False: one failed.
  bool give_rest(std::size_t station) {
    for (auto const& one : workers_[station]) {
      auto batch = one->rest(bytes_[station]);
      std::size_t at = station + 1;
      try {
        for (std::size_t position = 0; at < line_.size() && batch; ++at)
          batch = workers_[at].front()->process(std::move(batch), position, bytes_[at]);
      } catch (...) {
        fail(describe_failure({.stage = line_.stations[at].stage_of(*workers_[at].front()),
                               .item = result_.items - 1,
                               .part = line_.kind_of(at)}));
        return false;
      }
    }
    return true;
  }

  /// In a catch clause, of the thread that the exception came to (a fork has no other one).
  void fail(std::size_t station, std::uint64_t item, failure::kind during = failure::kind::process) {
    fail(describe_failure(
        {.stage = line_.stations[station].notes.name, .during = during, .item = item, .part = line_.kind_of(station)}));
  }
  void fail(failure what) {
    end_early(text_of(what));
    result_.failed = std::move(what);
  }
  /// The source is not asked for more, and is told to return.
  void end_early(std::string const& why) {
    run_ends(why);
    halt_ = true;
    stop_.request_stop();
  }

  program const& line_;
  std::uint64_t first_item_;
  std::size_t at_once_;  // batches
  std::size_t copies_;   // of a broadcast stage
  double seconds_;
  std::size_t batch_bytes_;
  std::atomic<bool> const* interrupt_;
  std::unique_ptr<producer> source_;
  std::atomic<bool> halt_{false};
  std::atomic<bool> in_source_{false};   // the calling thread
  std::deque<user_function> functions_;  // of each station
  std::stop_source stop_;                // of functions that take a token
  double begin_ = 0;

  std::mutex mutex_;  // guards all that follows
  std::condition_variable_any look_;
  std::vector<std::vector<std::unique_ptr<worker>>> workers_;  // per station
  std::vector<std::vector<timed_batch>> spans_;                // per station
  std::vector<std::uint64_t> bytes_, taken_by_;                // per station: of its results, and items
  std::vector<core_use> use_, first_use_;                      // per station
  std::thread::id caller_ = std::this_thread::get_id();
  turns last_turns_{};            // of the calling thread, when it was asked last
  turns window_{};                // of workers that measured at once, since then
  std::vector<turns> windows_{};  // of all of them
  std::int64_t window_ended_ = 0;
  double threads_wanted_ = 0;         // threads that wanted to run, summed over the time that each of them did [ns]
  std::vector<carried_batch> ready_;  // that no stage has seen
  std::int64_t ready_since_ = 0;      // [ns], of the first of them
  std::uint64_t taken_ = 0;           // items that the source has given
  std::uint64_t given_ = 0;           // in the call of the source that is under way
  double longest_ = 0;                // batch at any station, of those taken through at once [s]
  double waking_ = 0;                 // the least time until all workers have begun [s]
  std::function<void()> work_;
  std::optional<lanes> threads_;
  std::exception_ptr refused_;  // why the second thread had too few threads
  calibration result_;
  watched_run const watched_;  // the last one: it is about all that is above
};

}  // namespace

calibration calibrate(program const& line, double seconds, std::size_t threads, std::atomic<bool> const* interrupt,
                      std::size_t batch_bytes, std::uint64_t first_item) {
  SKEL_EXPECTS(threads > 0 && batch_bytes > 0);
  return measurement(line, seconds, threads, interrupt, batch_bytes, first_item).run();
}

}  // namespace skel::runtime
