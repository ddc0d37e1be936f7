#include "whole_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <skel/detail/base/error.hpp>

namespace skel::mapping::partitioning {
namespace {

constexpr auto most = static_cast<double>(std::numeric_limits<std::int32_t>::max());
constexpr double most_of_a_sum = most / 2;

void expect_countable(std::size_t count, char const* what) {
  if (static_cast<double>(count) > most_of_a_sum)
    throw error(std::to_string(count) + " " + what + " are more than its numbers of 32 bits count");
}

}  // namespace

void expect_work(partition_problem const& of, std::vector<double> const& weights) {
  if (of.parts() < 2) throw error("it is never called for one part");
  if (of.graph->neighbours.empty()) throw error("it is never called for a graph without edges");
  if (!weights.empty() && std::ranges::all_of(weights, [](double one) { return one == 0; }))
    throw error("it is never called where nothing weighs anything");
}

whole_graph whole_graph_of(plan::cell_graph const& graph) {
  expect_countable(graph.cells(), "cells");
  expect_countable(graph.neighbours.size(), "entries of the graph");
  whole_graph made;
  made.offsets.reserve(graph.cells() + 1), made.neighbours.reserve(graph.neighbours.size());
  made.offsets.push_back(0);
  std::vector<std::uint32_t> last(graph.cells(), std::numeric_limits<std::uint32_t>::max());  // row that named it last
  for (std::size_t c = 0; c < graph.cells(); ++c) {
    for (auto const other : graph.of(c)) {
      if (last[other] == c) continue;
      last[other] = static_cast<std::uint32_t>(c);
      made.neighbours.push_back(static_cast<std::int32_t>(other));
    }
    made.offsets.push_back(static_cast<std::int32_t>(made.neighbours.size()));
  }
  return made;
}

std::vector<std::int32_t> whole_weights(std::size_t cells, std::size_t constraints,
                                        std::vector<double> const& weights) {
  expect_countable(cells, "cells");
  if (weights.empty()) return {};
  std::vector<std::int32_t> made(weights.size());
  for (std::size_t j = 0; j < constraints; ++j) {
    double sum = 0;
    bool whole = true;
    for (std::size_t c = 0; c < cells; ++c) {
      double const weight = weights[c * constraints + j];
      sum += weight, whole = whole && weight == std::floor(weight);
    }
    // Weights that are rounded up to 1 are no more than the cells.
    double const factor = whole && sum <= most_of_a_sum ? 1 : (most_of_a_sum - static_cast<double>(cells)) / sum;
    for (std::size_t c = 0; c < cells; ++c) {
      double const weight = weights[c * constraints + j];
      made[c * constraints + j] =
          weight > 0 ? static_cast<std::int32_t>(std::max(1.0, std::floor(weight * factor))) : 0;
    }
  }
  return made;
}

std::vector<std::int32_t> whole_shares(std::vector<double> const& shares) {
  constexpr double largest = 1e6;
  double const factor = largest / *std::ranges::max_element(shares);
  std::vector<std::int32_t> made;
  made.reserve(shares.size());
  for (auto const one : shares) made.push_back(static_cast<std::int32_t>(std::max(1.0, std::round(one * factor))));
  return made;
}

}  // namespace skel::mapping::partitioning
