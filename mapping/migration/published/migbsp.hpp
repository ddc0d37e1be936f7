#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include <skel/detail/mapping/migration/policy.hpp>

namespace skel::mapping::migration {

/// Tells if a quantity of a process is regular, and predicts its next value. Both age:
///   PI_t = I_t in the first superstep after a call, otherwise PI_{t-1} / 2 + I_t / 2.
/// The pattern goes up by 1 / alpha to 1 at most if (1 - delta) I_t <= PI_t <= (1 + delta) I_t, otherwise down to 0 at
/// least. Source: Righi et al. 2009, ICCS, LNCS 5544:213-223, section 4 and algorithm 1. Limit: the pattern begins as
/// 0.
class aged_pattern {
 public:
  /// The value of a superstep. O(1). Precondition: alpha >= 1.
  void add(double value, double delta, double alpha) {
    predicted_ = fresh_ ? value : predicted_ / 2 + value / 2;
    fresh_ = false;
    bool const regular = predicted_ >= value * (1 - delta) && predicted_ <= value * (1 + delta);
    regularity_ = regular ? std::fmin(1, regularity_ + 1 / alpha) : std::fmax(0, regularity_ - 1 / alpha);
  }
  /// A call has been made: prediction begins anew, the pattern stays.
  void begin() { fresh_ = true; }

  double predicted() const { return predicted_; }
  double regularity() const { return regularity_; }

 private:
  double predicted_ = 0, regularity_ = 0;
  bool fresh_ = true;
};

/// The interval of calls. In the beginning it is alpha. A variable goes up by one in each superstep with balanced
/// processes, and down by one in others. At a call the interval becomes this variable, but not less than the first one.
/// After `omega` calls without migrations each superstep counts as balanced, until a process migrates. Source: as
/// above, section 2.
class call_interval {
 public:
  call_interval(std::size_t alpha, std::size_t omega)
      : least_(static_cast<double>(alpha)), omega_(omega), alpha_(least_), next_(least_) {}

  /// A superstep; true if there is a call at its barrier. The interval is then that to the next one.
  bool after(bool balanced) {
    next_ += balanced || idle_ >= omega_ ? 1 : -1;
    if (++steps_ < alpha_) return false;
    alpha_ = next_ = std::fmax(least_, next_);
    steps_ = 0;
    return true;
  }
  /// The result of the call.
  void called(bool migrations) { idle_ = migrations ? 0 : idle_ + 1; }

  double alpha() const { return alpha_; }

 private:
  double least_;
  std::size_t omega_;
  double alpha_, next_, steps_ = 0;
  std::size_t idle_ = 0;  // calls without migrations since the last with one
};

/// MigBSP: at calls with an adaptive interval, processes with a large potential of migration go to another set of
/// hosts.
///   PM(i, j) = Comp(i, j) + Comm(i, j) - Mem(i, j) for process i and set j [s].
///   Comp = Pcomp(i) * predicted time of computation(i) * ISet(j).
///   ISet is the mean over hosts of speed / (processes + 1), relative to the best set.
///   Comm = Pcomm(i, j) * predicted time of messages between i and processes of set j.
///   Mem = state bytes * time per byte to the manager of j + fixed part.
/// Each process reports its largest PM, if it is positive. Heuristic 1 takes candidates with more than x times the
/// largest of all, heuristic 2 the one with the largest. A candidate goes to the host of its set with fewest processes,
/// the first of equals. The time until the next call, h supersteps away, must be less there (t2 < t1):
///   t1 = h (predicted work * (1 + others that compute at the source) / speed + messages),
///   t2 = the same at the destination + migration.
/// Source: as above. It leaves the forms of ISet and of t1 open. They are as in its authors' later work, or chosen so
/// that published calls and candidates come out. O(processes sets + messages) a superstep.
class migbsp final : public policy {
 public:
  migbsp(skeletons::migration_settings const& settings, cost::bsp::machine const& machine,
         std::vector<bool> const& pinned);

  void pin(std::size_t which) override { pinned_.at(which) = true; }
  std::optional<record::rescheduling> after(record::superstep const& step) override;

 private:
  struct process {
    aged_pattern work;                   // Pcomp, and the predicted work
    aged_pattern time;                   // of computation: the prediction only
    std::vector<aged_pattern> bytes;     // for each set: Pcomm
    std::vector<aged_pattern> messages;  // for each set, time: the prediction only
  };

  void learn(record::superstep const& step);
  bool is_balanced(std::vector<double> const& times) const;
  std::vector<double> strength_of_sets(record::superstep const& step) const;
  double memory_price(record::superstep const& step, std::size_t p, std::size_t set) const;
  std::vector<record::migration_candidate> candidates(record::superstep const& step,
                                                      std::vector<std::size_t>& sets) const;
  void settle(record::superstep const& step, std::vector<std::size_t> const& sets,
              std::vector<record::migration_candidate>& candidates) const;

  skeletons::migration_settings settings_;
  cost::bsp::machine machine_;
  std::vector<bool> pinned_;
  std::vector<std::size_t> managers_;  // of sets, and one past the last host
  call_interval interval_;
  std::vector<process> processes_;
};

}  // namespace skel::mapping::migration
