#include <algorithm>
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

schedule ring_allgather(collective_problem const& problem) {
  std::size_t const n = problem.ranks;
  std::uint64_t const m = problem.bytes;
  schedule result{std::vector<rank_schedule>(n)};
  for (std::size_t r = 0; r < n; ++r) {
    rank_schedule& mine = result.ranks[r];
    mine.work_bytes = n * m;
    mine.load.push_back({0, r * m, m});
    mine.unload.push_back({0, 0, n * m});
    for (std::size_t i = 0; i + 1 < n; ++i) {
      mine.add(step::action::send, (r + 1) % n, i, {.first = (r + n - i) % n * m, .bytes = m});
      mine.add(step::action::receive, (r + n - 1) % n, i, {.first = (r + n - i - 1) % n * m, .bytes = m});
    }
  }
  return result;
}

/// In round k, what is there goes to the rank 2^k before, as far as it still lacks it.
/// Source: Bruck, Ho, Kipnis, Upfal, Weathersby 1997, "Efficient algorithms for all-to-all communications in multiport
/// message-passing systems", IEEE Transactions on Parallel and Distributed Systems 8(11):1143-1156.
schedule bruck_allgather(collective_problem const& problem) {
  std::size_t const n = problem.ranks;
  std::uint64_t const m = problem.bytes;
  schedule result{std::vector<rank_schedule>(n)};
  for (std::size_t r = 0; r < n; ++r) {
    rank_schedule& mine = result.ranks[r];  // slot i of its work buffer has the part of rank r + i
    mine.work_bytes = n * m;
    mine.load.push_back({0, 0, m});
    mine.unload = {{0, r * m, (n - r) * m}, {(n - r) * m, 0, r * m}};
    std::size_t phase = 0;
    for (std::size_t distance = 1; distance < n; distance *= 2, ++phase) {
      std::uint64_t const some = std::min(distance, n - distance) * m;
      mine.add(step::action::send, (r + n - distance) % n, phase, {.first = 0, .bytes = some});
      mine.add(step::action::receive, (r + distance) % n, phase, {.first = distance * m, .bytes = some});
    }
  }
  return result;
}

schedule dissemination_barrier(collective_problem const& problem) {
  std::size_t const n = problem.ranks;
  schedule result{std::vector<rank_schedule>(n)};
  for (std::size_t r = 0; r < n; ++r) {
    std::size_t phase = 0;
    for (std::size_t distance = 1; distance < n; distance *= 2, ++phase) {
      result.ranks[r].add(step::action::send, (r + distance) % n, phase, byte_range{});
      result.ranks[r].add(step::action::receive, (r + n - distance) % n, phase, byte_range{});
    }
  }
  return result;
}

}  // namespace skel::plan::detail
