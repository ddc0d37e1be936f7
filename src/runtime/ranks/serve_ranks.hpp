#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>
#include <skel/detail/runtime/ranks/leaving.hpp>
#include <skel/detail/runtime/ranks/run_watch.hpp>

#include "transport/mpi_transport.hpp"

namespace skel::runtime {

/// A question of another thread, which the communication thread answers when it comes to it. Only that thread knows of
/// other ranks. As long as nobody asks, this costs it a load.
class inspection {
 public:
  /// Any thread: the answer; empty if none comes in a while, since the thread is in a function of the user. `among`
  /// rests no longer.
  std::string ask(mpi_transport& among) {
    std::unique_lock guard(mutex_);
    answered_ = false;
    asked_.store(true);
    among.wake();
    come_.wait_for(guard, longest_wait, [this] { return answered_; });
    asked_.store(false, std::memory_order_relaxed);
    return answered_ ? text_ : std::string();
  }
  /// The communication thread, at least after each sleep.
  template <class Words>
  void answer(Words const& words) {
    if (!asked_.load(std::memory_order_relaxed)) return;
    std::string text = words();
    std::lock_guard guard(mutex_);
    text_ = std::move(text);
    answered_ = true;
    come_.notify_one();
  }

 private:
  /// More than a thread that is woken takes on a busy machine.
  static constexpr std::chrono::milliseconds longest_wait{200};

  std::mutex mutex_;
  std::condition_variable come_;
  std::atomic<bool> asked_{false};
  bool answered_ = false;
  std::string text_;
};

/// Time for which a rank looks for messages before it sleeps [s]; 0 if ranks of its host share cores. Waking up takes
/// some 60 us in a virtual machine of two cores. Looking for as long as that would take at most twice as long as if the
/// wait were known. Source: Karlin, Li, Manasse and Owicki 1991, Empirical studies of competitive spinning for a
/// shared-memory multiprocessor, SOSP, 41-55. But a rank that wakes up late keeps the others waiting for as long, so
/// that these sleep as well, from then on. With 50 us, supersteps of 100 us took 1.5 times as long as by hand in MPI,
/// with 200 us 1.1 times.
inline double looks_for(communicator const& ranks) {
  constexpr double spin = 2e-4;
  auto const& hosts = ranks.hosts();
  auto const here = std::ranges::count(hosts, hosts[static_cast<std::size_t>(ranks.rank())]);
  return static_cast<std::size_t>(here) <= std::thread::hardware_concurrency() ? spin : 0;
}

/// `waits_for`, or words for a rank that could not say it, as it is in a function of the user.
inline std::string or_nothing(std::string waits_for) {
  return waits_for.empty() ? "nothing but its own functions" : waits_for;
}

/// Lets a protocol go on, with serve() and is_due(), and waits_for() if somebody asks, until it has nothing more to do
/// on any rank. An exception means that `what` cannot go on, and ends the run. Exceptions of the user's functions do
/// not come here: a protocol tells all ranks of them. So there is no memory to tell the others, which wait.
template <class Protocol>
void serve_ranks(Protocol& here, mpi_transport& among, communicator const& ranks, std::string const& what) try {
  constexpr double no_clock = 1;  // only messages end a wait [s]
  double const look = looks_for(ranks);
  inspection asked;
  {
    watched_run const watched({.state = [&] { return std::vector{"waits for " + or_nothing(asked.ask(among))}; },
                               .waits_for = [&] { return asked.ask(among); }});
    while (here.serve()) {
      for (double const until = record::now() + look; !here.is_due() && (among.progress() || record::now() < until);) {
      }
      if (here.is_due()) continue;
      asked.answer([&here] { return here.waits_for(); });
      among.rest(no_clock, [&here] { return here.is_due(); });
    }
  }
  run_phase const now("has nothing more to do now, and waits for the other ranks");
  among.settle();
} catch (std::exception const& e) {
  end_run(what + " cannot go on, and the other ranks cannot be told: " + e.what());
} catch (...) {
  end_run(what + " cannot go on, and the other ranks cannot be told");
}

}  // namespace skel::runtime
