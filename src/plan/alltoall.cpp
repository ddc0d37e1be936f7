#include <bit>
#include <cstdint>
#include <vector>

#include "algorithms.hpp"

namespace skel::plan::detail {
namespace {

/// A work buffer of two halves: data to send, in the order of the receivers, and received data, in the order of the
/// senders.
rank_schedule two_halves(collective_problem const& problem, std::size_t rank) {
  std::size_t const n = problem.ranks;
  std::uint64_t const m = problem.bytes;
  return {
      .work_bytes = 2 * n * m, .load = {{0, 0, n * m}, {rank * m, (n + rank) * m, m}}, .unload = {{n * m, 0, n * m}}};
}

/// In round i each rank sends to the one i + 1 behind it and receives from the one as far before.
constexpr circle to_each(bool at_once) {
  return {.rounds = [](std::size_t ranks) { return ranks - 1; },
          .ahead = [](std::size_t, std::size_t i) { return i + 1; },
          .sent =
              [](collective_problem const& problem, std::size_t rank, std::size_t i, std::vector<byte_range>& into) {
                std::size_t const to = (rank + i + 1) % problem.ranks;
                into.push_back({.first = to * problem.bytes, .bytes = problem.bytes});
              },
          .received =
              [](collective_problem const& problem, std::size_t rank, std::size_t i, std::vector<byte_range>& into) {
                std::size_t const n = problem.ranks, from = (rank + n - i - 1) % n;
                into.push_back({.first = (n + from) * problem.bytes, .bytes = problem.bytes});
              },
          .at_once = at_once,
          .buffers = two_halves};
}

void slots_with_bit(collective_problem const& problem, std::size_t, std::size_t bit, std::vector<byte_range>& into) {
  for (std::size_t i = 0; i < problem.ranks; ++i)
    if ((i >> bit) % 2 == 1) into.push_back({.first = i * problem.bytes, .bytes = problem.bytes});
}

}  // namespace

circle const pairwise_alltoall = to_each(false);

/// The same messages, all under way at once.
circle const spread_out_alltoall = to_each(true);

/// Slot i of a rank's work buffer holds data that has to go i ranks on. In round k all slots whose number has bit k go
/// 2^k on. Source: Bruck et al. 1997, as for allgather.
circle const bruck_alltoall{
    .rounds = [](std::size_t ranks) { return static_cast<std::size_t>(std::bit_width(ranks - 1)); },
    .ahead = [](std::size_t, std::size_t k) { return std::size_t{1} << k; },
    .sent = slots_with_bit,
    .received = slots_with_bit,
    .buffers =
        [](collective_problem const& problem, std::size_t rank) {
          std::size_t const n = problem.ranks;
          std::uint64_t const m = problem.bytes;
          rank_schedule mine{.work_bytes = n * m,
                             .load = {{rank * m, 0, (n - rank) * m}, {0, (n - rank) * m, rank * m}}};
          for (std::size_t i = 0; i < n; ++i) mine.unload.push_back({i * m, (rank + n - i) % n * m, m});  // came i far
          return mine;
        }};

}  // namespace skel::plan::detail
