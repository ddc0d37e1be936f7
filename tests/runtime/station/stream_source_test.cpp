#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include <runtime/station/stream_source.hpp>

namespace {

using skel::runtime::batch_limits;
using skel::runtime::byte_credits;
using skel::runtime::producer;
using skel::runtime::source_producer;
using skel::runtime::stream_source;

using giving = std::function<std::optional<int>()>;

struct StreamSource : testing::Test {
  int left = 0;
  std::atomic<bool> stop = false;
  giving give = [this] { return left > 0 ? std::optional(left--) : std::nullopt; };

  stream_source make(std::uint64_t first = 0, std::optional<byte_credits> credits = {}) {
    return {std::make_unique<source_producer<giving, int>>(give), first, std::move(credits)};
  }
  producer::state fill(stream_source& source, std::size_t items) {
    left = left == 0 ? 1000 : left;
    return source.function().fill({items, 1 << 20}, stop, [] {});
  }
};

TEST_F(StreamSource, NumbersItsParcelsByTheirFirstItems) {
  auto source = make(100);
  std::uint64_t bytes = 0;
  EXPECT_FALSE(source.take_open(bytes));
  fill(source, 3);
  auto const first = source.take_open(bytes);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->first_item, 100u);
  EXPECT_EQ(first->items->size(), 3u);
  EXPECT_EQ(bytes, 3 * sizeof(int));
  fill(source, 2);
  EXPECT_EQ(source.take_open(bytes)->first_item, 103u);
  EXPECT_EQ(source.next_item(), 105u);
  EXPECT_EQ(source.bytes(), 5 * sizeof(int));
}

TEST_F(StreamSource, IsRunByOneLaneAtATimeUntilItEnds) {
  auto source = make();
  EXPECT_TRUE(source.may_run());
  source.run();
  EXPECT_FALSE(source.may_run());
  source.rests(false);
  EXPECT_TRUE(source.may_run());
  EXPECT_FALSE(source.over());
  source.run();
  source.rests(true);
  EXPECT_FALSE(source.may_run());
  EXPECT_TRUE(source.over());
}

TEST_F(StreamSource, FillsABatchWithWhatPassesTheSlowestInTimeAndTwiceTheLastOneAtMost) {
  auto source = make();
  EXPECT_EQ(source.next_batch(0, 1e-3, 4096).items, 1u);
  source.ran(4);
  EXPECT_EQ(source.next_batch(1000, 1e-3, 4096).items, 8u);
  source.ran(5000);
  EXPECT_EQ(source.next_batch(1000, 1e-3, 4096).items, 1000u);
  EXPECT_EQ(source.next_batch(5'000'000, 1e-3, 4096).items, 1u);
  EXPECT_EQ(source.next_batch(1000, 1e-3, 4096).bytes, 4096u);
}

TEST_F(StreamSource, WaitsForCreditsThatCountBytes) {
  auto source = make(0, byte_credits(1000, 1, 2));
  std::uint64_t bytes = 0;
  fill(source, 1);
  ASSERT_TRUE(source.take_open(bytes));
  EXPECT_FALSE(source.may_run());  // the weight of an item is not known before one has left
  source.credits()->weigh(100);
  source.credits()->leave(0);
  EXPECT_TRUE(source.may_run());
  source.ran(1000);
  EXPECT_EQ(source.next_batch(1, 1, 1 << 20).items, 5u);  // half of the ten that the limit holds
}

TEST_F(StreamSource, SaysWhetherItHasGivenAnything) {
  auto source = make();
  std::uint64_t bytes = 0;
  EXPECT_FALSE(source.active());
  fill(source, 1);
  source.take_open(bytes);
  EXPECT_TRUE(source.active());
  EXPECT_FALSE(source.active());
}

}  // namespace
