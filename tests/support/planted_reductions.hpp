#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/plan/reduction.hpp>
#include <skel/detail/platform/reduction_model.hpp>

namespace skel::tests {

/// What an algorithm takes by a model that is written by hand.
struct planted_time {
  double setup = 0;       ///< [s]
  double run = 0;         ///< whatever the pattern [s]
  double per_update = 0;  ///< and for each of the busiest part [s]
  double again = -1;      ///< setup where the buffers are there; negative: as setup [s]
};
using planted_times = std::map<plan::reduction_algorithm, planted_time>;

/// A kind of model that predicts these times. `residual`: what it says of its own errors.
inline platform::fitted_kind planted_kind(planted_times const& times, double residual) {
  platform::fitted_kind kind{"analytic", {}};
  for (auto const& [algorithm, time] : times)
    kind.algorithms.push_back(
        {std::string(plan::name_of(algorithm)),
         {{{"start", time.setup}}, residual},
         {{{"start", time.run}, {"updates", time.per_update}}, residual},
         time.again < 0 ? platform::fitted_time{} : platform::fitted_time{{{"start", time.again}}, residual}});
  return kind;
}

inline platform::reduction_model planted_model(planted_times const& times, double residual = 1e-6) {
  platform::reduction_model model;
  model.machine = platform::this_processor().name;
  model.date = "2026-11-21T20:00:00Z";
  model.compiler = "written by hand";
  model.threads = 2;
  model.caches[0] = 32768, model.caches[1] = 1048576, model.caches[2] = 33554432;
  model.kinds.push_back(planted_kind(times, residual));
  return model;
}

}  // namespace skel::tests
