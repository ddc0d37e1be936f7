#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/base/near_name.hpp>

namespace {

std::vector<std::string> const names{"latency", "bandwidth", "hosts"};

TEST(NearName, FindsWhatWasProbablyMeant) {
  EXPECT_EQ(skel::near_name("latencey", names), "latency");
  EXPECT_EQ(skel::near_name("host", names), "hosts");
  EXPECT_EQ(skel::did_you_mean("bandwith", names), "; did you mean 'bandwidth'?");
}

TEST(NearName, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(skel::near_name("speed", names), std::nullopt);
  EXPECT_EQ(skel::did_you_mean("", names), "");
}

}  // namespace
