#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "algorithms.hpp"

namespace skel::plan::detail {

std::vector<std::uint32_t> heights(tree const& shape) {
  std::vector<std::uint32_t> height(shape.size(), 0);
  for (std::size_t v = shape.size(); v-- > 1;)
    height[shape.parent(v)] = std::max(height[shape.parent(v)], height[v] + 1);
  return height;
}

std::vector<std::size_t> nearest_first(tree const& shape, std::size_t vertex) {
  std::vector<std::size_t> children(shape.degree(vertex));
  for (std::size_t i = 0; i < children.size(); ++i) children[i] = shape.child(vertex, i);
  std::sort(children.begin(), children.end());
  return children;
}

schedule tree_reduce(tree const& shape, collective_problem const& problem, bool all_at_once) {
  segmentation const segments = cut(problem);
  auto const phase = all_at_once && segments.count > 1 ? std::vector<std::uint32_t>(shape.size(), 0) : heights(shape);
  schedule result{std::vector<rank_schedule>(shape.size())};
  for (std::size_t v = 0; v < shape.size(); ++v) {
    rank_schedule& mine = result.ranks[rank_of(v, problem)];
    mine.work_bytes = problem.bytes;
    mine.load.push_back({0, 0, problem.bytes});
    if (v == 0) mine.unload.push_back({0, 0, problem.bytes});
    for (std::uint64_t k = 0; k < segments.count; ++k) {
      byte_range const part{.first = k * segments.bytes,
                            .bytes = k + 1 == segments.count ? segments.last : segments.bytes};
      for (std::size_t child : nearest_first(shape, v))
        mine.add(step::action::combine, rank_of(child, problem), phase[child], part);
      if (v != 0) mine.add(step::action::send, rank_of(shape.parent(v), problem), phase[v], part);
    }
  }
  return result;
}

namespace {

/// Ranks folded to a power of two. Of the first 2 * extra ranks, each even one gives its operand to the odd one behind
/// it and takes no further part. So the operands stay in order. Folded ranks are numbered 0 .. power - 1.
struct folding {
  explicit folding(std::size_t ranks) : power(std::bit_floor(ranks)), extra(ranks - power) {}

  bool gives(std::size_t rank) const { return rank < 2 * extra && rank % 2 == 0; }
  bool takes(std::size_t rank) const { return rank < 2 * extra && rank % 2 == 1; }
  std::size_t folded(std::size_t rank) const { return rank < 2 * extra ? rank / 2 : rank - extra; }
  std::size_t rank(std::size_t number) const { return number < extra ? 2 * number + 1 : number + extra; }

