#include <skel/detail/mapping/migration/known_price.hpp>

#include <gtest/gtest.h>

namespace {

using namespace skel::mapping;
using namespace skel::mapping::migration;

TEST(KnownPrice, IsWhatWasKept) {
  EXPECT_EQ(known_price({}), std::nullopt);
  EXPECT_EQ(known_price({{"exchange|a", "1 "}, kept_price(0.0104)}), 0.0104);
}

TEST(KnownPrice, IsNothingWhereNoTimeIsKept) {
  auto entry = kept_price(1);
  for (auto const* const text : {"", "x ", "-1 ", "0 ", "inf ", "1", "1 2 "}) {
    entry.second = text;
    EXPECT_EQ(known_price({entry}), std::nullopt) << text;
  }
}

}  // namespace
