#include <skel/detail/runtime/threads/dealt_pieces.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/plan/block.hpp>

namespace {

using skel::plan::block;
using skel::runtime::dealt_pieces;

std::vector<block> all_of(dealt_pieces& pieces, std::size_t part) {
  std::vector<block> taken;
  while (auto const one = pieces.next(part)) taken.push_back(*one);
  return taken;
}

TEST(DealtPieces, GiveAPartItsBlockFromTheFront) {
  dealt_pieces pieces;
  pieces.deal(10, 2, 2, false);
  EXPECT_THAT(all_of(pieces, 0), testing::ElementsAre(block{0, 2}, block{2, 4}, block{4, 5}));
  EXPECT_THAT(all_of(pieces, 1), testing::ElementsAre(block{5, 7}, block{7, 9}, block{9, 10}));
  EXPECT_EQ(pieces.next(0), std::nullopt);
}

TEST(DealtPieces, AreTakenOverFromTheBackOfTheFullestBlock) {
  dealt_pieces pieces;
  pieces.deal(12, 3, 2, true);
  EXPECT_EQ(pieces.next(1), (block{4, 6}));  // part 2 has more than part 1 now
  EXPECT_THAT(all_of(pieces, 0),
              testing::ElementsAre(block{0, 2}, block{2, 4}, block{10, 12}, block{6, 8}, block{8, 10}));
  EXPECT_EQ(pieces.next(1), std::nullopt);
  EXPECT_EQ(pieces.next(2), std::nullopt);
}

TEST(DealtPieces, OfNothingAreNone) {
  dealt_pieces pieces;
  pieces.deal(0, 3, 1, true);
  EXPECT_EQ(pieces.next(2), std::nullopt);
  pieces.deal(2, 3, 1, false);  // fewer things than parts
  EXPECT_THAT(all_of(pieces, 0), testing::IsEmpty());
  EXPECT_THAT(all_of(pieces, 1), testing::ElementsAre(block{0, 1}));
}

TEST(DealtPieces, CountMoreThingsThanAWordHolds) {
  constexpr std::size_t things = (std::size_t{1} << 33) + 5;
  dealt_pieces pieces;
  pieces.deal(things, 2, things / 5, true);
  std::size_t taken = 0;
  for (auto const& one : all_of(pieces, 0)) taken += one.size();
  EXPECT_EQ(taken, things);
  pieces.deal(things, 3, std::numeric_limits<std::size_t>::max() / 2, false);
  std::size_t next = 0;
  for (std::size_t part = 0; part < 3; ++part)
    for (auto const& one : all_of(pieces, part)) {
      EXPECT_EQ(one.begin, next);
      next = one.end;
    }
  EXPECT_EQ(next, things);
}

TEST(DealtPieces, AreBlocksOfSchedulesAsLongAsAWordHoldsThem) {
  constexpr std::size_t things = std::numeric_limits<std::uint32_t>::max();  // the most that schedules number
  dealt_pieces pieces;
  pieces.deal(things, 3, things, false);
  for (std::size_t part = 0; part < 3; ++part) EXPECT_EQ(pieces.next(part), skel::plan::block_of(things, 3, part));
}

TEST(DealtPieces, AreTakenOnceByThreadsThatTakeOver) {
  constexpr std::size_t things = 20000, parts = 4;
  for (std::size_t const grain : {1u, 3u, 70u}) {
    dealt_pieces pieces;
    std::vector<std::atomic<int>> taken(things);
    pieces.deal(things, parts, grain, true);
    std::vector<std::thread> threads;
    for (std::size_t part = 0; part < parts; ++part)
      threads.emplace_back([&, part] {
        while (auto const one = pieces.next(part))
          for (std::size_t k = one->begin; k < one->end; ++k) ++taken[k];
      });
    for (auto& thread : threads) thread.join();
    for (auto const& count : taken) ASSERT_EQ(count, 1);
  }
}

TEST(DealtPieces, BalanceTakingAndWaiting) {
  // What n pieces of a block of T cost, n c + T / 2n, grows on both sides of the best.
  double const block_seconds = 1e-3, best = dealt_pieces::best_piece(block_seconds);
  auto const cost = [&](double piece) {
    double const c = dealt_pieces::best_piece(2) * dealt_pieces::best_piece(2) / 4;
    return block_seconds / piece * c + piece / 2;
  };
  EXPECT_LT(cost(best), cost(best * 1.1));
  EXPECT_LT(cost(best), cost(best / 1.1));
  EXPECT_EQ(dealt_pieces::best_grain(1000, 2, best * 500), 1u);  // less than one thing
  EXPECT_EQ(dealt_pieces::best_grain(10, 2, 1e-12), 5u);         // no more than a block
  EXPECT_EQ(dealt_pieces::best_grain(0, 2, 1e-9), 1u);
  EXPECT_NEAR(static_cast<double>(dealt_pieces::best_grain(2000000, 2, 1e-9)), best / 1e-9, 1.5);
}

}  // namespace
