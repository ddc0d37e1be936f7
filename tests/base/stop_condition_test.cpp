#include <skel/detail/base/stop_condition.hpp>

#include <gtest/gtest.h>

namespace skel {
namespace {

TEST(StopCondition, IsNeverMetWithoutTokenAndDeadline) {
  stop_condition const never;
  EXPECT_FALSE(never.met());
  EXPECT_NO_THROW(never.check("a search"));
}

TEST(StopCondition, IsMetWhenAStopIsRequested) {
  std::stop_source source;
  stop_condition const condition = source.get_token();
  EXPECT_FALSE(condition.met());
  source.request_stop();
  EXPECT_TRUE(condition.met());
}

TEST(StopCondition, IsMetFromItsDeadlineOn) {
  auto const now = stop_condition::clock::now();
  EXPECT_TRUE(stop_condition(now).met());
  EXPECT_FALSE(stop_condition(now + std::chrono::hours(1)).met());
}

TEST(StopCondition, SaysWhatWasEnded) {
  try {
    stop_condition(stop_condition::clock::now()).check("a search");
    FAIL() << "it did not throw";
  } catch (stopped const& ended) {
    EXPECT_NE(std::string(ended.what()).find("a search was ended"), std::string::npos) << ended.what();
  }
}

}  // namespace
}  // namespace skel
