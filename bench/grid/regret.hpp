#pragma once

#include <cstdint>
#include <vector>

#include <skel/plan/collective.hpp>

#include "grid/comparison.hpp"

namespace bench {

/// How much slower the choice was than the best of all candidates, all measured, on a random grid.
struct regret_case {
  std::uint64_t seed = 0, bytes = 0;
  skel::plan::collective operation = skel::plan::collective::broadcast;
  std::size_t clusters = 0, hosts = 0;
  judged chosen, best;
  std::size_t candidates = 0;
  /// Of each use in a row, when the mapper is told after each what it took; the first is regret(). Ends before a use
  /// whose plan was not measured.
  std::vector<double> uses{};

  double regret() const { return chosen.measured / best.measured - 1; }
};

/// Measures every candidate that does not cut the vector into more than `sends` segments, for each operation and size
/// on the grid random_grid(seed), root on its first host: one run of the simulator to probe it and one for the
/// candidates.
std::vector<regret_case> measure_regret(std::uint64_t seed, std::vector<skel::plan::collective> const& operations,
                                        std::vector<std::uint64_t> const& sizes, std::uint64_t sends,
                                        simulator_settings const& settings);

/// Uses of a case in a row.
inline constexpr std::size_t regret_uses = 16;

/// Of the regrets of many cases.
struct regret_summary {
  double mean = 0, p95 = 0, worst = 0;
};
regret_summary summary_of(std::vector<regret_case> const& cases);
/// Of a later use, of the cases that have it; use 0 is the first.
regret_summary summary_of(std::vector<regret_case> const& cases, std::size_t use);

}  // namespace bench
