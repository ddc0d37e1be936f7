#include "mesh_remapper.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using skel::mesh_remapper;
using skel::mesh_standing;

/// A row of cells on hosts that are equally fast; rank 2 takes no part. One phase, behind an update.
struct row {
  explicit row(std::size_t cells, std::size_t parts) {
    graph.offsets.push_back(0);
    for (std::uint32_t c = 0; c < cells; ++c) {
      if (c > 0) graph.neighbours.push_back(c - 1);
      if (c + 1 < cells) graph.neighbours.push_back(c + 1);
      graph.offsets.push_back(graph.neighbours.size());
    }
    standing.ranks = {0, 1, 3};
    standing.partition.parts = parts;
    for (std::size_t c = 0; c < cells; ++c)
      standing.partition.part_of.push_back(static_cast<std::uint32_t>(c * parts / cells));
    standing.hosts = {.phases = 1,
                      .seconds = std::vector<double>(parts, 1e-6),
                      .most_cells = std::vector<double>(parts, 1e12),
                      .cluster_of = std::vector<std::size_t>(parts, 0),
                      .paths = {{{0, 1e9}, 1}},
                      .leaving = {1e9},
                      .bytes = 1,
                      .port = {1e-9},
                      .uplink = {1e-9},
                      .updates = 1,
                      .overlaps = {0}};
    standing.phase_of = {mesh_standing::no_phase, 0};
    standing.bytes_per_element = 100;
    standing.bandwidth = 1e9;
  }

  /// What such ranks do in some iterations, where rank 1 is so many times slower.
  skel::record::mesh_record after(std::uint64_t all, std::uint64_t iterations, double slower) const {
    skel::record::mesh_record out;
    out.iterations = all;
    out.steps = {{"update", {0, 0, 0, 0}, {0, 0, 0, 0}}, {"phase", {0, 0, 0, 0}, {0, 0, 0, 0}}};
    for (std::size_t p = 0; p < standing.ranks.size(); ++p) {
      auto const cells = std::ranges::count(standing.partition.part_of, static_cast<std::uint32_t>(p));
      double const seconds =
          1e-6 * static_cast<double>(cells) * static_cast<double>(iterations) * (p == 1 ? slower : 1);
      out.steps[1].computing[static_cast<std::size_t>(standing.ranks[p])] = seconds;
      out.iterating = std::max(out.iterating, seconds);
    }
    return out;
  }

  skel::plan::cell_graph graph;
  mesh_standing standing;
};

/// Until it has moved, or not within so many reviews: after how many.
std::size_t reviews_until_moved(mesh_remapper& by, row& of, double slower, std::size_t most) {
  for (std::size_t k = 1; k <= most; ++k)
    if (auto const dealt = by.review(of.after(1000 * k, 1000, slower), 1000, 0.01)) {
      of.standing.partition = *dealt;
      return k;
    }
  return 0;
}

mesh_remapper remapper_of(row const& of, skel::mapping::decision_setup const& decisions = {}) {
  return {of.standing, {.graph = &of.graph, .weights = {}, .centres = {}}, 0.05, 0.05, decisions};
}

TEST(MeshRemapper, EqualHostsStayAsTheyAre) {
  row one(3000, 3);
  auto by = remapper_of(one);
  EXPECT_EQ(reviews_until_moved(by, one, 1, 20), 0u);
  EXPECT_EQ(by.reviews().size(), 20u);
}

TEST(MeshRemapper, ASlowHostGetsFewerElementsWhenThatPays) {
  row one(3000, 3);
  auto by = remapper_of(one);
  // A thousand iterations lose 2 s beside the best, which is far more than moving costs.
  EXPECT_EQ(reviews_until_moved(by, one, 4, 20), 1u);
  auto const& last = by.reviews().back();
  EXPECT_TRUE(last.moved);
  EXPECT_NEAR(last.stays, 4e-3, 1e-9);
  EXPECT_NEAR(last.goes, 3000e-6 / 2.25, 0.05 * last.goes);
  EXPECT_GT(last.lost, last.entry);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(one.standing.partition.part_of, 1U)), 3000 / 9.0, 20);
  EXPECT_EQ(reviews_until_moved(by, one, 4, 20), 0u) << "it is as it should be now";
  EXPECT_GT(reviews_until_moved(by, one, 1, 20), 0u) << "the host is as fast as before";
}

TEST(MeshRemapper, WhatIsLostIsWeighedAgainstWhatMovingCosts) {
  row one(3000, 3);
  one.standing.bandwidth = 1e4;  // 100 kB take 10 s and more
  auto by = remapper_of(one);
  auto const reviews = reviews_until_moved(by, one, 4, 100);
  EXPECT_GT(reviews, 3u);
  auto const& last = by.reviews().back();
  EXPECT_GE(last.lost, last.entry);
  EXPECT_LE(last.lost, 1.5 * last.entry + 3);
}

TEST(MeshRemapper, NothingMovesForWhatIsLeft) {
  row one(3000, 3);
  one.standing.bandwidth = 1e4;
  one.standing.iterations = 5000;
  auto by = remapper_of(one);
  EXPECT_EQ(reviews_until_moved(by, one, 4, 5), 0u);
}

TEST(MeshRemapper, StaysWhereThatIsForced) {
  row one(3000, 3);
  auto by = remapper_of(one, {.log = nullptr, .forced = {{"remap", "stay"}}, .known = {}});
  EXPECT_EQ(reviews_until_moved(by, one, 4, 20), 0u);
}

}  // namespace
