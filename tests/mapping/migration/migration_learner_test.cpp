#include <skel/detail/mapping/migration/migration_learner.hpp>

#include <vector>

#include <gtest/gtest.h>

namespace {

using skel::cost::bsp::migration;
using skel::mapping::kept_migration_price;
using skel::mapping::known_migration_price;
using skel::mapping::migration_price;

/// Two hosts that a byte crosses between in a nanosecond, and a message in ten microseconds.
constexpr double latency = 1e-5, per_byte = 1e-9, messages = 2 * latency;

skel::cost::bsp::machine two_hosts(double fixed = messages, double of_a_byte = 0) {
  skel::cost::bsp::machine out{
      skel::platform::description(1e-6, {{.name = "a"}, {.name = "b"}},
                                  {{0, 1, {latency, 1 / per_byte}, {}}, {1, 0, {latency, 1 / per_byte}, {}}})};
  out.fixed = fixed, out.per_byte = of_a_byte;
  return out;
}

/// A barrier at which so many states of one size went from host 0 to host 1.
void add(skel::mapping::migration::migration_learner& to, std::size_t moves, double bytes, double beside_crossing) {
  std::vector<migration> all;
  for (std::size_t p = 0; p < moves; ++p) all.push_back({p, 0, 1, bytes});
  to.add(all, beside_crossing + static_cast<double>(moves) * (latency + per_byte * bytes));
}

double price_of(skel::mapping::migration::migration_learner const& learner, double bytes) {
  auto const learnt = learner.learnt();
  return learnt.fixed + learnt.per_byte * bytes;
}

TEST(MigrationLearner, KnowsWhatWasKnown) {
  skel::mapping::migration::migration_learner const learner(two_hosts(0.25, 3e-9), messages);
  EXPECT_FALSE(learner.has_any());
  EXPECT_EQ(learner.learnt(), (migration_price{0.25, 3e-9}));
}

TEST(MigrationLearner, TakesWhatLargeStatesTookForTheirBytes) {
  skel::mapping::migration::migration_learner learner(two_hosts(), messages);
  for (int i = 0; i < 20; ++i) add(learner, 4, 1e8, 4 * 0.09);
  EXPECT_NEAR(price_of(learner, 1e8), 0.09, 1e-9);
  EXPECT_LT(price_of(learner, 4), 2 * messages);
}

TEST(MigrationLearner, TakesWhatSmallStatesTookForFixed) {
  skel::mapping::migration::migration_learner learner(two_hosts(messages, 1e-9), messages);
  for (int i = 0; i < 20; ++i) add(learner, 2, 8, 2 * 0.004);
  EXPECT_NEAR(price_of(learner, 8), 0.004, 1e-9);
  EXPECT_NEAR(price_of(learner, 1e8), 0.004 + 0.1, 1e-6) << "what was known of bytes stays";
}

TEST(MigrationLearner, PricesOneSizeRightWhateverWasKnown) {
  for (double const bytes : {0.0, 8.0, 1e5, 1e8})
    for (double const fixed : {0.0, 1e-3, 10.0})
      for (double const of_a_byte : {0.0, 1e-6}) {
        skel::mapping::migration::migration_learner learner(two_hosts(fixed, of_a_byte), messages);
        for (int i = 0; i < 20; ++i) add(learner, 1, bytes, 0.01);
        EXPECT_NEAR(price_of(learner, bytes), 0.01, 1e-9) << bytes << " B, " << fixed << " s, " << of_a_byte << " s/B";
      }
}

/// 1 ms and 2 ns a byte; times are up to a fifth off, and one is what no other was.
TEST(MigrationLearner, FindsBothPricesOfStatesOfSeveralSizes) {
  skel::mapping::migration::migration_learner learner(two_hosts(), messages);
  for (int i = 0; i < 16; ++i) {
    double const bytes = i % 2 == 0 ? 1e5 : 4e6, off = 0.8 + 0.1 * (i % 5);
    add(learner, 3, bytes, i == 9 ? 50 : 3 * off * (1e-3 + 2e-9 * bytes));
  }
  EXPECT_NEAR(learner.learnt().fixed, 1e-3, 0.5e-3);
  EXPECT_NEAR(learner.learnt().per_byte, 2e-9, 0.5e-9);
}

/// States so small that their sizes say nothing: a price of bytes would be noise.
TEST(MigrationLearner, HasNoPriceOfBytesOfSmallStates) {
  skel::mapping::migration::migration_learner learner(two_hosts(), messages);
  for (int i = 0; i < 16; ++i) add(learner, 1, i % 2 == 0 ? 8 : 32, 1e-3 * (1 + 0.1 * (i % 5) + 0.2 * (i % 2)));
  EXPECT_EQ(learner.learnt().per_byte, 0);
}

TEST(MigrationPrice, IsWhatWasKept) {
  EXPECT_EQ(known_migration_price({}), std::nullopt);
  EXPECT_EQ(known_migration_price({{"exchange|a", "1 "}, kept_migration_price({0.0104, 1e-9})}),
            (migration_price{0.0104, 1e-9}));
  EXPECT_EQ(known_migration_price({kept_migration_price({0, 2e-9})}), (migration_price{0, 2e-9}));
}

TEST(MigrationPrice, IsNothingWhereNoTimeIsKept) {
  auto entry = kept_migration_price({1, 1});
  for (auto const* const text : {"", "x 0 ", "-1 0 ", "1 -1 ", "0 0 ", "inf 0 ", "1 inf ", "1 ", "1 2", "1 2 3 "}) {
    entry.second = text;
    EXPECT_EQ(known_migration_price({entry}), std::nullopt) << text;
  }
}

}  // namespace
