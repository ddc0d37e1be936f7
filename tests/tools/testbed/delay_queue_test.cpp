#include "testbed/delay_queue.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using skel::platform::cluster;
using skel::platform::description;
using skel::testbed::delay_queue;
using skel::testbed::moment;

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Hosts 0 and 1 in one cluster, 2 alone in another: 1 ms and 1 MB/s between them, 10 ms and 0.1 MB/s to the other,
///
///     a-0 --1 ms-- a-1
///        \        /
///          10 ms      (each pair has a channel of its own, or both share one)
///             |
///             b
description three_hosts(bool shared = false, double inside = 1e6) {
  skel::platform::parameter_blocks more;
  if (shared) more["x_shared"] = "true";
  return {0,
          {{.name = "a", .hosts = 2, .inside = {1e-3, inside}}, {.name = "b"}},
          {{0, 1, {1e-2, 1e5}, more}, {1, 0, {1e-2, 1e5}, more}}};
}

delay_queue queue_of(description const& machine) {
  return delay_queue(skel::testbed::make_network(machine, 1, "test"));
}

std::vector<std::byte> packet(std::size_t bytes, unsigned mark = 0) {
  return std::vector<std::byte>(bytes, static_cast<std::byte>(mark));
}

TEST(DelayQueue, APacketArrivesAfterItsTimeInTheChannelAndTheLatency) {
  delay_queue queue = queue_of(three_hosts());
  ASSERT_TRUE(queue.offer(5ms, 0, 1, packet(1000), 1000));
  EXPECT_EQ(queue.next(), moment(7ms));  // 1000 B at 1 MB/s, and 1 ms
  EXPECT_FALSE(queue.take(7ms - 1ns));
  auto const arrived = queue.take(7ms);
  ASSERT_TRUE(arrived);
  EXPECT_EQ(arrived->to, 1U);
  EXPECT_EQ(arrived->bytes.size(), 1000U);
  EXPECT_FALSE(queue.next());
}

TEST(DelayQueue, PacketsOfAChannelFollowEachOther) {
  delay_queue queue = queue_of(three_hosts());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.offer(0ms, 0, 1, packet(500), 500));
  for (moment const due : {1500us, 2000us, 2500us}) {
    EXPECT_EQ(queue.next(), due);
    ASSERT_TRUE(queue.take(due));
  }
  ASSERT_TRUE(queue.offer(10ms, 0, 1, packet(500), 500));
  EXPECT_EQ(queue.next(), moment(11500us)) << "what was sent before is no burden any more";
}

TEST(DelayQueue, PairsHaveChannelsOfTheirOwnUnlessTheyAreShared) {
  for (bool const shared : {false, true}) {
    delay_queue queue = queue_of(three_hosts(shared));
    ASSERT_TRUE(queue.offer(0ms, 0, 2, packet(1000), 1000));
    ASSERT_TRUE(queue.offer(0ms, 1, 2, packet(1000), 1000));
    EXPECT_EQ(queue.take(1s)->due, moment(20ms));  // 1000 B at 0.1 MB/s, and 10 ms
    EXPECT_EQ(queue.take(1s)->due, moment(shared ? 30ms : 20ms));
    ASSERT_TRUE(queue.offer(0ms, 2, 0, packet(1000), 1000));
    EXPECT_EQ(queue.take(1s)->due, moment(20ms)) << "the other direction is another channel";
  }
}

TEST(DelayQueue, WhatFindsNoRoomIsDropped) {
  delay_queue queue = queue_of(three_hosts());
  std::size_t const channel = queue.wires().between(0, 2).channel;
  EXPECT_EQ(queue.room(channel), delay_queue::least_room) << "20 ms at 0.1 MB/s are less";
  constexpr std::size_t bytes = 60'000;
  std::size_t taken = 0;
  while (queue.offer(0ms, 0, 2, packet(10), bytes)) ++taken;
  EXPECT_EQ(taken, static_cast<std::size_t>(delay_queue::least_room) / bytes);
  EXPECT_EQ(queue.of(0, 2).packets, taken);
  EXPECT_EQ(queue.of(0, 2).bytes, taken * bytes);
  EXPECT_EQ(queue.of(0, 2).dropped, 1U);
  EXPECT_TRUE(queue.offer(0ms, 1, 2, packet(10), bytes)) << "another pair's channel has room";
  EXPECT_TRUE(queue.offer(600ms, 0, 2, packet(10), bytes)) << "as there is when one packet has left";
}

TEST(DelayQueue, AFastLongChannelHoldsARoundTrip) {
  delay_queue queue = queue_of(three_hosts());
  std::size_t const channel = queue.wires().between(0, 2).channel;
  queue.set_bandwidth(channel, 1e9);
  EXPECT_DOUBLE_EQ(queue.room(channel), 1e9 * 0.02);
  queue.set_latency({{2, 0}}, 0.03);
  EXPECT_DOUBLE_EQ(queue.room(channel), 1e9 * 0.04) << "the way back is part of the round trip";
}

