#include <skel/detail/mapping/migration_price.hpp>

#include <gtest/gtest.h>

namespace {

using namespace skel::mapping;
using namespace skel::mapping;

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
