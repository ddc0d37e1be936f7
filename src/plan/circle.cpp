#include <skel/detail/plan/schedule.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

#include <skel/detail/plan/collective.hpp>

namespace skel::plan {
namespace {

/// Appends the rounds of a rank. `first_phase`: of the first round.
void go_round(circle const& rounds, collective_problem const& problem, std::size_t rank, std::size_t first_phase,
              rank_schedule& mine) {
  std::size_t const n = problem.ranks, count = rounds.rounds(n);
  std::vector<byte_range> ranges;
  auto const phase = [&](std::size_t i) { return first_phase + (rounds.at_once ? 0 : i); };
  auto const send = [&](std::size_t i) {
    ranges.clear();
    rounds.sent(problem, rank, i, ranges);
    mine.add(step::action::send, (rank + rounds.ahead(n, i)) % n, phase(i), ranges);
  };
  auto const receive = [&](std::size_t i) {
    bool const combines = rounds.combines != nullptr && rounds.combines(n, i);
    ranges.clear();
    rounds.received(problem, rank, i, ranges);
    mine.add(combines ? step::action::combine_before : step::action::receive, (rank + n - rounds.ahead(n, i)) % n,
             phase(i), ranges);
  };
  for (std::size_t i = 0; i < count; ++i) {
    send(i);
    if (!rounds.at_once) receive(i);
  }
  for (std::size_t i = 0; i < count && rounds.at_once; ++i) receive(i);
}

/// How many phases the steps before the circle have.
std::size_t phases_of(schedule const& all) {
  std::size_t phases = 0;
  for (rank_schedule const& one : all.ranks)
    for (step const& s : one.steps) phases = std::max<std::size_t>(phases, s.phase + 1);
  return phases;
}

}  // namespace

bool even(circle const& rounds, collective_problem const& problem) {
  return rounds.alike_before == nullptr || rounds.alike_before(problem, 0, 0) == problem.ranks;
}

rank_schedule steps_of(circle const& rounds, collective_problem const& problem, std::size_t rank) {
  schedule all = rounds.before != nullptr ? rounds.before(problem) : schedule{};
  std::size_t const phases = phases_of(all);
  rank_schedule mine = rounds.before != nullptr ? std::move(all.ranks[rank]) : rounds.buffers(problem, rank);
  go_round(rounds, problem, rank, phases, mine);
  return mine;
}

schedule steps_of(circle const& rounds, collective_problem const& problem) {
  schedule all = rounds.before != nullptr ? rounds.before(problem) : schedule{};
  std::size_t const phases = phases_of(all);
  for (std::size_t r = 0; r < problem.ranks; ++r) {
    if (rounds.before == nullptr) all.ranks.push_back(rounds.buffers(problem, r));
    go_round(rounds, problem, r, phases, all.ranks[r]);
  }
  return all;
}

}  // namespace skel::plan
