#pragma once

#include <cstddef>
#include <span>

#include <skel/detail/cost/reduction/problem.hpp>

namespace skel::cost {

/// The shortest time that a clock tells apart from nothing [s].
inline constexpr double shortest_time = 20e-9;

/// Calls f(samples of one problem) for each problem: those that follow each other and agree in all but the algorithm.
template <class F>
void for_each_problem(std::span<reduction_sample const> samples, F&& f) {
  for (std::size_t begin = 0; begin < samples.size();) {
    std::size_t end = begin + 1;
    while (end < samples.size() && samples[end].program == samples[begin].program &&
           samples[end].problem == samples[begin].problem)
      ++end;
    f(samples.subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace skel::cost
