#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/cost/reduction/judge.hpp>
#include <skel/detail/cost/reduction/problem.hpp>

#include "samples_of.hpp"

namespace skel::cost {

/// Slowdowns of choices: choose(problem's samples) gives the place of one, or their number for none.
template <class Choose>
choice_quality judge_choices(std::string kind, std::span<reduction_sample const> samples, double reuse, Choose choose) {
  auto const total = [&](reduction_sample const& one) { return one.measured.setup + reuse * one.measured.run; };
  choice_quality quality;
  quality.kind = std::move(kind);
  std::vector<double> slowdowns;
  for_each_problem(samples, [&](std::span<reduction_sample const> group) {
    std::size_t const place = choose(group);
    if (place >= group.size()) return;
    auto const& chosen = group[place];
    auto const& best = *std::min_element(group.begin(), group.end(),
                                         [&](auto const& a, auto const& b) { return total(a) < total(b); });
    double const late = total(chosen) - total(best);
    double const slowdown = late / total(best);
    slowdowns.push_back(slowdown);
    quality.right += late == 0;
    quality.tied += late <= reuse * (chosen.spread * chosen.measured.run + best.spread * best.measured.run);
    quality.within_5 += slowdown <= 0.05;
    quality.mean += slowdown;
    quality.worst = std::max(quality.worst, slowdown);
  });
  quality.problems = slowdowns.size();
  if (slowdowns.empty()) return quality;
  double const count = static_cast<double>(slowdowns.size());
  quality.right /= count, quality.tied /= count, quality.within_5 /= count, quality.mean /= count;
  std::sort(slowdowns.begin(), slowdowns.end());
  quality.p95 = slowdowns[static_cast<std::size_t>(0.95 * (count - 1))];
  return quality;
}

}  // namespace skel::cost
