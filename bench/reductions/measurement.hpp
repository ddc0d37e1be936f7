#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/cost/reduction/problem.hpp>
#include <skel/detail/grid/reduction_controller.hpp>
#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/pattern/pattern_features.hpp>
#include <skel/detail/plan/reduction.hpp>

#include "train/trial.hpp"

namespace bench::reductions {

/// How a loop over a pattern is run.
struct setting {
  std::size_t threads = 2;  ///< P
  bool virtual_threads = false;
  skel::training::memory_bound memory;  ///< of virtual threads
  skel::training::trial_value value = skel::training::trial_value::number;
  std::size_t other_work = 0;  ///< dependent multiply-adds of an iteration
  std::size_t rounds = 7;
  double seconds = std::numeric_limits<double>::infinity();  ///< no further round begins after that
  bool competitors = false;                                  ///< others in the same rounds; not on virtual threads
};

/// What somebody else's way took.
struct competitor_time {
  std::string name, note;
  std::size_t threads = 1;
  std::optional<double> run;  ///< median [s]; nothing where the note says why
  double setup = 0;           ///< of one that keeps memory: first run less second, median of three [s]
  double spread = 0;          ///< half of the range between the quartiles, over the median
};

/// What was found of a pattern.
struct measurement {
  skel::pattern_features features;
  double features_seconds = 0;  ///< of counting them
  double other_seconds = 0;     ///< of an iteration without what it accumulates [s]
  double load = 0;  ///< what waited for a core of this machine before, mean of the last minute: others' is in the times
  std::vector<skel::training::algorithm_trial> algorithms;
  std::vector<competitor_time> others;
};

/// Threads, real or virtual, with their clock.
skel::reduction_workers workers_for(setting const& how);

/// Counts features, and times all algorithms and competitors, in turn. Everybody runs once unmeasured before each
/// timing. Throws skel::error when somebody's sums are wrong.
measurement measure(skel::pattern const& of, setting const& how);

/// The first part of that: fills in features, and what counting them took.
void count_features(skel::pattern const& of, setting const& how, measurement& into);

/// What skel chose.
struct choice {
  skel::plan::reduction_algorithm chosen = skel::plan::reduction_algorithm::sequential;  ///< ran most of the uses
  std::map<skel::plan::reduction_algorithm, skel::cost::reduction_time> predicted;       ///< by the first decision
  double reading = 0, deciding = 0;                                                      ///< what that took [s]

  /// What was chosen before anything was measured, and what choosing it took [s].
  skel::plan::reduction_algorithm first = skel::plan::reduction_algorithm::sequential;
  double first_seconds = 0;
  double executing = 0;      ///< setups and executions of all uses, trials among them [s]
  std::size_t switches = 0;  ///< to other algorithms

  double seconds() const { return reading + deciding + executing; }
};

/// What skel::irregular_reduction decides for so many uses of a pattern, by the model in a file of `skel train` (empty:
/// the one that it ships with): at first from as much knowledge of the pattern as pays, and later by the times of the
/// executions before. Finding out and deciding is really done and timed; a setup and an execution take what was
/// measured (setup_again where the algorithm had its buffers before). Throws skel::input_error for a model that cannot
/// be used.
choice choose(skel::pattern const& of, setting const& how, double reuse, measurement const& measured,
              std::string const& model = {});

/// A measurement, judged for R uses of the pattern: a way costs its setup and R runs; choosing costs what it took, with
/// all setups and runs.
struct judgement {
  double reuse = 1;  ///< R
  skel::plan::reduction_algorithm best = skel::plan::reduction_algorithm::sequential;
  std::map<skel::plan::reduction_algorithm, double> over_best;  ///< cost over that of the best
  std::optional<double> slowdown;        ///< what all uses took with choosing, over the cost of the best
  std::optional<double> first_slowdown;  ///< had it stayed with what it chose at first sight
  std::map<std::string, double> others;  ///< cost of a competitor over that of the chosen; of the best where none is
};

/// Precondition: an algorithm was measured, R > 0.
judgement judge(measurement const& found, std::optional<choice> const& by, double reuse);

}  // namespace bench::reductions
