#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <type_traits>

#include <metis.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/mapping/partition_methods.hpp>

#include "whole_numbers.hpp"

namespace skel::mapping {
namespace {

static_assert(std::is_same_v<idx_t, std::int32_t> || std::is_same_v<idx_t, std::int64_t>);

std::string words_of(int status) {
  switch (status) {
    case METIS_ERROR_INPUT:
      return "it refuses the input";
    case METIS_ERROR_MEMORY:
      return "it has not enough memory";
    default:
      return "it failed with status " + std::to_string(status);
  }
}

/// A part should have as many of the heaviest cells as METIS itself leaves of each part in its coarse graph. With fewer
/// it leaves parts empty (bench_partitions --unguarded). Its known crashes are in bisections of graphs of a few cells,
/// to which it then comes: decisions/24.
constexpr double least_cells = 30;

/// Constraints with weight, because METIS divides by sums. Refuses input on which METIS is known to crash: a crash
/// cannot be caught. Edges have no weights at all.
std::vector<std::size_t> safe_constraints(partition_problem const& of) {
  partitioning::expect_work(of, of.weights);
  std::vector<std::size_t> kept;
  auto const sums = of.sums(), heaviest = of.heaviest();
  for (std::size_t j = 0; j < of.constraints; ++j) {
    if (sums[j] == 0) continue;
    kept.push_back(j);
    for (std::size_t p = 0; p < of.parts(); ++p)
      if (double const cells = of.target(p, j) * sums[j] / heaviest[j]; cells < least_cells)
        throw error("it is never called where a part has less than " + shown(least_cells) + " cells, part " +
                    std::to_string(p) + " has " + shown(cells));
  }
  return kept;
}

std::vector<std::uint32_t> parts_by_metis(partition_problem const& of, double tolerance) {
  auto const kept = safe_constraints(of);
  auto const graph = partitioning::whole_graph_of(*of.graph);
  std::vector<idx_t> offsets(graph.offsets.begin(), graph.offsets.end()),
      neighbours(graph.neighbours.begin(), graph.neighbours.end()), weights;
  auto const whole = partitioning::whole_weights(of.cells(), of.constraints, of.weights);
  if (!whole.empty())
    for (std::size_t c = 0; c < of.cells(); ++c)
      for (auto const j : kept) weights.push_back(whole[c * of.constraints + j]);
  std::vector<real_t> shares;
  for (std::size_t p = 0; p < of.parts(); ++p)
    for (auto const j : kept) shares.push_back(static_cast<real_t>(of.target(p, j)));

  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_UFACTOR] = std::max<idx_t>(1, static_cast<idx_t>(1000 * tolerance + 1e-6));
  auto cells = static_cast<idx_t>(of.cells()), constraints = static_cast<idx_t>(kept.size()),
       parts = static_cast<idx_t>(of.parts());
  idx_t cut = 0;
  // A cell that METIS does not reach keeps a part that does not exist.
  std::vector<idx_t> part_of(of.cells(), std::numeric_limits<idx_t>::max());
  int const status = METIS_PartGraphKway(&cells, &constraints, offsets.data(), neighbours.data(),
                                         weights.empty() ? nullptr : weights.data(), nullptr, nullptr, &parts,
                                         shares.data(), nullptr, options.data(), &cut, part_of.data());
  if (status != METIS_OK) throw error(words_of(status));
  return partitioning::parts_of(part_of, of.parts());
}

}  // namespace

partition_method metis() {
  return {"metis", parts_by_metis, 1e-7};
}

}  // namespace skel::mapping
