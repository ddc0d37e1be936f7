// Turns of relays, and windows: what a price says of how a route is to be obeyed.
#include <skel/detail/cost/route_price.hpp>

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace skel::cost;
using skel::plan::collective;
using skel::plan::make_tree;
using skel::plan::relay_turns;
using skel::plan::tree_shape;

/// The root's cluster serves `far` others of as many hosts, over several trees.
struct star {
  star(std::size_t hosts, std::size_t far, std::uint64_t segments, tree_shape shape = tree_shape::binomial)
      : home(outline(make_tree(shape, hosts - 1, 4))), away(outline(make_tree(shape, hosts, 4))) {
    route.parent.assign(far + 1, 0);
    route.order.resize(far);
    std::iota(route.order.begin(), route.order.end(), 1u);
    route.stripes = hosts, route.segments = segments;
    route.hosts.assign(far + 1, hosts);
    route.inside.assign(far + 1, &away);
    route.inside[0] = &home;
    times.inside.assign(far + 1, {.busy = 1, .transfer = 3, .pace = 1});
    times.between.assign((far + 1) * (far + 1), {.busy = 1, .transfer = 100, .pace = 1});
    times.together = 1;
  }
  star(star const&) = delete;
  star& operator=(star const&) = delete;

  std::vector<std::uint32_t> windows(collective operation = collective::broadcast) const {
    return inside_windows(operation, route, times, price());
  }
  route_price price() const { return price_route(collective::broadcast, route, times, times); }

  inside_shape home, away;
  route_outline route;
  route_times times;
};

TEST(SharedBusy, OfMessagesInTurnIsTheirBusyTimeOnceTheWindowHoldsTheWay) {
  route_times times{.inside = {{.busy = 2, .transfer = 6, .pace = 2}}, .between = {}};
  EXPECT_DOUBLE_EQ(times.shared_busy(0, 1), 6);
  EXPECT_DOUBLE_EQ(times.shared_busy(0, 2), 3);
  EXPECT_DOUBLE_EQ(times.shared_busy(0, 3), 2);
  EXPECT_DOUBLE_EQ(times.shared_busy(0, 30), 2);
}

TEST(SharedBusy, OfMessagesTogetherWaitsForTheWayOnceInEachRound) {
  route_times times{.inside = {{.busy = 2, .transfer = 6, .pace = 2}}, .between = {}, .together = 1};
  EXPECT_DOUBLE_EQ(times.shared_busy(0, 1), 6);
  EXPECT_DOUBLE_EQ(times.shared_busy(0, 2), 4);
  EXPECT_DOUBLE_EQ(times.shared_busy(0, 4), 3);
  times.together = 0.5;
  EXPECT_DOUBLE_EQ(times.shared_busy(0, 2), 3.5);
}

// 20 hosts, 3 clusters to serve: in its turns the root would have 3 far messages and 5 inside besides the one that it
// sends anyway, 1 + 7 / 20 for each segment; the 19 others have 18 inside and 3 far, 21 / 19.
TEST(RelayTurns, OfABroadcastLeaveTheRootOutWhereItWouldBeTheBusiest) {
  EXPECT_EQ(turns_of(collective::broadcast, star(20, 3, 500).route, star(20, 3, 500).times), relay_turns::without_root);
}

// 3 hosts, 3 clusters: 1 + 3 / 3 in turn; two relays alone have 1 / 2 + 3 / 2.
TEST(RelayTurns, OfABroadcastAreEvenWhereTheOthersWouldBeAsBusy) {
  star const small(3, 3, 500, tree_shape::chain);
  EXPECT_EQ(turns_of(collective::broadcast, small.route, small.times), relay_turns::even);
}

TEST(RelayTurns, OfReductionsAreByStripe) {
  star const one(20, 3, 500);
  EXPECT_EQ(turns_of(collective::reduce, one.route, one.times), relay_turns::by_stripe);
  EXPECT_EQ(turns_of(collective::allreduce, one.route, one.times), relay_turns::by_stripe);
}

TEST(InsideWindows, OfTheRootsClusterAreTheSmallestWithWhichItIsDoneInTime) {
  // 20 segments one at a time take 19 / 20 x 3 each, and the tree; the other cluster is done a way of 100 later.
  EXPECT_EQ(star(20, 1, 20).windows(), (std::vector<std::uint32_t>{1, 6}));
  // Of 2000, that way is a small part. The first segment takes at most 34: 4 to and at the relay, 5 sends and 5 hops
  // of 3 each in the tree.
  star const many(20, 1, 2000);
  std::uint32_t const chosen = many.windows()[0];
  EXPECT_GT(chosen, 1u);
  EXPECT_GT(34 + 1999 * 0.95 * many.times.shared_busy(0, chosen - 1), many.price().total);
  EXPECT_LE(1999 * 0.95 * many.times.shared_busy(0, chosen), many.price().total);
}

TEST(InsideWindows, GrowWithTheSegmentsAndFallWithTheWay) {
  std::uint32_t before = 1;
  for (std::uint64_t const segments : {20U, 40U, 80U, 160U, 320U, 640U, 1280U}) {
    std::uint32_t const window = star(20, 2, segments).windows()[0];
    EXPECT_GE(window, before) << segments << " segments";
    before = window;
  }
  EXPECT_GT(before, 1u);
  star farther(20, 2, 1280);
  for (auto& way : farther.times.between) way.transfer = 1e5;
  EXPECT_EQ(farther.windows()[0], 1u);
}

TEST(InsideWindows, KeepThePortBusyOfReductionsAndOfOneClusterAndOfOneTree) {
  std::vector<std::uint32_t> const full{6, 6, 6};
  star one(20, 2, 100);
  EXPECT_EQ(one.windows(collective::reduce), full);
  EXPECT_EQ(one.windows(collective::allreduce), full);
  one.route.stripes = 1;
  EXPECT_EQ(one.windows(), full);
  star const alone(20, 0, 100);
  EXPECT_EQ(alone.windows(), std::vector<std::uint32_t>{6});
}

}  // namespace
