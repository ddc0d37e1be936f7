#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/blocks.hpp"
#include "kernels/mesh_trace.hpp"
#include "kernels/particle_trace.hpp"

namespace kernels {
namespace {

using testing::DoubleEq;
using testing::DoubleNear;

cloud small_cloud(distribution kind) {
  return {.side = 60,
          .particles = 3000,
          .steps = 90,
          .k = 1,
          .m = -2,
          .kind = kind,
          .factor = 0.97,
          .slope = 1,
          .offset = 2,
          .columns = {10, 31},
          .rows = {20, 41}};
}

double sum(std::vector<double> const& all) {
  return std::accumulate(all.begin(), all.end(), 0.0);
}

TEST(Tiles, PartsCoverTheGridAndKnowTheirNumbers) {
  for (long const parts : {1, 3, 7, 10}) {
    long next = 0;
    for (long p = 0; p < parts; ++p) {
      range const part = part_of(10, parts, p);
      EXPECT_EQ(part.begin, next);
      next = part.end;
      for (long at = part.begin; at < part.end; ++at) EXPECT_EQ(part_with(10, parts, at), p);
    }
    EXPECT_EQ(next, 10);
  }
}

TEST(Draws, SkippingIsDrawing) {
  draws one_by_one, skipped;
  for (int k = 0; k < 1000; ++k) one_by_one.next(7);
  skipped.skip_to(1000);
  EXPECT_EQ(skipped.next(~0ULL), one_by_one.next(~0ULL));
}

// As many as pic of the Parallel Research Kernels (MPI1/PIC-static, 1000 cells, 100000 particles) says that it places.
TEST(Particles, AreAsManyAsTheKernelPlaces) {
  cloud of{.side = 1000, .particles = 100000};
  auto const placed = [&] { return initial_counts(of).all(); };
  of.kind = distribution::geometric, of.factor = 0.99;
  EXPECT_EQ(placed(), 99817U);
  of.kind = distribution::sinusoidal;
  EXPECT_EQ(placed(), 99632U);
  of.kind = distribution::linear, of.slope = 1, of.offset = 2;
  EXPECT_EQ(placed(), 100160U);
  of.kind = distribution::patch, of.columns = {100, 301}, of.rows = {200, 401};
  EXPECT_EQ(placed(), 99856U);
}

class ParticlesOf : public testing::TestWithParam<distribution> {};

TEST_P(ParticlesOf, EndWhereTheyHaveToAndOnlyThere) {
  cloud const of = small_cloud(GetParam());
  range const all{0, of.side};
  charges const grid(all, all);
  auto particles = particles_in(of, all, all);
  ASSERT_GT(particles.size(), 1000U);
  for (auto& one : particles) {
    for (std::uint64_t s = 0; s < of.steps; ++s) grid.push(one, 60);
    EXPECT_FALSE(is_right(of, one));
    grid.push(one, 60);
    EXPECT_TRUE(is_right(of, one));
  }
}

TEST_P(ParticlesOf, WorkAndMessagesAreThoseOfParticlesThatMove) {
  cloud const of = small_cloud(GetParam());
  tiling const tiles = nearly_square(15);
  auto const trace = trace_of(of, tiles);
  range const all{0, of.side};
  charges const grid(all, all);
  auto particles = particles_in(of, all, all);
  auto const tile_of = [&](particle const& one) {
    return tiles.tile(part_with(60, tiles.columns, static_cast<long>(one.x)),
                      part_with(60, tiles.rows, static_cast<long>(one.y)));
  };
  ASSERT_EQ(trace.size(), of.steps + 1);
  for (auto const& step : trace) {
    std::vector<double> work(15);
    std::vector<std::vector<double>> bytes(15, std::vector<double>(15)), expected = bytes;
    for (auto& one : particles) {
      std::size_t const from = tile_of(one);
      ++work[from];
      grid.push(one, 60);
      if (std::size_t const to = tile_of(one); to != from) bytes[from][to] += sizeof(particle);
    }
    for (auto const& one : step.messages) expected[one.from][one.to] += one.bytes;
    ASSERT_EQ(step.work, work);
    ASSERT_EQ(expected, bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ParticlesOf,
                         testing::Values(distribution::geometric, distribution::sinusoidal, distribution::linear,
                                         distribution::patch),
                         [](auto const& one) { return std::string(name_of(one.param)); });

TEST(Mesh, SuperstepsAreThoseOfAllIterations) {
  mesh const of{.iterations = 33, .period = 5, .duration = 3, .sub_iterations = 4};
  long updates = 0, last = -1, iterations = 0;
  for (std::uint64_t s = 2; s <= supersteps_of(of); ++s) {
    moment const now = moment_of(of, s);
    EXPECT_EQ(now.refined, now.iteration % 5 < 3);
    EXPECT_EQ(now.which, now.iteration / 5 % 4);
    if (now.iteration != last) {
      ++iterations;
      EXPECT_EQ(now.iteration, last + 1);
    }
    last = now.iteration;
    updates += now.refined ? 1 : 0;
  }
  EXPECT_EQ(iterations, 34);
  EXPECT_EQ(updates, 4 * (6 * 3 + 3));
}

TEST(Mesh, TilesDoTogetherWhatOneDoes) {
  mesh const of{.iterations = 25, .side = 60, .refined = 20, .level = 0, .period = 4, .duration = 2};
  auto const one = trace_of(of, nearly_square(1)), many = trace_of(of, nearly_square(12));
  ASSERT_EQ(one.size(), many.size());
  for (std::size_t s = 0; s < one.size(); ++s) EXPECT_THAT(sum(many[s].work), DoubleEq(sum(one[s].work)));
}

TEST(Mesh, InterpolationIsExactForWhatIsLinear) {
  mesh const of{.side = 40, .refined = 12, .level = 2};
  for (int g = 0; g < 4; ++g) {
    area const own{{7, 23}, {30, of.fine_side()}};
    area const coarse = background_of(of, own, g);
    std::vector<double> background;
    for (long y = coarse.y.begin; y < coarse.y.end; ++y)
      for (long x = coarse.x.begin; x < coarse.x.end; ++x) background.push_back(static_cast<double>(3 * x - y));
    field to(own, of.fine_side());
    interpolate(of, g, coarse, background, to);
    for (long y = own.y.begin - radius; y < own.y.end; ++y)
      for (long x = own.x.begin - radius; x < own.x.end + radius; ++x)
        EXPECT_THAT(to.in(x, y), DoubleNear(3 * (static_cast<double>(of.left(g)) + static_cast<double>(x) / 4) -
                                                (static_cast<double>(of.bottom(g)) + static_cast<double>(y) / 4),
                                            1e-12));
  }
}

TEST(Blocks, GiveEachHostItsPartOfTheTiles) {
  auto const hosts = hosts_of_blocks(1000, nearly_square(256), 16);
  for (std::size_t h = 0; h < 16; ++h) EXPECT_EQ(std::count(hosts.begin(), hosts.end(), h), 16);
  EXPECT_EQ(hosts.front(), 0U);
  EXPECT_EQ(hosts.back(), 15U);
}

}  // namespace
}  // namespace kernels
