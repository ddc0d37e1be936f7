#include <gtest/gtest.h>

#include <runtime/station/replica_group.hpp>

namespace {

using skel::runtime::replica_group;

skel::record::station_record named() {
  skel::record::station_record out;
  out.name = "worker";
  out.rank = 3;
  return out;
}

TEST(ReplicaGroup, GivesEachWorkerWorkOnceAndTheOneThatIsWarmFirst) {
  replica_group group(3, named());
  EXPECT_TRUE(group.all_idle());
  std::size_t const a = group.begin_work(), b = group.begin_work(), c = group.begin_work();
  EXPECT_EQ(a + b + c, 3u);
  EXPECT_FALSE(group.any_idle());
  group.end_work(b);
  EXPECT_TRUE(group.any_idle());
  EXPECT_FALSE(group.all_idle());
  group.end_work(a);
  EXPECT_EQ(group.begin_work(), a);
  group.end_work(a);
  group.end_work(c);
  EXPECT_TRUE(group.all_idle());
}

TEST(ReplicaGroup, LearnsTheTimeOfItemsAndForgetsOldOnes) {
  replica_group group(4, named());
  EXPECT_EQ(group.item_ns(), 0);
  group.learn(800);
  EXPECT_EQ(group.item_ns(), 800);
  EXPECT_EQ(group.pace(), 200);
  for (int i = 0; i < 100; ++i) group.learn(80);
  EXPECT_NEAR(group.item_ns(), 80, 0.01);
}

TEST(ReplicaGroup, SumsWhatItsWorkersDid) {
  replica_group group(2, named());
  group.all()[0].did.source_items = 4;
  group.all()[1].did.source_items = 5;
  group.all()[0].did.items_out = 2;
  group.all()[0].did.items = 5;
  group.all()[1].did.items = 7;
  group.all()[1].did.busy = 0.5;
  auto const sum = group.sum();
  EXPECT_EQ(sum.items, 12u);
  EXPECT_EQ(sum.busy, 0.5);
  EXPECT_EQ(sum.workers, 2u);
  EXPECT_EQ(sum.name, "worker");
  EXPECT_EQ(sum.rank, 3);
}

TEST(ReplicaGroup, RemembersWhatThoseHaveDoneThatAreNoMore) {
  replica_group group(3, named());
  for (auto& one : group.all()) one.did.items = 2, one.spans.push_back({});
  group.resize(1);
  EXPECT_EQ(group.all().size(), 1u);
  EXPECT_EQ(group.begin_work(), 0u);
  EXPECT_FALSE(group.any_idle());
  group.end_work(0);
  group.resize(2);
  group.all()[1].did.items = 5;
  EXPECT_EQ(group.sum().items, 11u);
  EXPECT_EQ(group.sum().workers, 3u);
  EXPECT_EQ(group.sum().name, "worker");
  EXPECT_EQ(group.spans().size(), 3u);
  group.resize(0);
  EXPECT_TRUE(group.all_idle());
  EXPECT_EQ(group.sum().items, 11u);
  EXPECT_EQ(group.most(), 3u);
}

}  // namespace
