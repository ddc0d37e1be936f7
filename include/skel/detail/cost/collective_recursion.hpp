#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/cost/communication/model.hpp>
#include <skel/detail/plan/schedule.hpp>

namespace skel::cost {
namespace detail {

/// Numbers of messages that compete in each phase of a schedule: in the network, and at the processor of each rank.
class competition {
 public:
  explicit competition(plan::schedule const& schedule) : ranks_(schedule.ranks.size()) {
    std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> messages;  // phase, from, to
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
      for (plan::step const& s : schedule.ranks[rank].steps)
        if (s.what == plan::step::action::send) messages.emplace_back(s.phase, rank, s.peer);
    std::sort(messages.begin(), messages.end());
    messages.erase(std::unique(messages.begin(), messages.end()), messages.end());
    for (auto const& [phase, from, to] : messages) {
      ++in_network_[phase];
      ++at_processor_[phase * ranks_ + from];
      ++at_processor_[phase * ranks_ + to];
    }
  }

  double in_network(std::uint32_t phase) const { return in_network_.at(phase); }
  double at_processor(std::uint32_t phase, std::size_t rank) const { return at_processor_.at(phase * ranks_ + rank); }

 private:
  std::size_t ranks_;
  std::unordered_map<std::uint64_t, double> in_network_, at_processor_;
};

/// Messages that have left but were not received yet, in order for each pair of ranks.
class mail {
 public:
  explicit mail(std::size_t ranks) : ranks_(ranks) {}

  void put(std::size_t from, std::size_t to, double arrival) { boxes_[from * ranks_ + to].times.push_back(arrival); }

  /// The earliest message, or nothing.
  double const* look(std::size_t from, std::size_t to) const {
    auto const found = boxes_.find(from * ranks_ + to);
    return found == boxes_.end() || found->second.taken == found->second.times.size()
               ? nullptr
               : &found->second.times[found->second.taken];
  }
  void take(std::size_t from, std::size_t to) {
    auto const found = boxes_.find(from * ranks_ + to);
    if (++found->second.taken == found->second.times.size()) boxes_.erase(found);
  }

 private:
  struct box {
    std::vector<double> times;
    std::size_t taken = 0;
  };
  std::size_t ranks_;
  std::unordered_map<std::uint64_t, box> boxes_;
};

/// State of a rank in its steps [s].
struct rank_state {
  double sent = 0;                                             // when the next send may leave
  double arrived = -std::numeric_limits<double>::infinity();   // the last receive
  double combined = -std::numeric_limits<double>::infinity();  // the last combination
  double ready = 0;                                            // earliest start of the next send, by its receives
};

/// completion() from the state of each rank in `states`, which it updates.
template <communication_model Model>
double complete(plan::schedule const& schedule, Model const& model, double gamma, std::vector<rank_state>& states) {
  std::size_t const n = schedule.ranks.size();
  std::vector<std::size_t> next(n, 0);  // step of each rank
  std::vector<char> waiting(n, false);
  mail letters(n);
  std::vector<std::size_t> runnable(n);
  for (std::size_t rank = 0; rank < n; ++rank) runnable[rank] = n - 1 - rank;
  std::vector<competition> rivals;
  if constexpr (Model::contended) rivals.emplace_back(schedule);
  double last = 0;
  std::size_t finished = 0;
  while (!runnable.empty()) {
    std::size_t const rank = runnable.back();
    runnable.pop_back();
    rank_state& mine = states[rank];
    auto const& steps = schedule.ranks[rank].steps;
    waiting[rank] = false;
    for (; next[rank] < steps.size(); ++next[rank]) {
      plan::step const& s = steps[next[rank]];
      bool const sends = s.what == plan::step::action::send;
      message m{.bytes = static_cast<double>(s.bytes), .from = sends ? rank : s.peer, .to = sends ? s.peer : rank};
      if constexpr (Model::contended) {
        m.in_network = rivals.front().in_network(s.phase);
        m.at_receiver = rivals.front().at_processor(s.phase, m.to);
      }
      if (sends) {
        double const start = std::max(mine.sent, mine.ready);
        mine.sent = start + model.send_busy(m);
        letters.put(rank, s.peer, start + model.transfer(m));
        if (waiting[s.peer]) {
          auto const& theirs = schedule.ranks[s.peer].steps[next[s.peer]];
          if (theirs.peer == rank) waiting[s.peer] = false, runnable.push_back(s.peer);
        }
        continue;
      }
      if (s.what == plan::step::action::merge) {
        mine.combined = mine.ready = std::max(mine.ready, mine.combined) + gamma * m.bytes;
        last = std::max(last, mine.ready);
        continue;
      }
      double const* const arrival = letters.look(s.peer, rank);
      if (arrival == nullptr) {
        waiting[rank] = true;
        break;
      }
      mine.arrived = std::max(*arrival, mine.arrived + model.receive_busy(m));
      letters.take(s.peer, rank);
      if (s.what == plan::step::action::receive) {
        mine.ready = std::max(mine.ready, mine.arrived);
      } else {
        mine.combined = std::max(mine.arrived, mine.combined + model.receive_overhead(m)) + gamma * m.bytes;
        mine.ready = std::max(mine.ready, mine.combined);
      }
      last = std::max(last, mine.ready);
    }
    if (next[rank] == steps.size()) ++finished;
  }
  SKEL_ENSURES(finished == n);
  return last;
}

}  // namespace detail

/// The time at which the last rank of a collective has everything [s], all ranks starting at 0: the exact recursion
/// over its schedule. Rank r starts a send when its receives before it are complete and the send before it has left
/// (t):
///
///   t <- max(t + send_busy of the send before, completion of the last receive)       arrival = t + transfer
///   a <- max(arrival, a + receive_busy)                                              the receive is complete
///   c <- max(a, c + receive_overhead) + gamma m                                      ... and combined, of reductions
///   c <- max(a, c) + gamma m                                                         two ranges are merged
///
/// gamma: time of the operator per byte [s/B]. O(steps) expected, times log steps for models with contention. A
/// schedule with a deadlock of ranks breaks a contract.
template <communication_model Model>
double completion(plan::schedule const& schedule, Model const& model, double gamma = 0) {
  std::vector<detail::rank_state> states(schedule.ranks.size());
  return detail::complete(schedule, model, gamma, states);
}

}  // namespace skel::cost
