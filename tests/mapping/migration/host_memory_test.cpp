#include <skel/detail/mapping/migration/host_memory.hpp>

#include <memory>
#include <random>

#include <gtest/gtest.h>

namespace {

using namespace skel;
using mapping::migration::host_memory;

constexpr std::size_t none = record::memory_needs::no_block;

/// Two hosts of 100 B; processes 0 and 1 share a block of 40 B, as do 2 and 3.
record::superstep sharing() {
  record::memory_needs const needs{.footprint = {10, 10, 10, 10, 5},
                                   .working = {20, 5, 5, 5, 5},
                                   .block = {0, 0, 1, 1, none},
                                   .block_bytes = {40, 40},
                                   .reserved = {10, 0}};
  record::superstep step;
  step.hosts = {0, 0, 1, 1, 1};
  step.state_bytes.assign(5, 0.0);
  step.memory = std::make_shared<record::memory_needs const>(needs);
  return step;
}
cost::bsp::machine two(double bytes) {
  return {platform::description(0, {{"a", 2, 1, 1, {0, 1}, {}, {}}}, {}), 0, {bytes, bytes}};
}

TEST(MemoryUsed, CountsBlocksOnceOnAHost) {
  auto const step = sharing();
  auto const used = record::memory_used(*step.memory, step.hosts);
  EXPECT_EQ(used[0], 10 + 2 * 10 + 40 + 20);
  EXPECT_EQ(used[1], 2 * 10 + 5 + 40 + 5);
}

TEST(HostMemory, HasRoomForABlockOrNot) {
  host_memory memory(two(100), sharing());
  EXPECT_FALSE(memory.fits(0, 2)) << "its block does not";
  EXPECT_TRUE(memory.fits(0, 4));
  memory.leave(0);  // 20 B of working memory less
  EXPECT_FALSE(memory.fits(1, 0)) << "another block";
  memory.come(0, 0);
  memory.move(2, 0);
  EXPECT_FALSE(memory.is_kept(0));
  EXPECT_TRUE(memory.fits(0, 3) == false) << "the block is there, but the host is over its limit";
}

TEST(HostMemory, AgreesWithWhatIsUsed) {
  std::mt19937 random(1);
  auto step = sharing();
  host_memory memory(two(1000), step);
  for (int k = 0; k < 200; ++k) {
    std::size_t const process = random() % 5, to = random() % 2;
    memory.move(process, to), step.hosts[process] = to;
    auto const used = record::memory_used(*step.memory, step.hosts);
    for (std::size_t h = 0; h < 2; ++h) ASSERT_EQ(1000 - used[h], memory.left(h) - memory.most_working(h)) << k;
  }
}

TEST(HostMemory, ExchangesWhereNeitherCouldMove) {
  auto grid = two(94);
  grid.memory[1] = 200;
  host_memory memory(grid, sharing());
  EXPECT_FALSE(memory.fits(0, 4)) << "20 B of working memory, 5 B and what is there are 1 B too many";
  EXPECT_TRUE(memory.can_exchange(0, 4)) << "process 0 takes its working memory along";
  EXPECT_FALSE(memory.can_exchange(1, 2)) << "both blocks on host 0";
  EXPECT_EQ(memory.left(0), 94 - 10 - 20 - 40) << "all are where they were";
}

}  // namespace
