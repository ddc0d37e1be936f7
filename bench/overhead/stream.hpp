#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

#include "support/spin.hpp"

/// The stream that every competitor runs: a source of numbered items, a farm of two workers, a sink.
namespace bench {

struct item {
  std::uint64_t index = 0;
  std::uint64_t value = 0;
};

/// User and system time that this process has used [s].
inline double cpu_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto const seconds = [](timeval const& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct stream {
  std::uint64_t items = 0;
  std::uint64_t turns = 0;  ///< of spin, per item
  bool ordered = true;
  std::chrono::duration<double> silence{0};  ///< the source sleeps this long before the item in the middle
};

/// Called once per item; an empty optional ends the stream.
class source {
 public:
  /// `silent_cpu`, where given, receives the CPU time that the process used while the source was silent [s].
  explicit source(stream const& s, double* silent_cpu = nullptr)
      : items_(s.items),
        pause_at_(s.silence.count() > 0 ? s.items / 2 : s.items),
        silence_(s.silence),
        cpu_(silent_cpu) {}

  std::optional<item> operator()() {
    if (next_ == items_) return std::nullopt;
    if (next_ == pause_at_) {
      // What is still on its way is worked off first: it is not part of the silence.
      std::this_thread::sleep_for(silence_ / 4);
      double const before = cpu_time();
      std::this_thread::sleep_for(silence_);
      if (cpu_) *cpu_ = cpu_time() - before;
    }
    return item{next_++, 0};
  }

 private:
  std::uint64_t items_, pause_at_;
  std::chrono::duration<double> silence_;
  double* cpu_;
  std::uint64_t next_ = 0;
};

/// What a worker does to an item.
struct worker {
  std::uint64_t turns;
  item operator()(item in) const { return {in.index, spin(in.index, turns)}; }
};

/// What the sink saw: proves that every item arrived once, worked on, and in order where that was asked.
struct tally {
  std::uint64_t count = 0, sum = 0;
  bool in_order = true;

  void operator()(item const& in) {
    in_order = in_order && in.index == count;
    ++count;
    sum += in.value;
  }
  bool right_for(stream const& s, std::uint64_t expected_sum) const {
    return count == s.items && sum == expected_sum && (in_order || !s.ordered);
  }
};

inline std::uint64_t expected_sum(stream const& s) {
  std::uint64_t sum = 0;
  for (std::uint64_t index = 0; index < s.items; ++index) sum += spin(index, s.turns);
  return sum;
}

/// Somebody who runs the stream. run() returns what the sink saw.
struct competitor {
  std::string name;
  tally (*run)(stream const&, double* silent_cpu);
};

tally run_ideal(stream const&, double*);            ///< two threads, half of the items each, nothing between them
tally run_skel(stream const&, double*);             ///< skel, with a plan written by hand
tally run_tbb(stream const&, double*);              ///< oneapi::tbb::parallel_pipeline, as many tokens as threads
tally run_tbb_4(stream const&, double*);            ///< the same with four tokens per thread
tally run_threads(stream const&, double*);          ///< std::thread, bounded queues, item by item
tally run_threads_batched(stream const&, double*);  ///< the same in batches of 64

}  // namespace bench
