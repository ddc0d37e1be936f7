#include <cstdint>
#include <vector>

#include "algorithms.hpp"

namespace skel::plan::detail {
namespace {

/// Work buffers of two halves: what is sent, in the order of the receivers, and what is received, in the order of the
/// senders.
schedule two_halves(collective_problem const& problem) {
  std::size_t const n = problem.ranks;
  std::uint64_t const m = problem.bytes;
  schedule result{std::vector<rank_schedule>(n)};
  for (std::size_t r = 0; r < n; ++r) {
    rank_schedule& mine = result.ranks[r];
    mine.work_bytes = 2 * n * m;
    mine.load = {{0, 0, n * m}, {r * m, (n + r) * m, m}};
    mine.unload.push_back({n * m, 0, n * m});
  }
  return result;
}

}  // namespace

/// In round i each rank sends to the one i behind it and receives from the one i before.
schedule pairwise_alltoall(collective_problem const& problem) {
  std::size_t const n = problem.ranks;
  std::uint64_t const m = problem.bytes;
  schedule result = two_halves(problem);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t i = 1; i < n; ++i) {
      std::size_t const to = (r + i) % n, from = (r + n - i) % n;
      result.ranks[r].add(step::action::send, to, i, {.first = to * m, .bytes = m});
      result.ranks[r].add(step::action::receive, from, i, {.first = (n + from) * m, .bytes = m});
    }
  return result;
}

/// The same messages, all under way at once.
schedule spread_out_alltoall(collective_problem const& problem) {
  std::size_t const n = problem.ranks;
  std::uint64_t const m = problem.bytes;
  schedule result = two_halves(problem);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t i = 1; i < n; ++i) {
      std::size_t const to = (r + i) % n;
      result.ranks[r].add(step::action::send, to, 0, {.first = to * m, .bytes = m});
    }
    for (std::size_t i = 1; i < n; ++i) {
      std::size_t const from = (r + n - i) % n;
      result.ranks[r].add(step::action::receive, from, 0, {.first = (n + from) * m, .bytes = m});
    }
  }
  return result;
}

/// Slot i of a rank's work buffer holds what is to go i ranks on; in round k all slots whose number has bit k go 2^k
/// on. Source: Bruck et al. 1997, as for allgather.
schedule bruck_alltoall(collective_problem const& problem) {
  std::size_t const n = problem.ranks;
  std::uint64_t const m = problem.bytes;
  schedule result{std::vector<rank_schedule>(n)};
  for (std::size_t r = 0; r < n; ++r) {
    rank_schedule& mine = result.ranks[r];
    mine.work_bytes = n * m;
    mine.load = {{r * m, 0, (n - r) * m}, {0, (n - r) * m, r * m}};
    for (std::size_t i = 0; i < n; ++i) mine.unload.push_back({i * m, (r + n - i) % n * m, m});  // came i ranks far
    std::size_t phase = 0;
    for (std::size_t distance = 1; distance < n; distance *= 2, ++phase) {
      std::vector<byte_range> slots;
      for (std::size_t i = 0; i < n; ++i)
        if (i & distance) slots.push_back({.first = i * m, .bytes = m});
      mine.add(step::action::send, (r + distance) % n, phase, slots);
      mine.add(step::action::receive, (r + n - distance) % n, phase, slots);
    }
  }
  return result;
}

}  // namespace skel::plan::detail