  std::size_t power, extra;
};

rank_schedule whole_vector(collective_problem const& problem) {
  return {.work_bytes = problem.bytes, .load = {{0, 0, problem.bytes}}, .unload = {{0, 0, problem.bytes}}};
}

schedule vectors_everywhere(collective_problem const& problem) {
  return {std::vector<rank_schedule>(problem.ranks, whole_vector(problem))};
}

/// Appends every `stride`-th piece of n, from `first` on; for a price, one range of as many bytes.
void add_every(collective_problem const& problem, std::size_t first, std::size_t stride, std::size_t n,
               std::vector<byte_range>& into) {
  if (!problem.priced) {
    for (std::size_t i = first; i < n; i += stride) into.push_back(piece(problem, i, n));
    return;
  }
  // The first `longer` pieces have one unit more than the others.
  std::uint64_t const unit = std::max<std::uint64_t>(problem.unit, 1), units = problem.bytes / unit;
  auto const below = [&](std::uint64_t end) { return end > first ? (end - first - 1) / stride + 1 : 0; };
  into.push_back({.first = 0, .bytes = (below(n) * (units / n) + below(units % n)) * unit});
}

step::action combining(std::size_t me, std::size_t peer) {
  return peer < me ? step::action::combine_before : step::action::combine;
}

/// The operands of ranks that give are combined; what follows has phases from 1.
void fold(schedule& all, folding const& f, byte_range whole) {
  for (std::size_t r = 0; r + 1 < 2 * f.extra; r += 2) {
    all.ranks[r].add(step::action::send, r + 1, 0, whole);
    all.ranks[r + 1].add(step::action::combine_before, r, 0, whole);
  }
}

/// Reduce and scatter by recursive halving among folded ranks: number n is left with piece n of the vector. In each
/// round partners exchange halves of what they still have. Halves are split at the highest bit first. So partners at
/// distance 1 can begin, and operands are still combined in the order of the numbers. Gives the next phase.
std::size_t halve(schedule& all, folding const& f, collective_problem const& problem) {
  std::size_t phase = 1;
  for (std::size_t distance = 1; distance < f.power; distance *= 2, ++phase)
    for (std::size_t n = 0; n < f.power; ++n) {
      std::size_t const partner = n ^ distance;
      // After rounds 1 .. distance/2, number n has the pieces whose low bits (below distance) are its own.
      std::vector<byte_range> keep, give;
      add_every(problem, n & (2 * distance - 1), 2 * distance, f.power, keep);
      add_every(problem, partner & (2 * distance - 1), 2 * distance, f.power, give);
      rank_schedule& mine = all.ranks[f.rank(n)];
      mine.add(step::action::send, f.rank(partner), phase, give);
      mine.add(combining(n, partner), f.rank(partner), phase, keep);
    }
  return phase;
}

}  // namespace

/// Source: Thakur, Rabenseifner, Gropp 2005, "Optimization of collective communication operations in MPICH",
/// International Journal of High Performance Computing Applications 19(1):49-66. The ranks beyond a power of two are
/// folded as there.
schedule recursive_doubling_allreduce(collective_problem const& problem) {
  folding const f(problem.ranks);
  byte_range const whole{0, problem.bytes};
  schedule result = vectors_everywhere(problem);
  fold(result, f, whole);
  std::size_t phase = 1;
  for (std::size_t distance = 1; distance < f.power; distance *= 2, ++phase)
    for (std::size_t n = 0; n < f.power; ++n) {
      rank_schedule& mine = result.ranks[f.rank(n)];
      std::size_t const partner = n ^ distance;
      mine.add(step::action::send, f.rank(partner), phase, whole);
      mine.add(combining(n, partner), f.rank(partner), phase, whole);
    }
  for (std::size_t r = 0; r + 1 < 2 * f.extra; r += 2) {
    result.ranks[r + 1].add(step::action::send, r, phase, whole);
    result.ranks[r].add(step::action::receive, r + 1, phase, whole);
  }
  return result;
}

/// Pieces go round a ring twice: first each is combined on its way, then the results are handed on.
/// Source: Patarasuk and Yuan 2009, "Bandwidth optimal all-reduce algorithms for clusters of workstations", Journal of
/// Parallel and Distributed Computing 69(2):117-124.
circle const ring_allreduce{
    .rounds = [](std::size_t ranks) { return 2 * (ranks - 1); },
    .ahead = [](std::size_t, std::size_t) { return std::size_t{1}; },
    .sent =
        [](collective_problem const& problem, std::size_t rank, std::size_t i, std::vector<byte_range>& into) {
          std::size_t const n = problem.ranks;
          into.push_back(piece(problem, (rank + 2 * n - i) % n, n));
        },
    .received =
        [](collective_problem const& problem, std::size_t rank, std::size_t i, std::vector<byte_range>& into) {
          std::size_t const n = problem.ranks;
          into.push_back(piece(problem, (rank + 2 * n - i - 1) % n, n));
        },
    .alike_before =
        [](collective_problem const& problem, std::size_t rank, std::size_t i) {
          return alike_before(problem, rank, (rank + 2 * problem.ranks - i) % problem.ranks);
        },
    .combines = [](std::size_t ranks, std::size_t i) { return i + 1 < ranks; },
    .buffers = [](collective_problem const& problem, std::size_t) { return whole_vector(problem); }};

/// Reduce and scatter by recursive halving, allgather by recursive doubling.
/// Source: Rabenseifner 2004, "Optimization of collective reduction operations", ICCS, LNCS 3036:1-9.
schedule rabenseifner_allreduce(collective_problem const& problem) {
  folding const f(problem.ranks);
  byte_range const whole{0, problem.bytes};
  schedule result = vectors_everywhere(problem);
  fold(result, f, whole);
  std::size_t phase = halve(result, f, problem);
  for (std::size_t distance = f.power / 2; distance > 0; distance /= 2, ++phase)
    for (std::size_t n = 0; n < f.power; ++n) {
      std::size_t const partner = n ^ distance;
      // Number n has the pieces that agree with it in the bits below 2 * distance.
      std::vector<byte_range> mine_now, theirs;
      add_every(problem, n & (2 * distance - 1), 2 * distance, f.power, mine_now);
      add_every(problem, partner & (2 * distance - 1), 2 * distance, f.power, theirs);
      rank_schedule& mine = result.ranks[f.rank(n)];
      mine.add(step::action::send, f.rank(partner), phase, mine_now);
      mine.add(step::action::receive, f.rank(partner), phase, theirs);
    }
  for (std::size_t r = 0; r + 1 < 2 * f.extra; r += 2) {
    result.ranks[r + 1].add(step::action::send, r, phase, whole);
    result.ranks[r].add(step::action::receive, r + 1, phase, whole);
  }
  return result;
}

/// Reduce and scatter by recursive halving, gather on a binomial tree of the folded ranks. A root that was folded away
/// gets the result from its partner.
/// Source: Rabenseifner 2004, as above.
schedule rabenseifner_reduce(collective_problem const& problem) {
  folding const f(problem.ranks);
  byte_range const whole{0, problem.bytes};
  schedule result = vectors_everywhere(problem);
  for (std::size_t r = 0; r < problem.ranks; ++r)
    if (r != problem.root) result.ranks[r].unload.clear();
  fold(result, f, whole);
  std::size_t phase = halve(result, f, problem);
  std::size_t const target = f.folded(problem.root);
  // Undoing the rounds of halving, the last first: ranks unlike the target in its bit give all they have.
  for (std::size_t distance = f.power / 2; distance > 0; distance /= 2, ++phase)
    for (std::size_t n = 0; n < f.power; ++n) {
      std::size_t const partner = n ^ distance;
      bool const done = ((n ^ target) & (f.power - 1) & ~(2 * distance - 1)) != 0;  // gave in an earlier round
      if (done) continue;
      bool const sends = ((n ^ target) & distance) != 0;
      std::size_t const sender = sends ? n : partner;
      std::vector<byte_range> parts;
      add_every(problem, sender & (2 * distance - 1), 2 * distance, f.power, parts);
      result.ranks[f.rank(n)].add(sends ? step::action::send : step::action::receive, f.rank(partner), phase, parts);
    }
  if (f.gives(problem.root)) {
    result.ranks[problem.root + 1].add(step::action::send, problem.root, phase, whole);
    result.ranks[problem.root].add(step::action::receive, problem.root + 1, phase, whole);
  }
  return result;
}

}  // namespace skel::plan::detail
