#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>

#include <skel/detail/plan/block.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/reduction/accumulators.hpp>
#include <skel/detail/runtime/reduction/loops.hpp>

namespace skel::runtime::reduction {

/// Iterations of a loop for each one that is run twice to time the body.
inline constexpr std::size_t timed_share = 1000;

/// Assumed time of an iteration of a body that nobody could time [s]: it makes a value for each slot.
inline double least_body_seconds(std::size_t iterations, std::size_t subscripts) {
  return iterations == 0 ? 0 : least_seconds_each * static_cast<double>(subscripts) / static_cast<double>(iterations);
}

/// Time of an iteration without accumulating, on one thread [s], from no more than `most` of them. They run one after
/// the other, as in the loop, where the next one begins before the last has ended. They form evenly spread windows, so
/// long that reading the clock, which is subtracted, is a quarter of their time. Nothing if it is more than half. Each
/// window runs twice: the first run fills the caches for the second. The shorter one counts, and so it does not matter
/// if the thread is held up. Calls body(i, accumulator) with an accumulator that drops its values, 2 `most` times at
/// the most.
template <class Body>
std::optional<double> body_seconds(std::size_t iterations, std::size_t most, Body& body) {
  constexpr std::size_t first_guess = 4, most_windows = 4;
  constexpr double wanted = 4, needed = 2;  // readings of the clock
  std::size_t const allowed = std::min(most, iterations);
  if (allowed == 0) return std::nullopt;
  double clock = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    double const begin = record::now();
    clock = std::min(clock, record::now() - begin);
  }
  clock = std::max(clock, 1e-9);  // some have longer ticks
  auto const seconds_of = [&](std::size_t begin, std::size_t end) {
    auto const nowhere = [](std::size_t) { return dropping_accumulator{}; };
    double const start = record::now();
    run_iterations(begin, end, nowhere, body);
    double const middle = record::now();
    run_iterations(begin, end, nowhere, body);
    return std::min(middle - start, record::now() - middle);
  };
  // Length of the windows, from some iterations at the end.
  std::size_t const some = std::min(first_guess, (allowed + 1) / 2);
  double const guess =
      std::max(clock / 8, seconds_of(iterations - some, iterations) - clock) / static_cast<double>(some);
  std::size_t const rest = allowed - some, windows = std::clamp<std::size_t>(rest / first_guess, 1, most_windows);
  auto const length = std::min<std::size_t>(rest / windows, 1 + static_cast<std::size_t>(wanted * clock / guess));
  double seconds = 0;
  for (std::size_t w = 0; w < windows; ++w) {
    std::size_t const begin = plan::block_of(iterations - some, windows, w).begin;
    seconds += seconds_of(begin, begin + length);
  }
  double const reading = static_cast<double>(windows) * clock;
  if (length == 0 || seconds < needed * reading) return std::nullopt;
  return (seconds - reading) / static_cast<double>(windows * length);
}

}  // namespace skel::runtime::reduction
