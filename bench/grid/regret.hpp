#pragma once

#include <cstdint>
#include <vector>

#include <skel/detail/plan/collective.hpp>

#include "grid/comparison.hpp"
#include "grid/measuring.hpp"

namespace bench {

/// How much slower the choice was than the best of all candidates, all measured, on a random grid.
struct regret_case {
  std::uint64_t seed = 0, bytes = 0;
  skel::plan::collective operation = skel::plan::collective::broadcast;
  std::size_t clusters = 0, hosts = 0;
  judged chosen, best;
  std::vector<judged> candidates{};  ///< that were measured: the choice, then those of the mapper, then the catalogue's
  std::size_t left_out = 0;          ///< candidates that were not measured: their prices are too high
  /// What is chosen by what it pays to measure, for each of regret_options::measuring_for, with its time [s].
  struct by_measuring {
    measured_choice choice{};
    double measured = 0;
  };
  measuring in_full{};  ///< what was measured for `chosen`
  std::vector<by_measuring> as_it_pays{};
  /// Of each use in a row, when the mapper is told after each what it took; the first is regret(). Ends before a use
  /// whose plan was not measured.
  std::vector<double> uses{};

  double regret() const { return chosen.measured / best.measured - 1; }
};

/// What is measured.
struct regret_options {
  std::vector<skel::plan::collective> operations{};
  std::vector<std::uint64_t> sizes{};
  std::uint64_t sends = 256;  ///< segments that a candidate may cut the vector into
  double within = 0;          ///< candidates priced at more than so many times the least price are left out; 0: none is
  /// Uses of a choice that are expected where only what pays is measured (choose_by_what_pays); each is a choice more.
  std::vector<double> measuring_for{};
  simulator_settings simulation{};
};

/// Measures every candidate that the options allow, for each operation and size on the grid random_grid(seed), root on
/// its first host: one run of the simulator to probe it and one for the candidates.
std::vector<regret_case> measure_regret(std::uint64_t seed, regret_options const& options);

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
