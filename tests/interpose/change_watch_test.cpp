#include <interpose/change_watch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace {

using skel::interpose::change_watch;
using skel::interpose::told_of_change;

/// Ranks that tell each other, as the library has it. `costs`: what telling takes each of them [s].
struct watching_ranks {
  std::vector<change_watch> all;
  double costs = 0;
  std::vector<told_of_change> under_way{};
  std::uint64_t told = 0, trials = 0;

  explicit watching_ranks(std::size_t ranks, double between_alarms = 1e4)
      : all(ranks, change_watch(between_alarms)), under_way(ranks) {}

  /// One use, with each rank's time of it [s]. Whether a trial is to be made before it.
  template <class Seconds>
  bool use(Seconds&& seconds) {
    for (change_watch& one : all) one.next();
    bool tries = false;
    if (all.front().reads()) {
      told_of_change most;
      for (told_of_change const& one : under_way) {
        most.rings = std::max(most.rings, one.rings), most.spent = std::max(most.spent, one.spent);
        most.seconds = std::max(most.seconds, one.seconds), most.before = std::max(most.before, one.before);
      }
      for (change_watch& one : all) {
        EXPECT_TRUE(one.reads());
        tries = one.hear(most);
      }
    }
    bool const begins = !tries && all.front().begins();
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      EXPECT_EQ(!tries && all[rank].begins(), begins);
      if (begins) under_way[rank] = all[rank].say(), all[rank].spend(costs);
      if (tries) all[rank].begin_anew();
      all[rank].took(seconds(rank));
    }
    told += begins ? 1 : 0, trials += tries ? 1 : 0;
    return tries;
  }
};

/// How many uses of the new level there are before a trial.
std::optional<std::uint64_t> uses_until_tried(watching_ranks& ranks, std::uint64_t before, double factor) {
  std::mt19937_64 random(before);
  std::normal_distribution<double> noise(0, 0.05);
  for (std::uint64_t i = 0; i < before; ++i)
    if (ranks.use([&](std::size_t) { return 0.01 * std::exp(noise(random)); })) return std::nullopt;
  for (std::uint64_t i = 0; i < 1000; ++i)
    if (ranks.use([&](std::size_t rank) { return (rank == 1 ? factor : 1) * 0.01 * std::exp(noise(random)); }))
      return i;
  return std::nullopt;
}

TEST(InterposeChangeWatch, TellsAllOfWhatOneSeesWithinTenUsesWhereverItComes) {
  for (double const factor : {2.0, 0.5, 20.0})
    for (std::uint64_t before = 40; before < 52; ++before) {
      watching_ranks ranks(3);
      auto const found = uses_until_tried(ranks, before, factor);
      ASSERT_TRUE(found) << factor << ' ' << before;
      EXPECT_LE(*found, 3 + 2 * change_watch::uses_between - 1) << factor << ' ' << before;
    }
}

// As in a reduction, whose time is the root's.
TEST(InterposeChangeWatch, HearsNothingOfRanksThatOnlySend) {
  watching_ranks ranks(3);
  std::mt19937_64 random(6);
  std::lognormal_distribution<double> returns(std::log(1e-5), 1);
  double sent = 1;
  for (int i = 0; i < 2000; ++i) {
    if (i % 100 == 0) sent = i % 200 == 0 ? 1 : 20;  // from then on, as long
    EXPECT_FALSE(ranks.use([&](std::size_t rank) { return rank == 0 ? 0.02 : sent * returns(random); })) << i;
  }
  std::optional<int> found;
  for (int i = 0; i < 50 && !found; ++i)
    if (ranks.use([&](std::size_t rank) { return rank == 1 ? 0.06 : 0.02; })) found = i;
  ASSERT_TRUE(found);
  EXPECT_LE(*found, 3 + 2 * 4 - 1);
}

TEST(InterposeChangeWatch, IsNotMovedBySingleOutliers) {
  watching_ranks ranks(3);
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.05);
  for (int i = 0; i < 5000; ++i)
    ranks.use([&](std::size_t rank) { return (rank == 2 && i % 25 == 24 ? 50 : 1) * 0.01 * std::exp(noise(random)); });
  EXPECT_EQ(ranks.trials, 0u);
}

