#include <runtime/iteration/pause_agreement.hpp>

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "support/fake_network.hpp"

namespace {

using skel::runtime::iteration::pause_agreement;

/// Ranks 1 and 2 iterate, from iteration 8 on; rank 0 has no elements.
struct three_ranks {
  explicit three_ranks(std::uint64_t seed) : net(3, seed) {}

  void deliver() {
    while (net.under_way() > 0)
      for (int r = 0; r < 3; ++r) net.at(r).progress();
  }

  skel::test::fake_network net;
  std::vector<int> ranks{1, 2};
  std::vector<std::uint64_t> in{0, 0, 0};
  pause_agreement zero{net.at(0), 4, ranks, in[0], 8}, one{net.at(1), 4, ranks, in[1], 8},
      two{net.at(2), 4, ranks, in[2], 8};
};

TEST(PauseAgreement, RanksPauseAfterTheGreatestIterationThatOneIsIn) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    three_ranks all(seed);
    all.in = {0, 11, 12};
    all.zero.ask();
    EXPECT_FALSE(all.one.after().has_value());
    all.deliver();
    EXPECT_EQ(all.one.after(), 12u);
    EXPECT_EQ(all.two.after(), 12u);
    EXPECT_FALSE(all.one.holds());
  }
}

TEST(PauseAgreement, RanksThatHaveNotBegunPauseAfterTheirFirstIteration) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    three_ranks all(seed);
    all.zero.ask();
    all.deliver();
    EXPECT_EQ(all.one.after(), 8u);
    EXPECT_EQ(all.two.after(), 8u);
  }
}

TEST(PauseAgreement, NothingIsSentOnceTheRunIsOver) {
  three_ranks all(1);
  all.zero.ask();
  all.one.end();  // it does not answer any more
  all.deliver();
  EXPECT_FALSE(all.zero.after().has_value());
  three_ranks late(1);
  late.zero.ask();
  late.zero.end();  // before their answers come
  late.deliver();
  EXPECT_FALSE(late.one.after().has_value()) << "rank 0 has told the answers' greatest, which comes in the next run";
}

}  // namespace
