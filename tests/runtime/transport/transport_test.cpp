#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include <sys/resource.h>

#include <gtest/gtest.h>

#include <runtime/transport/mpi_transport.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

#include "support/fake_network.hpp"
#include "support/transport_laws.hpp"

namespace {

using namespace std::chrono_literals;
using skel::runtime::communicator;
using skel::runtime::landing;
using skel::runtime::message;
using skel::runtime::mpi_transport;
using skel::test::fake_network;

communicator& ranks() {
  static communicator instance;
  return instance;
}

TEST(Message, HasABodyAndNamesItsRanges) {
  std::vector<std::byte> const one(5), two(70000);
  message sent(3, 2);
  sent.add(one);
  sent.add(two);
  sent.body()[2] = std::byte{7};
  auto copy = std::make_unique<std::byte[]>(sent.bytes().size());
  std::ranges::copy(sent.bytes(), copy.get());
  message const come(std::move(copy), sent.bytes().size());
  ASSERT_EQ(come.body().size(), 3u);
  EXPECT_EQ(come.body()[2], std::byte{7});
  EXPECT_EQ(std::vector<std::uint64_t>(come.range_sizes().begin(), come.range_sizes().end()),
            (std::vector<std::uint64_t>{5, 70000}));
  EXPECT_EQ(sent.ranges()[1].data(), two.data());
}

TEST(MpiTransport, ObeysTheLawsOfTransports) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    mpi_transport among(ranks());
    skel::test::check_transport_laws({&among}, seed, 3, 150);
  }
}

TEST(MpiTransport, TakesWhatOtherThreadsSend) {
  mpi_transport among(ranks());
  constexpr std::uint64_t each = 500;
  std::uint64_t sum = 0;
  among.open(9, [&](int, auto body, auto) -> landing {
    std::uint64_t value = 0;
    std::memcpy(&value, body.data(), sizeof value);
    sum += value;
    return {};
  });
  std::atomic<int> running = 3;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (std::uint64_t i = 0; i < each; ++i)
        for (int r = 0; r < among.size(); ++r)
          if (r != among.rank()) among.send(r, 9, message::of(i));
      --running;
      among.wake();
    });
  while (running > 0)
    if (!among.progress()) among.rest(1, [&] { return running == 0; });
  for (auto& thread : threads) thread.join();
  among.settle();
  EXPECT_EQ(sum, 3 * static_cast<std::uint64_t>(among.size() - 1) * each * (each - 1) / 2);
}

/// The most memory that this process had so far [B].
std::size_t most_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024 * static_cast<std::size_t>(usage.ru_maxrss);
}

TEST(MpiTransport, NeedsLittleMemoryForWhatNobodyWants) {
  mpi_transport among(ranks());
  constexpr std::size_t long_range = 60 << 20U;
  std::vector<std::byte> const range(among.rank() == 0 ? long_range : 0, std::byte{1});
  std::uint64_t come = 0, others = 0;
  among.open(9, [&](int, auto, auto sizes) -> landing {
    come += sizes[0];
    return {};
  });
  among.open(10, [&](int, auto, auto) -> landing { return ++others, landing{}; });
  auto const before = most_memory();
  for (int r = 1; among.rank() == 0 && r < among.size(); ++r)
    for (int k = 0; k < 2; ++k) {
      message out(0, 1);
      out.add(range);
      among.send(r, 9, std::move(out));
      among.send(r, 10, message::of(k));
    }
  among.settle();
  if (among.rank() == 0) return;
  EXPECT_EQ(come, 2 * long_range);
  EXPECT_EQ(others, 2u);
  EXPECT_LT(most_memory() - before, long_range / 2);
}

TEST(MpiTransport, RestsUntilItIsWoken) {
  mpi_transport among(ranks());
  std::atomic<bool> said = false;
  std::thread other([&] {
    std::this_thread::sleep_for(20ms);
    said = true;
    among.wake();
  });
  while (!said) among.rest(10, [&] { return said.load(); });
  other.join();
  among.settle();
}

TEST(FakeNetwork, ObeysTheLawsOfTransports) {
  if (ranks().rank() != 0) return;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    int const size = static_cast<int>(1 + seed % 7);
    fake_network net(size, seed);
    skel::test::transports all;
    for (int r = 0; r < size; ++r) all.push_back(&net.at(r));
    skel::test::check_transport_laws(all, seed, 3, 60);
  }
}

/// Numbers of messages of one rank to another, in the order in which they come.
std::vector<int> order_of_arrival(std::uint64_t seed) {
  fake_network net(2, seed);
  std::vector<int> order;
  net.at(1).open(0, [&](int, auto body, auto) -> landing {
    order.push_back(std::to_integer<int>(body[0]));
    return {};
  });
  for (int i = 0; i < 20; ++i) net.at(0).send(1, 0, message::of(static_cast<std::uint8_t>(i)));
  while (order.size() < 20) net.at(1).progress();
  return order;
}

TEST(FakeNetwork, ReordersMessagesAsItsSeedSays) {
  auto const one = order_of_arrival(1), again = order_of_arrival(1), other = order_of_arrival(2);
  EXPECT_EQ(one, again);
  EXPECT_NE(one, other);
  EXPECT_FALSE(std::is_sorted(one.begin(), one.end()));
}

TEST(FakeNetwork, RefusesToSendWhatNobodyExpectsAnyMore) {
  fake_network net(2, 1);
  net.at(0).quiesce();
  EXPECT_THROW(net.at(0).send(1, 0, message()), std::logic_error);
  EXPECT_FALSE(net.at(0).quiet());
  net.at(1).quiesce();
  EXPECT_TRUE(net.at(0).quiet());
  EXPECT_NO_THROW(net.at(0).send(1, 0, message()));
  EXPECT_TRUE(net.at(1).quiet());
}

}  // namespace
