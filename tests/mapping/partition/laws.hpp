#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/mapping/partition_methods.hpp>

#include "graphs.hpp"

namespace skel::test {

/// A problem with shares that are all equal.
inline mapping::partition_problem equal_problem(plan::cell_graph const& graph, std::size_t parts) {
  mapping::partition_problem of;
  of.graph = &graph;
  of.targets.assign(parts, 1 / static_cast<double>(parts));
  return of;
}
/// With these shares, whose sum need not be 1.
inline mapping::partition_problem weighted_problem(plan::cell_graph const& graph, std::vector<double> shares) {
  mapping::partition_problem of;
  of.graph = &graph;
  double sum = 0;
  for (auto const one : shares) sum += one;
  for (auto& one : shares) one /= sum;
  of.targets = std::move(shares);
  return of;
}

/// A graph, weights, shares and clusters of any kind, with two parts at least.
struct random_problem {
  plan::cell_graph graph;
  mapping::partition_problem of;

  explicit random_problem(std::uint64_t seed) {
    bench::dice random(bench::scatter(seed));
    std::size_t const cells = random.between(2, random.one_in(3) ? 2000 : 300);
    switch (random.below(6)) {
      case 0:
        graph = path(cells);
        break;
      case 1:
        graph = star(cells);
        break;
      case 2:
        graph = cube(random.between(2, 12));
        break;
      case 3:  // hardly any edges: pieces and lonely cells
        graph = random_graph(cells, cells / 3, random);
        break;
      default:
        graph = random_graph(cells, cells * random.between(1, 4), random);
    }
    std::size_t const parts =
        random.one_in(8) ? graph.cells() : random.between(2, std::min<std::size_t>(graph.cells(), 24));
    std::vector<double> shares(parts, 1);
    if (random.one_in(2))
      for (auto& one : shares) one = static_cast<double>(random.between(1, random.one_in(3) ? 1000 : 4));
    of = weighted_problem(graph, std::move(shares));
    if (random.one_in(2)) {
      std::size_t cluster = 0;
      for (std::size_t p = 0; p < parts; ++p) {
        of.cluster_of.push_back(cluster);
        if (random.one_in(3)) ++cluster;
      }
      of.between = static_cast<double>(random.between(1, 9));
    }
    if (random.one_in(2))
      for (std::size_t c = 0; c < graph.cells(); ++c)
        of.weights.push_back(static_cast<double>(random.between(0, 9)) / 3);
    if (random.one_in(3))
      for (std::size_t k = 0; k < 3 * graph.cells(); ++k) of.centres.push_back(static_cast<double>(random.below(20)));
  }
  random_problem(random_problem const&) = delete;
  random_problem& operator=(random_problem const&) = delete;
};

/// The laws of mapping::partition_method, where the method does not refuse the problem. Whether it has.
inline bool obeys_laws(mapping::partition_method const& method, mapping::partition_problem const& of, double tolerance,
                       std::string const& where) {
  std::vector<std::uint32_t> parts;
  try {
    parts = method.parts_of(of, tolerance);
  } catch (error const&) {
    return false;
  }
  EXPECT_EQ(mapping::why_broken(of, parts), "") << method.name << ", " << where;
  if (mapping::why_broken(of, parts).empty() && of.constraints == 1) {
    EXPECT_EQ(mapping::why_unbalanced(of, parts, tolerance), "") << method.name << ", " << where;
  }
  EXPECT_EQ(method.parts_of(of, tolerance), parts) << method.name << " is the same again, " << where;
  return true;
}

}  // namespace skel::test