TEST(DelayQueue, ASharedChannelHoldsTheLongestRoundTrip) {
  delay_queue queue = queue_of(three_hosts(true));
  std::size_t const channel = queue.wires().between(0, 2).channel;
  ASSERT_EQ(channel, queue.wires().between(1, 2).channel);
  queue.set_bandwidth(channel, 1e9);
  queue.set_latency({{0, 2}}, 0.05);
  EXPECT_DOUBLE_EQ(queue.room(channel), 1e9 * 0.06);
  queue.set_latency({{0, 2}}, 0);
  EXPECT_DOUBLE_EQ(queue.room(channel), 1e9 * 0.02) << "that of the other host";
}

TEST(DelayQueue, UnlimitedBandwidthTakesNoTimeAndHasRoomForAll) {
  delay_queue queue = queue_of(three_hosts(false, unlimited));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(queue.offer(3ms, 0, 1, packet(1), 65535));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(queue.take(4ms)->due, moment(4ms));
}

TEST(DelayQueue, ChangesAreForPacketsThatComeLater) {
  delay_queue queue = queue_of(three_hosts());
  ASSERT_TRUE(queue.offer(0ms, 0, 1, packet(1000, 1), 1000));
  queue.set_latency({{0, 1}}, 0.5);
  queue.set_bandwidth(queue.wires().between(0, 1).channel, 1e3);
  ASSERT_TRUE(queue.offer(1ms, 0, 1, packet(1000, 2), 1000));
  EXPECT_EQ(queue.take(10s)->due, moment(2ms));
  EXPECT_EQ(queue.take(10s)->due, moment(1501ms));
}

TEST(DelayQueue, PacketsOfAPairStayInOrderWhenTheLatencyFalls) {
  delay_queue queue = queue_of(three_hosts());
  queue.set_latency({{0, 1}}, 0.1);
  ASSERT_TRUE(queue.offer(0ms, 0, 1, packet(1, 1), 1));
  queue.set_latency({{0, 1}}, 0);
  ASSERT_TRUE(queue.offer(1ms, 0, 1, packet(1, 2), 1));
  EXPECT_FALSE(queue.take(99ms));
  EXPECT_EQ(queue.take(1s)->bytes, packet(1, 1));
  EXPECT_EQ(queue.take(1s)->bytes, packet(1, 2));
}

TEST(DelayQueue, ClustersWithoutALinkGetNothing) {
  delay_queue queue = queue_of({0, {{.name = "a"}, {.name = "b"}}, {}});
  EXPECT_FALSE(queue.offer(0ms, 0, 1, packet(1), 1));
  EXPECT_EQ(queue.of(0, 1).dropped, 1U);
}

TEST(DelayQueue, NumbersAsLargeAsTheyCanBeAreCountedStill) {
  delay_queue queue = queue_of({0, {{.name = "a", .hosts = 2, .inside = {1e300, 1e-300}}}, {}});
  ASSERT_TRUE(queue.offer(1h, 0, 1, packet(1), 65535));
  EXPECT_GT(*queue.next(), moment(1h));
  EXPECT_FALSE(queue.take(24h));
}

/// What the queue promises, computed anew from all packets of random traffic.
TEST(DelayQueue, RandomTrafficArrivesInOrderWholeAndNeverEarly) {
  std::mt19937_64 random(5);
  delay_queue queue = queue_of(three_hosts(true));
  std::vector<moment> earliest;  // by the mark of a packet
  std::vector<std::vector<std::size_t>> sent(9), arrived(9);
  moment now{};
  auto const receive = [&] {
    while (auto const got = queue.take(now)) {
      ASSERT_LT(got->number, earliest.size());
      ASSERT_GE(got->due, earliest[got->number]);
      arrived[got->from * 3 + got->to].push_back(got->number);
    }
  };
  for (int i = 0; i < 20'000; ++i) {
    now += moment(random() % 200'000);
    std::size_t const from = random() % 3, to = (from + 1 + random() % 2) % 3, bytes = 40 + random() % 1460;
    double const latency = 1e-3 * static_cast<double>(random() % 10);
    if (random() % 50 == 0) queue.set_latency({{from, to}}, latency);
    auto const& path = queue.wires().between(from, to);
    double const least = path.latency + static_cast<double>(bytes) / queue.wires().channels[path.channel].bandwidth;
    if (queue.offer(now, from, to, packet(bytes), bytes)) {
      sent[from * 3 + to].push_back(earliest.size());
      earliest.push_back(now + moment(static_cast<std::int64_t>(least * 1e9) - 2));  // roundings
    }
    receive();
  }
  now += 1h;
  receive();
  EXPECT_EQ(queue.under_way(), 0U);
  EXPECT_EQ(arrived, sent);
}

}  // namespace
