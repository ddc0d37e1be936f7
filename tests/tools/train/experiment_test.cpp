#include "train/experiment.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include <skel/detail/base/error.hpp>

#include "train/fit.hpp"

namespace {

using namespace skel::training;
using skel::plan::reduction_algorithms;

TEST(PointOf, GoesThroughTheRangesAndIsTheSameAgain) {
  std::map<std::size_t, int> parts;
  std::set<std::string> kinds;
  int lattices = 0, real = 0, vectors = 0;
  constexpr int points = 600;
  for (std::size_t number = 0; number < points; ++number) {
    auto const point = point_of(number, 3), again = point_of(number, 3);
    auto const& of = point.pattern;
    EXPECT_EQ(point.cell, again.cell);
    EXPECT_EQ(of.elements, again.pattern.elements);
    EXPECT_EQ(point.settings.parts, again.settings.parts);
    EXPECT_GE(of.elements, 500u);
    EXPECT_LE(of.elements, 4'000'000u);
    EXPECT_GE(of.connectivity, 0.2);
    EXPECT_LE(of.connectivity, 128);
    EXPECT_GT(of.sparsity, 0);
    EXPECT_LE(of.sparsity, 1);
    EXPECT_EQ(point.settings.virtual_threads, point.settings.parts != 3);
    EXPECT_GT(point.work(), 0);
    EXPECT_GT(bytes_of(point), 0);
    ++parts[point.settings.parts];
    lattices += point.lattice.has_value(), real += !point.settings.virtual_threads;
    vectors += point.settings.value == trial_value::vector;
    kinds.insert(kind_of(point.cell));
  }
  EXPECT_EQ(parts.size(), 6u) << "3, and 2, 4, 8, 16, 32";
  EXPECT_NEAR(real, 0.4 * points, 0.05 * points);
  EXPECT_NEAR(vectors, points / 3, 0.05 * points);
  EXPECT_NEAR(lattices, points * 5 / 9, 0.06 * points);
  EXPECT_EQ(kinds.size(), 4u);
}

TEST(PointsOf, AreOfAFileInEachNumberingOnRealAndOnVirtualThreads) {
  auto const file = std::filesystem::temp_directory_path() / ("ring-of-ten-" + std::to_string(::getpid()) + ".edges");
  {
    std::ofstream out(file);
    for (int k = 0; k < 10; ++k) out << k << ' ' << (k + 1) % 10 << '\n';
  }
  auto const points = points_of(file, 2);
  std::filesystem::remove(file);
  ASSERT_FALSE(points.empty());
  ASSERT_EQ(points.size() % 3, 0u);
  for (std::size_t k = 0; k < points.size(); ++k) {
    EXPECT_EQ(kind_of(points[k].cell), "ring");
    EXPECT_EQ(points[k].settings.virtual_threads, k % 3 != 0);
    auto const made = points[k].made();
    EXPECT_EQ(made.elements(), 10u);
    EXPECT_EQ(made.subscripts(), 20u);
  }
  EXPECT_THROW(static_cast<void>(points_of("/no/such/file.edges", 2)), skel::input_error);
}

TEST(TimePoint, TimesEveryAlgorithmAndKnowsThePatternInEveryWay) {
  trial_point point;
  point.cell = "made-here";
  point.pattern.elements = 2000, point.pattern.connectivity = 3, point.pattern.mobility = 2;
  point.pattern.parts = point.settings.parts = 4, point.settings.virtual_threads = true;
  point.pattern.sparsity = 0.5, point.pattern.clusters = 5;
  point.settings.rounds = 1, point.settings.most_rounds = 1;
  auto const samples = time_point(point, 1e10);
  ASSERT_EQ(samples.size(), reduction_algorithms);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    auto const& one = samples[k];
    EXPECT_EQ(static_cast<std::size_t>(one.algorithm), k);
    EXPECT_EQ(one.program, "made-here");
    EXPECT_TRUE(one.virtual_threads);
    EXPECT_GT(one.measured.run, 0);
    EXPECT_GE(one.measured.setup, 0);
    EXPECT_EQ(one.problem, samples[0].problem);
    EXPECT_EQ(one.problem.known_by, skel::cost::knowledge::counted);
    EXPECT_EQ(one.problem.pattern.parts, 4u);
    EXPECT_EQ(one.problem.pattern.subscripts, 12000u);
    EXPECT_EQ(one.sampled.subscripts, 12000u);
    EXPECT_GT(one.sampled.sparsity, 0);
  }
}

}  // namespace