TEST(InterposeChangeWatch, RarelyRingsForNoise) {
  std::uint64_t trials = 0;
  for (int seed = 0; seed < 20; ++seed) {
    watching_ranks ranks(6, 2400);
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    std::normal_distribution<double> noise(0, 0.2);
    for (int i = 0; i < 1200; ++i) ranks.use([&](std::size_t) { return 0.01 * std::exp(noise(random)); });
    trials += ranks.trials;
  }
  // 60 would be six ranks' alarms of 400 uses each; what is learnt from eight uses makes some more than from many.
  EXPECT_LE(trials, 60u);
}

TEST(InterposeChangeWatch, TellsAsRarelyAsPaysForIt) {
  watching_ranks dear(2);
  dear.costs = 0.01;
  for (int i = 0; i < 100'000; ++i) dear.use([](std::size_t) { return 1e-4; });
  double const part = static_cast<double>(dear.told) * dear.costs / (100'000 * 1e-4);
  EXPECT_LE(part, 1.5 * change_watch::share_of_watching);
  EXPECT_GT(dear.told, 5u);

  watching_ranks cheap(2);
  cheap.costs = 1e-6;
  for (int i = 0; i < 1000; ++i) cheap.use([](std::size_t) { return 0.01; });
  EXPECT_GE(cheap.told, (1000 - change_watch::first_known) / change_watch::uses_between);
}

TEST(InterposeChangeWatch, LearnsTheNewLevel) {
  watching_ranks ranks(2);
  ASSERT_TRUE(uses_until_tried(ranks, 40, 3));
  auto const level = [](std::size_t rank) { return rank == 1 ? 0.03 : 0.01; };
  for (int i = 0; i < 1000; ++i) ranks.use(level);
  EXPECT_EQ(ranks.trials, 1u);
}

TEST(InterposeChangeWatch, WhatIsUnderWayWhenItBeginsAnewIsNotBelieved) {
  change_watch one;
  bool was_anew = false;
  for (int i = 0; i < 200 && !was_anew; ++i) {
    one.next();
    if (one.reads()) {
      EXPECT_FALSE(one.hear({.rings = 0, .spent = 0, .seconds = 0.01}));
    }
    if (one.begins()) {
      bool const rings = one.say().rings > 0;
      if (rings) one.begin_anew(), was_anew = true;
    }
    one.took(i < 100 ? 0.01 : 0.05);
  }
  ASSERT_TRUE(was_anew);
  while (!one.reads()) one.next();
  EXPECT_FALSE(one.hear({.rings = 1, .spent = 0, .seconds = 0.05}));
}

/// Uses of a way that is believed to take less than 0.02 s, until a trial; `before`: uses of the way before.
std::optional<int> uses_until_refuted(int before, double seconds, std::uint64_t between) {
  watching_ranks ranks(2);
  for (int i = 0; i < before; ++i) ranks.use([](std::size_t) { return 0.05; });
  for (change_watch& one : ranks.all) one.begin_anew_below(0.02, between);
  for (int i = 0; i < 40; ++i)
    if (ranks.use([&](std::size_t rank) { return i == 0 ? 0.1 : rank == 1 ? seconds : 0.001; })) return i;
  return std::nullopt;
}

TEST(InterposeChangeWatch, ChecksABeliefByItsFirstUses) {
  for (int const before : {0, 1, 5, 8, 10, 12, 50}) {
    auto const found = uses_until_refuted(before, 0.021, 4);
    ASSERT_TRUE(found) << before;
    // What is under way of the way before is read first.
    EXPECT_LE(*found, 3 + 2 * static_cast<int>(change_watch::uses_between)) << before;
    EXPECT_FALSE(uses_until_refuted(before, 0.019, 4)) << before;
  }
  // One that warms up, two that count, and those until it is read.
  EXPECT_EQ(*uses_until_refuted(0, 0.021, 4), 3 + 4);
  EXPECT_EQ(*uses_until_refuted(0, 0.021, 1), 3 + 1);
}

TEST(InterposeChangeWatch, ChecksABeliefByWhatTheWayBeforeTook) {
  for (double const seconds : {0.03, 0.015}) {
    watching_ranks ranks(2);
    for (int i = 0; i < 5; ++i) ranks.use([](std::size_t rank) { return rank == 1 ? 0.02 : 0.001; });
    for (change_watch& one : ranks.all) one.begin_anew_below(0.05, 4);
    // Of a few uses the least counts.
    for (int i = 0; i < 16; ++i) ranks.use([&](std::size_t) { return i % 2 == 0 ? seconds : 0.2; });
    EXPECT_EQ(ranks.trials > 0, seconds > 0.02);
  }
}

TEST(InterposeChangeWatch, TellsSoonWhereUsesPayForIt) {
  change_watch one;
  one.tell_soon(1, 2);
  for (int use = 1; use <= 5; ++use) {
    one.next();
    EXPECT_EQ(one.reads(), use == 5);
    if (one.reads()) one.hear({.rings = 0, .spent = 0, .seconds = 0.01});
    ASSERT_EQ(one.begins(), use == 3 || use == 5) << use;
    if (one.begins()) {
      EXPECT_DOUBLE_EQ(one.say().seconds, use == 3 ? 0.01 : 0.03) << "the first one warms up";
    }
    one.took(use == 1 ? 1 : use == 2 ? 0.01 : 0.03);
  }
}

TEST(InterposeChangeWatch, TrialsInVainArePaidForButTheFirst) {
  watching_ranks ranks(2);
  std::uint64_t uses = 0;
  std::vector<std::uint64_t> at;
  // A level that changes all the time.
  for (; uses < 20'000; ++uses) {
    double const seconds = uses / 30 % 2 == 0 ? 0.01 : 0.03;
    if (!ranks.use([&](std::size_t) { return seconds; })) continue;
    at.push_back(uses);
    for (change_watch& one : ranks.all) one.was_tried(true, 8, 4, 0.02);
  }
  ASSERT_GE(at.size(), 3u);
  EXPECT_LE(at[0], 45u);
  EXPECT_LE(at[1] - at[0], 100u);
  for (std::size_t i = 2; i < at.size(); ++i) EXPECT_GE(at[i] - at[i - 1], 1600 * (i - 1));
}

TEST(InterposeChangeWatch, WhatTakesLongerThanTheWorseWayWouldIsTriedAtOnce) {
  watching_ranks ranks(2);
  std::uint64_t uses = 0, trials = 0;
  for (; trials < 3; ++uses) {
    double const seconds = uses / 30 % 2 == 0 ? 0.01 : 0.03;
    if (!ranks.use([&](std::size_t) { return seconds; })) continue;
    ++trials;
    for (change_watch& one : ranks.all) one.was_tried(true, 8, 4, 0.02);
  }
  for (int i = 0; i < 60; ++i) EXPECT_FALSE(ranks.use([&](std::size_t) { return 0.03; })) << i;
  int more = 0;
  while (more < 100 && !ranks.use([&](std::size_t) { return 0.15; })) ++more;
  EXPECT_LE(more, 3 + 2 * static_cast<int>(change_watch::uses_between));
}

TEST(InterposeChangeWatch, AfterATrialThatChangedSomethingTheNextIsFree) {
  change_watch one;
  one.was_tried(true, 8, 1, 0.02), one.was_tried(true, 8, 1, 0.02), one.was_tried(false, 8, 1, 0.02);
  std::uint64_t uses = 0;
  for (bool tries = false; !tries && uses < 1000; ++uses) {
    one.next();
    bool rings = one.rings();
    if (one.reads()) tries = one.hear({.rings = rings ? 1.0 : 0.0, .spent = 0, .seconds = 0.01});
    if (one.begins()) one.say();
    one.took(uses < 50 ? 0.01 : 0.05);
  }
  EXPECT_LE(uses, 50 + 10 + 1u);
}

}  // namespace
