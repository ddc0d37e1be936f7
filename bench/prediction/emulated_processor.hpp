#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>

namespace bench {

/// A processor that is not there: callers wait as long as their work would take on it. Callers that are inside at the
/// same time share its speed equally, so that n of them progress at speed / n each (processor sharing).
///
/// Every arrival and departure has an exact instant on the emulated time line, and remaining work is accounted between
/// these instants. A thread wakes a little after the instant of its departure; how much is handed to the caller, who
/// gives it back with the next work. If the processor has been idle meanwhile, that work is taken as having begun so
/// much earlier; if others have used it, nothing was lost. So lateness does not add up: over many services the mean
/// time is the nominal one, whatever the machine's timers and its other users do, and no more work is done than the
/// speed allows.
class emulated_processor {
 public:
  explicit emulated_processor(double speed) : speed_(speed) {}

  /// Returns when `work` [s on a processor of speed 1] is done. `late` [s] is what the caller got back from its last
  /// call, 0 at first.
  void serve(double work, double& late) {
    std::unique_lock guard(mutex_);
    double const arrival = now();
    advance(arrival);
    if (active_ == 0) since_ = std::max(since_, arrival - late);
    ++active_;
    auto const mine = jobs_.insert(jobs_.end(), {work, 0, false});
    changed_.notify_all();  // everybody's departure is at another instant now
    for (;;) {
      advance(now());
      if (mine->done) break;
      changed_.wait_until(guard, instant(since_ + mine->remaining * static_cast<double>(active_) / speed_));
    }
    late = now() - mine->departure;
    jobs_.erase(mine);
    changed_.notify_all();
  }

 private:
  struct job {
    double remaining;  // work [s on speed 1]
    double departure;  // instant
    bool done;
  };

  using clock = std::chrono::steady_clock;

  static double now() { return std::chrono::duration<double>(clock::now().time_since_epoch()).count(); }
  static clock::time_point instant(double seconds) {
    return clock::time_point(std::chrono::ceil<clock::duration>(std::chrono::duration<double>(seconds)));
  }

  /// Moves the emulated time line on, from departure to departure.
  void advance(double to) {
    while (active_ > 0) {
      job* next = nullptr;
      for (job& each : jobs_)
        if (!each.done && (next == nullptr || each.remaining < next->remaining)) next = &each;
      double const rate = speed_ / static_cast<double>(active_);
      double const departure = since_ + next->remaining / rate;
      if (departure > to) break;
      double const worked = next->remaining;
      for (job& each : jobs_)
        if (!each.done) each.remaining -= worked;
      next->done = true;
      next->departure = departure;
      since_ = departure;
      --active_;
    }
    if (active_ == 0) return;
    for (job& each : jobs_)
      if (!each.done) each.remaining -= (to - since_) * speed_ / static_cast<double>(active_);
    since_ = to;
  }

  double speed_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<job> jobs_;
  std::size_t active_ = 0;  // jobs that are not done
  double since_ = 0;        // up to which work has been accounted; while idle, the last departure
};

}  // namespace bench
