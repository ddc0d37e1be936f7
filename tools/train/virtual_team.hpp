#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/threads/team.hpp>

/// More threads than the machine has.
namespace skel::training {

using runtime::part_function;
using runtime::phase;

/// Limits of memory for virtual threads.
struct memory_bound {
  double bandwidth = 0;  ///< for all threads together [B/s]; 0: not bound
  double cache = 0;      ///< of the threads' own caches, all together [B]

  /// The least time for moving the part of a phase's bytes that its caches do not hold [s].
  double seconds(phase const& what) const {
    if (bandwidth <= 0 || what.footprint <= cache) return 0;
    return what.bytes * (1 - cache / what.footprint) / bandwidth;
  }
};

/// Times of a phase in virtual threads.
struct virtual_phase {
  std::string name;
  double slowest = 0;              ///< part [s]
  double total = 0;                ///< of the calling thread for all of it, timing the parts included [s]
  double bandwidth = 0;            ///< least time in which all threads together can move its bytes [s]
  std::vector<double> parts = {};  ///< each [s]
  bool bound() const { return bandwidth > slowest; }
  double seconds() const { return bound() ? bandwidth : slowest; }
};

/// A team of more threads than the machine has. The parts of a phase run one after the other on the calling thread, and
/// each is timed alone. The phase counts as its slowest part, or as the time in which all of them together can move its
/// bytes, if that is longer. Time in which other programs have the core is not counted.
/// Limits: parts that run at once share no caches and no line moves between them, so false sharing and contended
/// atomics cost nothing. Starting and joining threads costs nothing. No part takes over work of others.
class virtual_team : public runtime::team {
 public:
  /// Precondition: parts >= 1.
  explicit virtual_team(std::size_t parts, memory_bound memory = {});

  /// The phases since the last clear(), in their order.
  std::vector<virtual_phase> const& phases() const { return phases_; }
  /// Their time, one after the other [s].
  double seconds() const;
  void clear() { phases_.clear(); }

 private:
  void run_parts(phase const& what, std::size_t count, part_function part) override;
  bool runs_at_once() const override { return false; }

  memory_bound memory_;
  std::vector<virtual_phase> phases_;
};

/// Measures the time of a program with virtual threads: their phases, and the calling thread's own work between them.
class virtual_clock {
 public:
  explicit virtual_clock(virtual_team& threads) : threads_(&threads) {}

  /// Now [s]. Forgets the phases.
  double operator()() {
    for (auto const& one : threads_->phases()) more_ += one.seconds() - one.total;
    threads_->clear();
    more_ -= static_cast<double>(record::thread_clock_ns()) * 1e-9;  // reading the clock is not counted
    return last_ = std::max(last_, static_cast<double>(record::thread_ns()) * 1e-9 + more_);
  }

 private:
  virtual_team* threads_;
  double more_ = 0;  // phases in virtual threads - the same phases on the one that there is [s]
  double last_ = 0;
};

/// Half of the range between the quartiles.
inline double half_range(std::vector<double> const& of) {
  return (statistics::quantile(of, 0.75) - statistics::quantile(of, 0.25)) / 2;
}

/// Time of repetitions of one thing.
struct timing {
  double seconds = 0;  ///< [s]
  double spread = 0;   ///< half of the range between the quartiles, over `seconds`
};

/// Repetitions on real threads: their median.
inline timing timing_of(std::vector<double> const& seconds) {
  double const median = statistics::median(seconds);
  return {median, median > 0 ? half_range(seconds) / median : 0};
}

/// Repetitions on virtual threads, the same phases each time. A phase takes as long as the part with the greatest
/// median. The median of the slowest parts would be too long: with many parts, other work of the machine delays one of
/// them nearly every time, and medians leave this out. The spread is that of these parts.
inline timing timing_of(std::vector<std::vector<virtual_phase>> const& rounds) {
  SKEL_EXPECTS(!rounds.empty());
  timing result;
  double ranges = 0;
  for (std::size_t k = 0; k < rounds.front().size(); ++k) {
    double slowest = 0, range = 0;
    std::vector<double> times(rounds.size());
    for (std::size_t part = 0; part < rounds.front()[k].parts.size(); ++part) {
      for (std::size_t r = 0; r < rounds.size(); ++r) {
        SKEL_EXPECTS(rounds[r].size() == rounds.front().size());
        times[r] = rounds[r][k].parts[part];
      }
      double const median = statistics::median(times);
      if (median <= slowest) continue;
      slowest = median, range = half_range(times);
    }
    double const bound = rounds.front()[k].bandwidth;
    result.seconds += std::max(slowest, bound);
    if (slowest > bound) ranges += range;
  }
  if (result.seconds > 0) result.spread = ranges / result.seconds;
  return result;
}

}  // namespace skel::training
