#pragma once

#include <cstddef>
#include <limits>
#include <random>

#include <skel/detail/mapping/cluster_schedule.hpp>

#include "mapping/random_problem.hpp"

namespace skel::mapping {

/// Clusters of a random grid (latencies 20 us to 60 ms, 10 MB/s to 10 GB/s) with a message of 1 KiB to 4 MiB; every
/// third problem has equal gaps and local times of their size, where the order of sends matters most, and every third
/// links that are missing.
inline cluster_schedule_problem random_cluster_problem(std::mt19937& random, std::size_t clusters) {
  cluster_schedule_problem problem;
  auto const n = problem.clusters = clusters;
  problem.root = random() % n;
  auto const kind = random() % 3;
  double const bytes = draw_log(random, 1024, 4 << 20);
  for (std::size_t pair = 0; pair < n * n; ++pair) {
    problem.latency.push_back(draw_log(random, 2e-5, 6e-2));
    problem.gap.push_back(kind == 1 ? bytes / 1e8 : 1e-5 + bytes / draw_log(random, 1e7, 1e10));
  }
  for (std::size_t k = 0; k < n; ++k)
    problem.local.push_back(kind == 1 ? draw_log(random, 1e-9, 3e-8) * bytes : draw_log(random, 1e-5, 1e-1));
  if (kind == 2)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (j != (i + 1) % n && random() % 2 == 0) problem.latency[i * n + j] = std::numeric_limits<double>::infinity();
  return problem;
}

}  // namespace skel::mapping
