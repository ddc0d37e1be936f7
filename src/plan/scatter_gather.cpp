#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "algorithms.hpp"

namespace skel::plan::detail {
namespace {

/// Parts of the subtree of a vertex, in the work buffer of `holder`, whose own part stands first.
byte_range parts_of(tree const& shape, std::size_t vertex, std::size_t holder, std::uint64_t bytes) {
  return {.first = (vertex - holder) * bytes, .bytes = shape.subtree(vertex) * bytes};
}

/// Between the root's buffer, in the order of the ranks, and its work buffer, in the order of the vertices.
void rotate(std::vector<copy>& copies, collective_problem const& problem, bool into_work) {
  std::uint64_t const m = problem.bytes, before = problem.root * m, behind = (problem.ranks - problem.root) * m;
  if (into_work)
    copies = {{before, 0, behind}, {0, behind, before}};
  else
    copies = {{0, before, behind}, {behind, 0, before}};
}

}  // namespace

schedule tree_scatter(tree const& shape, collective_problem const& problem) {
  std::uint64_t const m = problem.bytes;
  auto const round = rounds(shape);
  schedule result{std::vector<rank_schedule>(shape.size())};
  for (std::size_t v = 0; v < shape.size(); ++v) {
    rank_schedule& mine = result.ranks[rank_of(v, problem)];
    mine.work_bytes = shape.subtree(v) * m;
    mine.unload.push_back({0, 0, m});
    if (v == 0)
      rotate(mine.load, problem, true);
    else
      mine.add(step::action::receive, rank_of(shape.parent(v), problem), round[v], parts_of(shape, v, v, m));
    for (std::size_t i = 0; i < shape.degree(v); ++i) {
      std::size_t const child = shape.child(v, i);
      mine.add(step::action::send, rank_of(child, problem), round[child], parts_of(shape, child, v, m));
    }
  }
  return result;
}

schedule tree_gather(tree const& shape, collective_problem const& problem) {
  std::uint64_t const m = problem.bytes;
  auto const phase = heights(shape);
  schedule result{std::vector<rank_schedule>(shape.size())};
  for (std::size_t v = 0; v < shape.size(); ++v) {
    rank_schedule& mine = result.ranks[rank_of(v, problem)];
    mine.work_bytes = shape.subtree(v) * m;
    mine.load.push_back({0, 0, m});
    for (std::size_t child : nearest_first(shape, v))
      mine.add(step::action::receive, rank_of(child, problem), phase[child], parts_of(shape, child, v, m));
    if (v == 0)
      rotate(mine.unload, problem, false);
    else
      mine.add(step::action::send, rank_of(shape.parent(v), problem), phase[v], parts_of(shape, v, v, m));
  }
  return result;
}

namespace {

std::size_t all_others(std::size_t ranks) {
  return ranks - 1;
}

/// ceil(log2 ranks).
std::size_t doublings(std::size_t ranks) {
  return static_cast<std::size_t>(std::bit_width(ranks - 1));
}

std::size_t distance_of(std::size_t round) {
  return std::size_t{1} << round;
}

}  // namespace

/// Each rank hands its last piece on to the next.
circle const ring_allgather{
    .rounds = all_others,
    .ahead = [](std::size_t, std::size_t) { return std::size_t{1}; },
    .sent =
        [](collective_problem const& problem, std::size_t rank, std::size_t i, std::vector<byte_range>& into) {
          std::size_t const n = problem.ranks;
          into.push_back({.first = (rank + n - i) % n * problem.bytes, .bytes = problem.bytes});
        },
    .received =
        [](collective_problem const& problem, std::size_t rank, std::size_t i, std::vector<byte_range>& into) {
          std::size_t const n = problem.ranks;
          into.push_back({.first = (rank + n - i - 1) % n * problem.bytes, .bytes = problem.bytes});
        },
    .buffers =
        [](collective_problem const& problem, std::size_t rank) {
          std::uint64_t const m = problem.bytes, all = problem.ranks * m;
          return rank_schedule{.work_bytes = all, .load = {{0, rank * m, m}}, .unload = {{0, 0, all}}};
        }};

/// In round k, what is there goes to the rank 2^k before, as far as it still lacks it. Slot i of a rank's work buffer
/// has the part of the rank i places further on.
/// Source: Bruck, Ho, Kipnis, Upfal, Weathersby 1997, "Efficient algorithms for all-to-all communications in multiport
/// message-passing systems", IEEE Transactions on Parallel and Distributed Systems 8(11):1143-1156.
circle const bruck_allgather{
    .rounds = doublings,
    .ahead = [](std::size_t ranks, std::size_t k) { return ranks - distance_of(k); },
    .sent =
        [](collective_problem const& problem, std::size_t, std::size_t k, std::vector<byte_range>& into) {
          std::size_t const distance = distance_of(k);
          into.push_back({.first = 0, .bytes = std::min(distance, problem.ranks - distance) * problem.bytes});
        },
    .received =
        [](collective_problem const& problem, std::size_t, std::size_t k, std::vector<byte_range>& into) {
          std::size_t const distance = distance_of(k);
          into.push_back({.first = distance * problem.bytes,
                          .bytes = std::min(distance, problem.ranks - distance) * problem.bytes});
        },
    .buffers =
        [](collective_problem const& problem, std::size_t rank) {
          std::uint64_t const m = problem.bytes, before = rank * m, behind = (problem.ranks - rank) * m;
          return rank_schedule{.work_bytes = problem.ranks * m,
                               .load = {{0, 0, m}},
                               .unload = {{0, before, behind}, {behind, 0, before}}};
        }};

circle const dissemination_barrier{
    .rounds = doublings,
    .ahead = [](std::size_t, std::size_t k) { return distance_of(k); },
    .sent = [](collective_problem const&, std::size_t, std::size_t, std::vector<byte_range>&) {},
    .received = [](collective_problem const&, std::size_t, std::size_t, std::vector<byte_range>&) {},
    .buffers = [](collective_problem const&, std::size_t) { return rank_schedule{}; }};

}  // namespace skel::plan::detail
