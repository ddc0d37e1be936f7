#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "line_automaton.hpp"

namespace skel::cost::detail {

/// A run of `length` transitions src+r -> dst+r (r = 0, 1, ...) with the same parameter and weight.
struct run {
  std::size_t parameter = 0;
  std::size_t host = no_host;  ///< whose speed is shared, under dynamic share
  double weight = 1;
  std::size_t src = 0, dst = 0, length = 0;
};

/// The Markov chain of a line: the product of its stations, and the sweep that solves it.
class line_chain {
 public:
  /// Throws skel::error beyond max_states states, and skel::stopped when the condition is met.
  line_chain(line const& model, std::size_t max_states, stop_condition const& stop = {});

  /// True if both lines have the same chain but for rates.
  bool fits(line const& model, std::vector<worker_class> const& classes) const;
  /// New rates for the same structure.
  void set_rates(line const& model, std::vector<worker_class> const& classes);

  std::size_t size() const { return head_.size * tail_.size; }
  /// Length of the vector of arrival flows that a sweep maps to itself.
  std::size_t arrival_size() const { return arrivals_; }

  /// pi from the flows of arrivals into the states that an arrival can reach: one triangular solve.
  void sweep(double const* arrivals);
  /// The flows of arrivals out of pi.
  void arrive(double* arrivals) const;

  /// One step of value iteration for the time until the next arrival. `later[s]`: mean time from state s to the next
  /// arrival, plus `soon` where that leads. Both are indexed like arrivals. Fills value() for all states.
  /// min(later - soon) <= 1 / throughput <= max(later - soon) (Odoni 1969, Operations Research 17(5):857-860).
  void sweep_back(double const* soon, double* later);
  std::vector<double> const& value() const { return value_; }

  /// True if the chain embedded at arrivals goes round in phases. Round-robin farms of unequal workers make it so. Two
  /// of them also make states that cannot be reached from the empty line.
  bool periodic() const { return !reachable_.empty(); }
  /// True if an arrival, starting from the empty line, can ever lead to entry i of the arrivals.
  bool reachable(std::size_t i) const { return reachable_.empty() || reachable_[i]; }

  std::vector<double>& pi() { return pi_; }
  std::vector<double> const& pi() const { return pi_; }
  std::vector<double> const& rates() const { return theta_; }
  std::vector<automaton> const& stations() const { return stations_; }
  std::vector<local_meaning> const& meanings() const { return meanings_; }

  /// Calls visit(run) for every run of transitions, found from the stations and not from the tables of the sweep.
  template <class Visit>
  void for_each_run(Visit&& visit) const;

  /// Number of busy workers on a host in every state (dynamic share).
  std::vector<std::uint16_t> busy_in_all_states(std::size_t host) const;
  /// Probability of each local state of each station; pi need not be normalised.
  std::vector<std::vector<double>> marginals() const;

 private:
  struct pull {
    state_id src = 0;
    std::uint32_t parameter = 0;
    double weight = 1;
    std::int32_t table = -1;  // of shares_, when the host is also used in the tail
    double busy = 1;          // workers of the head on the same host, in src
  };

  void split(line const& model);
  void tabulate();
  void find_reachable(stop_condition const& stop);
  std::size_t host_of(std::size_t parameter) const;

  std::vector<automaton> stations_;
  std::vector<local_meaning> meanings_;
  std::vector<worker_class> classes_;
  std::vector<std::size_t> widths_, buffers_;
  share sharing_;
  dispatch farms_;
  std::vector<double> theta_;  // moves, then classes

  automaton head_, tail_;
  std::size_t boundary_ = 0;                                          // the move between head and tail
  std::vector<std::size_t> head_start_, in_start_, cross_start_;      // by to
  std::vector<std::size_t> leave_start_, out_start_, release_start_;  // by from
  std::vector<pull> head_pull_;                                       // by to
  std::vector<std::uint32_t> leave_, leave_to_;                       // by from: index of the pull, where it leads
  std::vector<double> head_rate_;
  std::vector<step> arrive_, depart_;      // the first move, by to and by from
  std::vector<step> cross_, release_;      // the move between head and tail, by to and by from
  std::vector<std::size_t> arrival_slot_;  // per head state: offset into the arrivals, or nowhere
  std::size_t arrivals_ = 0;
  std::vector<char> reachable_;  // per arrival; empty: all

  std::vector<step> tail_steps_;                                     // by to
  std::vector<std::uint32_t> tail_start_, tail_src_;                 // by to
  std::vector<std::uint32_t> tail_leave_start_, tail_to_, tail_at_;  // by from; tail_at_: index by to

  std::vector<std::vector<double>> shares_;         // vectors over the tail's states: 1 / busy workers
  std::vector<std::uint32_t> context_;              // per head state: how busy the tail's hosts are in the head
  std::vector<std::vector<std::size_t>> contexts_;  // busy workers in the head, per host of the tail
  std::vector<std::vector<double>> tail_rate_, tail_leave_rate_, tail_exit_;  // per context
  std::vector<double> pi_, value_, inverse_exit_;
};

template <class Visit>
void line_chain::for_each_run(Visit&& visit) const {
  auto const count = stations_.size();
  std::vector<std::size_t> stride(count + 1, 1);
  for (std::size_t i = count; i-- > 0;) stride[i] = stride[i + 1] * stations_[i].size;
  auto const total = stride[0];
  auto const emit = [&](run one, std::size_t period) {
    for (std::size_t base = 0; base < total; base += period) {
      visit(one);
      one.src += period;
      one.dst += period;
    }
  };
  for (auto const& one : stations_.front().accept)
    emit({0, no_host, one.weight, one.from * stride[1], one.to * stride[1], stride[1]}, stride[0]);
  for (std::size_t i = 0; i < count; ++i) {
    for (auto const& one : stations_[i].inner)
      emit({one.parameter, host_of(one.parameter), one.weight, one.from * stride[i + 1], one.to * stride[i + 1],
            stride[i + 1]},
           stride[i]);
    for (auto const& out : stations_[i].release) {
      if (i + 1 == count) {
        emit({count, no_host, out.weight, out.from, out.to, 1}, stride[i]);
        continue;
      }
      for (auto const& in : stations_[i + 1].accept)
        emit({i + 1, no_host, out.weight * in.weight, out.from * stride[i + 1] + in.from * stride[i + 2],
              out.to * stride[i + 1] + in.to * stride[i + 2], stride[i + 2]},
             stride[i]);
    }
  }
}

}  // namespace skel::cost::detail
