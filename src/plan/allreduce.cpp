#include <bit>
#include <cstdint>
#include <vector>

#include "algorithms.hpp"

namespace skel::plan::detail {
namespace {

/// Ranks folded to a power of two: of the first 2 * extra ranks, each even one gives its operand to the odd one behind
/// it and takes no part in what follows, so that the operands stay in order. Folded ranks are numbered 0 .. power - 1.
struct folding {
  explicit folding(std::size_t ranks) : power(std::bit_floor(ranks)), extra(ranks - power) {}

  bool gives(std::size_t rank) const { return rank < 2 * extra && rank % 2 == 0; }
  bool takes(std::size_t rank) const { return rank < 2 * extra && rank % 2 == 1; }
  std::size_t folded(std::size_t rank) const { return rank < 2 * extra ? rank / 2 : rank - extra; }
  std::size_t rank(std::size_t number) const { return number < extra ? 2 * number + 1 : number + extra; }

  std::size_t power, extra;
};

schedule vectors_everywhere(collective_problem const& problem) {
  schedule result{std::vector<rank_schedule>(problem.ranks)};
  for (rank_schedule& mine : result.ranks) {
    mine.work_bytes = problem.bytes;
    mine.load.push_back({0, 0, problem.bytes});
    mine.unload.push_back({0, 0, problem.bytes});
  }
  return result;
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
/// round partners exchange halves of what they still have; halves are split at the highest bit first, so that operands
/// are combined in the order of the numbers when partners at distance 1 begin. Gives the next phase.
std::size_t halve(schedule& all, folding const& f, collective_problem const& problem) {
  std::size_t phase = 1;
  for (std::size_t distance = 1; distance < f.power; distance *= 2, ++phase)
    for (std::size_t n = 0; n < f.power; ++n) {
      std::size_t const partner = n ^ distance;
      // After rounds 1 .. distance/2, number n has the pieces whose low bits (below distance) are its own.
      std::vector<byte_range> keep, give;
      for (std::size_t piece_number = n & (distance - 1); piece_number < f.power; piece_number += distance) {
        auto const part = piece(problem, piece_number, f.power);
        ((piece_number & distance) == (n & distance) ? keep : give).push_back(part);
      }
      rank_schedule& mine = all.ranks[f.rank(n)];
      mine.add(step::action::send, f.rank(partner), phase, give);
      mine.add(combining(n, partner), f.rank(partner), phase, keep);
    }
  return phase;
}

}  // namespace

/// Source: Thakur, Rabenseifner, Gropp 2005, "Optimization of collective communication operations in MPICH",
/// International Journal of High Performance Computing Applications 19(1):49-66; ranks that are too many for a power of
/// two are folded as there.
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
schedule ring_allreduce(collective_problem const& problem) {
  std::size_t const n = problem.ranks;
  schedule result = vectors_everywhere(problem);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t i = 0; i < 2 * (n - 1); ++i) {
      bool const combines = i + 1 < n;
      rank_schedule& mine = result.ranks[r];
      mine.add(step::action::send, (r + 1) % n, i, piece(problem, (r + 2 * n - i) % n, n));
      mine.add(combines ? step::action::combine_before : step::action::receive, (r + n - 1) % n, i,
               piece(problem, (r + 2 * n - i - 1) % n, n));
    }
  return result;
}

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
      for (std::size_t i = n & (2 * distance - 1); i < f.power; i += 2 * distance)
        mine_now.push_back(piece(problem, i, f.power));
      for (std::size_t i = partner & (2 * distance - 1); i < f.power; i += 2 * distance)
        theirs.push_back(piece(problem, i, f.power));
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
  // Undoing the rounds of halving, the last first: whoever differs from the target in its bit gives what it has.
  for (std::size_t distance = f.power / 2; distance > 0; distance /= 2, ++phase)
    for (std::size_t n = 0; n < f.power; ++n) {
      std::size_t const partner = n ^ distance;
      bool const done = ((n ^ target) & (f.power - 1) & ~(2 * distance - 1)) != 0;  // gave in an earlier round
      if (done) continue;
      bool const sends = ((n ^ target) & distance) != 0;
      std::size_t const sender = sends ? n : partner;
      std::vector<byte_range> parts;
      for (std::size_t i = sender & (2 * distance - 1); i < f.power; i += 2 * distance)
        parts.push_back(piece(problem, i, f.power));
      result.ranks[f.rank(n)].add(sends ? step::action::send : step::action::receive, f.rank(partner), phase, parts);
    }
  if (f.gives(problem.root)) {
    result.ranks[problem.root + 1].add(step::action::send, problem.root, phase, whole);
    result.ranks[problem.root].add(step::action::receive, problem.root + 1, phase, whole);
  }
  return result;
}

}  // namespace skel::plan::detail
