#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/mapping/migration/simulate.hpp>

namespace bench {

/// The values of alpha in Table 1.
inline constexpr std::array<std::size_t, 4> published_alphas{2, 4, 8, 16};

/// A matrix of the paper: the program, where its processes begin, and what was published [s].
struct migbsp_case {
  std::size_t order = 0;
  skel::record::workload program;
  skel::mapping::migration::start begin;
  double scenario_i = 0;
  std::array<double, 4> scenario_ii{}, scenario_iii{};  ///< for each of published_alphas

  /// The best published time with migrations as part of that without.
  double best_ratio() const;
};

/// The testbed of MigBSP, with all that was simulated on it.
struct migbsp_testbed {
  skel::cost::bsp::machine machine;
  double between_clusters = 0;  ///< bandwidth that all messages between two clusters share [B/s]
  std::vector<migbsp_case> cases;

  migbsp_case const& of_order(std::size_t order) const;
};

/// Reads bench/migbsp/testbed.json.
migbsp_testbed read_migbsp_testbed(std::string const& file);

}  // namespace bench
