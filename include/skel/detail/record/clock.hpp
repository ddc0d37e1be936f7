#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <limits>
#include <optional>
#include <vector>

namespace skel::record {

/// Time that something has run, and that it could have run while others had the cores or a quota was used up [ns].
struct process_times {
  std::int64_t run = 0, waited = 0;
};

/// A thread of a process, by a number that no other one has while it lives.
struct thread_times {
  long id = 0;
  process_times at;
};

/// A clock in place of the system's: that of a simulation, in which one process is many hosts.
class other_clock {
 public:
  other_clock() = default;
  other_clock(other_clock const&) = delete;
  other_clock& operator=(other_clock const&) = delete;
  virtual ~other_clock() = default;

  /// Since an arbitrary start, never going back [ns].
  virtual std::int64_t now_ns() const = 0;
  /// The threads on the caller's host, and their times since they began.
  virtual std::vector<thread_times> threads() const = 0;
};

namespace clock_detail {
inline other_clock const* in_use = nullptr;

inline std::int64_t time_of(clockid_t clock) {
  std::timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}
}  // namespace clock_detail

/// From now on now_ns(), now() and process_clock go by this clock; nullptr: by the system's again. All other functions
/// here always ask the system. Precondition: no other thread asks for the time.
inline void go_by(other_clock const* clock) {
  clock_detail::in_use = clock;
}

/// Nanoseconds since an arbitrary start, never going back; comparable between processes of one host.
inline std::int64_t now_ns() {
  if (clock_detail::in_use != nullptr) [[unlikely]]
    return clock_detail::in_use->now_ns();
  return clock_detail::time_of(CLOCK_MONOTONIC);
}

/// Seconds on the same clock [s].
inline double now() {
  return static_cast<double>(now_ns()) * 1e-9;
}

/// As now_ns() of the system, some milliseconds late at most, in a fifth of the time. For times that people are told in
/// seconds, noted with each batch.
inline std::int64_t rough_now_ns() {
  return clock_detail::time_of(CLOCK_MONOTONIC_COARSE);
}

/// Nanoseconds that the calling thread has run, without the time in which others had its core. A call takes longer than
/// one of now_ns(), since it asks the system.
inline std::int64_t thread_ns() {
  return clock_detail::time_of(CLOCK_THREAD_CPUTIME_ID);
}

/// Nanoseconds that all threads of this process have run.
inline std::int64_t process_ns() {
  return clock_detail::time_of(CLOCK_PROCESS_CPUTIME_ID);
}

/// Nanoseconds that the calling thread could have run while others had its core; 0 if the system does not tell it
/// (Linux: /proc/thread-self/schedstat). Takes some microseconds in the first call of a thread, one in others.
std::int64_t kept_waiting_ns();
/// True if the system tells it.
bool tells_waiting();

/// A thread of this process, as the system tells it.
struct thread_sight {
  std::int64_t kept_waiting_ns = 0;  ///< as kept_waiting_ns(), until it got a core last
  bool ready = false;                ///< it runs, or could
};
/// Nothing if the system does not tell it (Linux: /proc/self/task/`id`). Takes some ten microseconds.
std::optional<thread_sight> look_at_thread(long id);

/// Sums up the times that the threads of this process have run and waited. Not for several threads at once.
class process_clock {
 public:
  /// Since this object was made; 0 if the system does not tell it (Linux: /proc/self/task/*/schedstat). Never goes
  /// back: a thread that has ended counts with its last known times. Takes some microseconds per thread.
  process_times read();
  /// The same of the thread that ran most between the last two readings.
  process_times most() const { return most_; }

 private:
  struct one_thread {
    long id = 0;
    process_times at;
    bool is_there = true;
  };
  std::vector<one_thread> threads_;  // ascending
  process_times sum_, most_;
  bool begun_ = false;
};

/// Time of a call of thread_ns(), a part of any difference of two of them: the least of some calls, made once in a
/// process [ns].
inline std::int64_t thread_clock_ns() {
  static std::int64_t const least = [] {
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
    for (int k = 0; k < 64; ++k) {
      std::int64_t const begin = thread_ns();
      shortest = std::min(shortest, thread_ns() - begin);
    }
    return shortest;
  }();
  return least;
}

}  // namespace skel::record
