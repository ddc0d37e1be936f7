#include <algorithm>
#include <bit>

#include <skel/detail/base/contract.hpp>

#include "algorithms.hpp"

namespace skel::plan::detail {

byte_range pieces(collective_problem const& problem, std::size_t first, std::size_t count, std::size_t n) {
  std::uint64_t const unit = std::max<std::uint64_t>(problem.unit, 1), units = problem.bytes / unit;
  // The first `longer` pieces have one unit more than the others.
  std::uint64_t const shortest = units / n, longer = units % n;
  auto const start = [&](std::uint64_t i) { return (i * shortest + std::min(i, longer)) * unit; };
  return {.first = start(first), .bytes = start(first + count) - start(first)};
}

byte_range piece(collective_problem const& problem, std::size_t i, std::size_t n) {
  return pieces(problem, i, 1, n);
}

std::size_t alike_before(collective_problem const& problem, std::size_t rank, std::size_t i) {
  std::uint64_t const n = problem.ranks, longer = problem.bytes / std::max<std::uint64_t>(problem.unit, 1) % n;
  return longer == 0 ? n : std::min(n, rank + (i < longer ? longer : n) - i);
}

std::vector<std::uint32_t> rounds(tree const& shape) {
  std::vector<std::uint32_t> round(shape.size(), 0);
  for (std::size_t v = 0; v < shape.size(); ++v)
    for (std::size_t i = 0; i < shape.degree(v); ++i)
      round[shape.child(v, i)] = round[v] + static_cast<std::uint32_t>(i) + 1;
  return round;
}

schedule tree_broadcast(tree const& shape, collective_problem const& problem, bool all_at_once) {
  segmentation const segments = cut(problem);
  auto const round = all_at_once && segments.count > 1 ? std::vector<std::uint32_t>(shape.size(), 0) : rounds(shape);
  schedule result{std::vector<rank_schedule>(shape.size())};
  for (std::size_t v = 0; v < shape.size(); ++v) {
    rank_schedule& mine = result.ranks[rank_of(v, problem)];
    mine.work_bytes = problem.bytes;
    if (v == 0) mine.load.push_back({0, 0, problem.bytes});
    mine.unload.push_back({0, 0, problem.bytes});
    for (std::uint64_t k = 0; k < segments.count; ++k) {
      byte_range const part{.first = k * segments.bytes,
                            .bytes = k + 1 == segments.count ? segments.last : segments.bytes};
      if (v != 0) mine.add(step::action::receive, rank_of(shape.parent(v), problem), round[v], part);
      for (std::size_t i = 0; i < shape.degree(v); ++i) {
        std::size_t const child = shape.child(v, i);
        mine.add(step::action::send, rank_of(child, problem), round[child], part);
      }
    }
  }
  return result;
}

namespace {

/// Each vertex of a binomial tree gets the pieces of its subtree.
schedule scatter_pieces(collective_problem const& problem) {
  std::size_t const n = problem.ranks;
  tree const shape = binomial_tree(n);
  auto const round = rounds(shape);
  schedule result{std::vector<rank_schedule>(n)};
  for (std::size_t v = 0; v < n; ++v) {
    rank_schedule& mine = result.ranks[rank_of(v, problem)];
    mine.work_bytes = problem.bytes;
    if (v == 0) mine.load.push_back({0, 0, problem.bytes});
    mine.unload.push_back({0, 0, problem.bytes});
    if (v != 0)
      mine.add(step::action::receive, rank_of(shape.parent(v), problem), round[v],
               pieces(problem, v, shape.subtree(v), n));
    for (std::size_t i = 0; i < shape.degree(v); ++i) {
      std::size_t const child = shape.child(v, i);
      mine.add(step::action::send, rank_of(child, problem), round[child],
               pieces(problem, child, shape.subtree(child), n));
    }
  }
  return result;
}

}  // namespace

/// Van de Geijn: the root scatters pieces of the vector on a binomial tree, then the pieces go round a ring.
/// Source: Barnett, Gupta, Payne, Shuler, van de Geijn, Watts 1994, "Interprocessor collective communication library
/// (InterCom)", Scalable High-Performance Computing Conference, 357-364.
circle const scatter_allgather_broadcast{
    .rounds = [](std::size_t ranks) { return ranks - 1; },
    .ahead = [](std::size_t, std::size_t) { return std::size_t{1}; },
    .sent =
        [](collective_problem const& problem, std::size_t rank, std::size_t i, std::vector<byte_range>& into) {
          std::size_t const n = problem.ranks;
          into.push_back(piece(problem, (vertex_of(rank, problem) + n - i) % n, n));
        },
    .received =
        [](collective_problem const& problem, std::size_t rank, std::size_t i, std::vector<byte_range>& into) {
          std::size_t const n = problem.ranks;
          into.push_back(piece(problem, (vertex_of(rank, problem) + n - i - 1) % n, n));
        },
    .alike_before =
        [](collective_problem const& problem, std::size_t rank, std::size_t i) {
          return alike_before(problem, rank, (vertex_of(rank, problem) + problem.ranks - i) % problem.ranks);
        },
    .before = scatter_pieces};

}  // namespace skel::plan::detail
