#include <skel/detail/cost/reduction/disturbed.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <skel/detail/base/statistics.hpp>
#include <skel/detail/cost/reduction/fit.hpp>
#include <skel/detail/cost/reduction/judge.hpp>

#include "samples_of.hpp"

namespace skel::cost {

namespace {

/// Median ln(measured / predicted) of executions by algorithms with several threads, less that of the sequential one;
/// not a number where some are missing.
double late_together(std::span<reduction_sample const> group, cross_validation const& held_out) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  double alone = unknown;
  std::vector<double> together;
  for (auto const& sample : group) {
    auto const time = held_out.predict(sample);
    if (!time) return unknown;
    double const late = std::log(std::max(sample.measured.run, shortest_time) / std::max(time->run, shortest_time));
    if (sample.algorithm == plan::reduction_algorithm::sequential)
      alone = late;
    else
      together.push_back(late);
  }
  return together.empty() ? unknown : statistics::median(std::move(together)) - alone;
}

}  // namespace

quiet_samples without_disturbed(reduction_samples const& all, std::size_t folds) {
  std::vector<double> lates, known;  // of each problem; where it is known
  std::size_t real = 0;
  for_each_problem(all.samples, [&](auto group) { real += !group.front().problem.virtual_threads; });
  if (real < fewest_reduction_samples) return {all, 0};
  cross_validation const held_out("boosted", all.samples, all.caches, folds);
  for_each_problem(all.samples, [&](auto group) {
    auto const& problem = group.front().problem;
    bool const is_alone = problem.virtual_threads || problem.pattern.parts == 1;
    lates.push_back(is_alone ? std::numeric_limits<double>::quiet_NaN() : late_together(group, held_out));
    if (!std::isnan(lates.back())) known.push_back(lates.back());
  });
  if (known.empty()) return {all, 0};
  double const most = statistics::median(known) + 3 * statistics::deviation(known);
  quiet_samples result{all, 0};
  result.kept.samples.clear();
  result.kept.points.clear();
  std::size_t problem = 0, at = 0;
  for_each_problem(all.samples, [&](auto group) {
    bool const is_disturbed = lates[problem++] > most;
    result.left_out += is_disturbed;
    for (std::size_t k = 0; k < group.size(); ++k, ++at) {
      if (is_disturbed) continue;
      result.kept.samples.push_back(all.samples[at]);
      result.kept.points.push_back(all.points[at]);
    }
  });
  return result;
}

}  // namespace skel::cost
