#include <reductions/programs/adaptive_mesh.hpp>
#include <reductions/programs/amr_red2d.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace bench::reductions;

bool everywhere(double, double) {
  return true;
}

/// Triangles that fill the unit square, whose edges are in two of them, or on its boundary.
void expect_conforming(adaptive_mesh const& mesh) {
  auto const now = mesh.triangles_of_now();
  ASSERT_EQ(now.nodes(), mesh.nodes());
  ASSERT_EQ(now.cells(), mesh.triangles());
  double area = 0;
  std::map<std::pair<skel::subscript, skel::subscript>, int> uses;
  for (std::size_t c = 0; c < now.cells(); ++c) {
    auto const n = now.cell(c);
    auto const p = now.point(n[0]), q = now.point(n[1]), r = now.point(n[2]);
    area += std::abs((q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1])) / 2;
    for (std::size_t k = 0; k < 3; ++k) ++uses[std::minmax({n[k], n[(k + 1) % 3]})];
  }
  EXPECT_NEAR(area, 1, 1e-9);
  for (auto const& edge : uses) {
    auto const a = now.point(edge.first.first), b = now.point(edge.first.second);
    bool const outside = (a[0] == b[0] && (a[0] == 0 || a[0] == 1)) || (a[1] == b[1] && (a[1] == 0 || a[1] == 1));
    EXPECT_EQ(edge.second, outside ? 1 : 2);
  }
  EXPECT_EQ(now.nodes() + now.cells(), uses.size() + 1);  // Euler, for a disk: no node is left alone
  for (std::size_t v = 1; v < now.nodes(); ++v) {
    auto const before = now.point(v - 1), here = now.point(v);
    EXPECT_TRUE(before[0] < here[0] || (before[0] == here[0] && before[1] < here[1]))
        << "nodes are in the order of x, y";
  }
}

TEST(AdaptiveMesh, IsALatticeFirst) {
  adaptive_mesh const mesh(5, 4);
  EXPECT_EQ(mesh.nodes(), 20u);
  EXPECT_EQ(mesh.triangles(), 24u);
  expect_conforming(mesh);
}

TEST(AdaptiveMesh, ConformsWhereverItIsRefinedAndCoarsened) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> draw(0, 1);
  adaptive_mesh mesh(6, 6);
  for (int round = 0; round < 30; ++round) {
    double const x = draw(random), y = draw(random), radius = draw(random) / 3;
    auto const inside = [&](double u, double v) { return std::hypot(u - x, v - y) < radius; };
    if (round % 3 == 2)
      mesh.coarsen(inside);
    else
      mesh.refine(inside);
    expect_conforming(mesh);
  }
  EXPECT_GT(mesh.nodes(), 36u);
}

TEST(AdaptiveMesh, IsCoarsenedBackToItsLattice) {
  adaptive_mesh mesh(6, 5);
  for (int k = 0; k < 6; ++k) mesh.refine([](double x, double y) { return x < 0.3 && y < 0.4; });
  EXPECT_GT(mesh.nodes(), 100u);
  for (int k = 0; k < 20; ++k) mesh.coarsen(everywhere);
  EXPECT_EQ(mesh.nodes(), 30u);
  EXPECT_EQ(mesh.triangles(), 40u);
  expect_conforming(mesh);
}

TEST(AdaptiveMesh, DoublesItsTrianglesWhenAllAreBisected) {
  adaptive_mesh mesh(5, 5);
  mesh.refine(everywhere);
  EXPECT_EQ(mesh.triangles(), 64u);
  mesh.refine(everywhere);
  EXPECT_EQ(mesh.triangles(), 128u);
  EXPECT_EQ(mesh.nodes(), 81u);
}

TEST(AmrRed2d, ChangesItsPatternFromPhaseToPhase) {
  for (auto const& input : amr_inputs) {
    options how;
    how.scale = 0.02;
    auto run = amr_red2d(input, how);
    std::size_t phases = 0, steps = 0, first = 0, most = 0;
    std::set<std::size_t> sizes;
    while (auto const now = run.next()) {
      if (phases++ == 0) first = now->pattern.elements();
      most = std::max(most, now->pattern.elements());
      sizes.insert(now->pattern.elements());
      steps += now->steps;
      EXPECT_EQ(now->steps, input.steps_of_a_phase);
    }
    EXPECT_EQ(steps, input.steps);
    EXPECT_EQ(phases, run.phases);
    EXPECT_GT(sizes.size(), 4u);
    EXPECT_GE(most, 6 * first);   // the limit is reached,
    EXPECT_LT(most, 12 * first);  // and ends the refining: a bisection of all triangles doubles them
  }
}

TEST(AmrRed2d, GoesFromNodeToHigherNodes) {
  options how;
  how.scale = 0.05;
  auto run = amr_red2d(amr_inputs[0], how);
  run.next();
  auto const now = run.next();
  ASSERT_TRUE(now);
  for (std::size_t i = 0; i < now->pattern.iterations(); ++i) {
    auto const row = now->pattern.row(i);
    EXPECT_LT(row[0], row[1]);
    EXPECT_LE(now->pattern.row(i == 0 ? 0 : i - 1)[0], row[0]);
  }
}

}  // namespace
