#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/collective_recursion.hpp>
#include <skel/detail/plan/collective.hpp>
#include <skel/detail/plan/schedule.hpp>

namespace skel::cost {

/// The most messages of a circle that are followed each, at some 3 ns in large clusters: as many as 16384 ranks send to
/// each other.
inline constexpr std::size_t most_circle_messages = std::size_t{1} << 28;

/// The most ranks whose steps are priced: each takes up to 2 kB (recursive doubling). A search for the best segment
/// prices its tree some thousand times, at some 20 ns for each rank.
inline constexpr std::size_t most_priced_ranks = std::size_t{1} << 16;

/// True if a model gives the same for all pairs of ranks. Models that know clusters tell this themselves.
template <communication_model Model>
bool equal_hosts(Model const& model) {
  if constexpr (requires { model.equal_hosts(); })
    return model.equal_hosts();
  else
    return true;
}

namespace detail {

/// The first rank behind `rank` whose messages may be unlike those of `rank` in a model.
template <communication_model Model>
std::size_t alike_before(Model const& model, std::size_t rank) {
  if constexpr (requires { model.alike_before(rank); })
    return model.alike_before(rank);
  else
    return std::numeric_limits<std::size_t>::max();
}

/// The messages of a circle.
template <communication_model Model>
class circle_messages {
 public:
  circle_messages(plan::circle const& rounds, plan::collective_problem const& problem)
      : rounds_(rounds), problem_(problem), even_(plan::even(rounds, problem)) {
    double const together = rounds.at_once ? static_cast<double>(rounds.rounds(problem.ranks)) : 1;
    in_network_ = static_cast<double>(problem.ranks) * together;
    at_receiver_ = 2 * together;  // the receiver sends, too
  }

  void begin(std::size_t round) {
    round_ = round;
    ahead_ = rounds_.ahead(problem_.ranks, round);
    if (even_) bytes_ = count(0);
  }
  /// The message of a rank in the round that has begun.
  message of(std::size_t rank) {
    if (!even_) bytes_ = count(rank);
    std::size_t const to = rank + ahead_;
    return {.bytes = bytes_,
            .from = rank,
            .to = to < problem_.ranks ? to : to - problem_.ranks,
            .at_receiver = at_receiver_,
            .in_network = in_network_};
  }
  /// The first rank behind `rank` whose message in this round differs in bytes or path, or goes to rank 0.
  std::size_t alike_before(std::size_t rank, Model const& model) const {
    std::size_t const n = problem_.ranks, to = (rank + ahead_) % n, here = detail::alike_before(model, rank) - rank,
                      there = std::min(n, detail::alike_before(model, to)) - to;
    std::size_t const alike = rank + std::min(here, there);
    return even_ ? std::min(n, alike) : std::min(rounds_.alike_before(problem_, rank, round_), alike);
  }

 private:
  double count(std::size_t rank) {
    ranges_.clear();
    rounds_.sent(problem_, rank, round_, ranges_);
    double sum = 0;
    for (plan::byte_range const& one : ranges_) sum += static_cast<double>(one.bytes);
    return sum;
  }

  plan::circle const& rounds_;
  plan::collective_problem const& problem_;
  bool even_;
  double in_network_, at_receiver_, bytes_ = 0;
  std::size_t round_ = 0, ahead_ = 0;
  std::vector<plan::byte_range> ranges_{};
};

/// State of the ranks in a circle [s]: an array for each time of rank_state, so that equal neighbours advance together.
class circle_states {
 public:
  /// waits: sends of a rank wait for its receives in the rounds before.
  circle_states(std::vector<rank_state> const& begin, bool waits) {
    for (rank_state const& one : begin) {
      sent_.push_back(one.sent);
      arrived_.push_back(one.arrived);
      combined_.push_back(one.combined);
      ready_.push_back(one.ready);
    }
    next_ = ready_;
    if (!waits) begun_ = ready_;
  }

  struct run {
    std::size_t from, to, ranks;  // the first sender, its receiver, and the number of senders
  };
  /// Each of the ranks sends a message of these times, and as many get them. combining: time of the operator [s].
  template <bool Combines>
  void pass(run const& of, message_times const& t, double combining) {
    double const *const begun = (begun_.empty() ? ready_ : begun_).data() + of.from;
    double const* const ready = ready_.data() + of.to;
    double *const sent = sent_.data() + of.from, *const arrived = arrived_.data() + of.to;
    double *const combined = combined_.data() + of.to, *const next = next_.data() + of.to;
    for (std::size_t k = 0; k < of.ranks; ++k) {
      double const start = std::max(sent[k], begun[k]);
      sent[k] = start + t.send_busy;
      arrived[k] = std::max(start + t.transfer, arrived[k] + t.receive_busy);
      if constexpr (Combines) combined[k] = std::max(arrived[k], combined[k] + t.receive_overhead) + combining;
      next[k] = std::max(ready[k], Combines ? combined[k] : arrived[k]);
    }
  }
  /// All ranks have sent and received.
  void end_round() { std::swap(ready_, next_); }
  /// Time when the last rank has everything.
  double last() const { return *std::max_element(ready_.begin(), ready_.end()); }

 private:
  std::vector<double> sent_, arrived_, combined_, ready_;
  std::vector<double> next_;   // ready_ behind this round
  std::vector<double> begun_;  // earliest start of all sends; empty: ready_
};

}  // namespace detail

/// True if one rank stands for all: all send alike and begin alike, and their hosts are alike.
template <communication_model Model>
bool one_for_all(plan::circle const& rounds, plan::collective_problem const& problem, Model const& model) {
  return rounds.before == nullptr && plan::even(rounds, problem) && equal_hosts(model);
}

/// Number of messages that circle_time() follows.
template <communication_model Model>
double circle_work(plan::circle const& rounds, plan::collective_problem const& problem, Model const& model) {
  double const followed = one_for_all(rounds, problem, model) ? 1 : static_cast<double>(problem.ranks);
  return followed * static_cast<double>(rounds.rounds(problem.ranks));
}

/// The completion of an algorithm in a circle [s]: equal to completion() of its schedule, without making that.
/// O(rounds) if one rank stands for all, otherwise O(ranks rounds); memory O(ranks). Throws skel::error for more
/// messages than most_circle_messages.
template <communication_model Model>
double circle_time(plan::circle const& rounds, plan::collective_problem const& problem, Model const& model,
                   double gamma) {
  std::size_t const n = problem.ranks, followed = one_for_all(rounds, problem, model) ? 1 : n;
  if (circle_work(rounds, problem, model) > static_cast<double>(most_circle_messages))
    throw error("among " + std::to_string(n) + " ranks that are not alike too many messages would have to be priced (" +
                std::to_string(most_circle_messages) + " can be); take fewer ranks");
  std::vector<detail::rank_state> states(followed);
  double last = 0;
  if (rounds.before != nullptr) last = detail::complete(rounds.before(problem), model, gamma, states);
  detail::circle_states all(states, !rounds.at_once);
  detail::circle_messages<Model> messages(rounds, problem);
  for (std::size_t i = 0; i < rounds.rounds(n); ++i) {
    bool const combines = rounds.combines != nullptr && rounds.combines(n, i);
    messages.begin(i);
    for (std::size_t r = 0, end = 0; r < followed; r = end) {
      message const m = messages.of(r);
      end = followed == 1 ? 1 : messages.alike_before(r, model);
      detail::circle_states::run const alike{.from = r, .to = followed == 1 ? 0 : m.to, .ranks = end - r};
      message_times const t = times_of(model, m);
      if (combines)
        all.pass<true>(alike, t, gamma * m.bytes);
      else
        all.pass<false>(alike, t, 0);
    }
    all.end_round();
  }
  return std::max(last, all.last());
}

/// Lower bound of an algorithm in a circle [s]. All sends of a rank leave one after the other (for a few ranks). If
/// rounds wait for each other, a message of one rank is passed on to the last round. O(rounds).
template <communication_model Model>
double circle_bound(plan::circle const& rounds, plan::collective_problem const& problem, Model const& model) {
  std::size_t const n = problem.ranks, count = rounds.rounds(n), starts = std::min<std::size_t>(n, 4);
  double bound = 0;
  detail::circle_messages<Model> messages(rounds, problem);
  for (std::size_t s = 0; s < starts; ++s) {
    std::size_t const mine = s * n / starts;
    std::size_t at = mine;
    double sent = 0, passed = 0;
    for (std::size_t i = 0; i < count; ++i) {
      messages.begin(i);
      message const m = messages.of(mine);
      bound = std::max(bound, sent + model.transfer(m));
      sent += model.send_busy(m);
      if (rounds.at_once) continue;
      message const next = messages.of(at);
      passed += model.transfer(next);
      at = next.to;
    }
    bound = std::max(bound, passed);
  }
  return bound;
}

/// Throws skel::error for more ranks than can be priced, and for more bytes than can be counted.
inline void require_priceable(plan::collective operation, plan::collective_problem const& problem) {
  plan::require_countable(operation, problem);
  if (problem.ranks > most_priced_ranks)
    throw error("a collective among " + std::to_string(problem.ranks) + " ranks cannot be priced; one among " +
                std::to_string(most_priced_ranks) + " at most can");
}

/// The completion of any algorithm of the catalogue [s]: completion() of its schedule. Throws skel::error for more
/// messages than can be priced.
template <communication_model Model>
double algorithm_time(plan::collective_algorithm const& algorithm, plan::collective_problem problem, Model const& model,
                      double gamma) {
  problem.priced = true;
  if (algorithm.rounds != nullptr) return circle_time(*algorithm.rounds, problem, model, gamma);
  return completion(algorithm.make(problem), model, gamma);
}

}  // namespace skel::cost
