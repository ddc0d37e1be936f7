#include <skel/detail/plan/placement.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

namespace skel::plan {
namespace {

TEST(PlacementText, HasTheWorkersOfEachStage) {
  placement_text const where{{{"a"}}, {{"a"}, {"b-0", 2}}, {{"a"}}};
  EXPECT_EQ(read_placement("a | a+b-0*2 | a"), where);
  EXPECT_EQ(read_placement("a|a + b-0 * 2|\ta "), where);
  EXPECT_EQ(read_workers("a+b-0*2", "it"), where[1]);
  EXPECT_EQ(to_string(where), "a | a+b-0*2 | a");
}

TEST(PlacementText, IsTheSameForAllThatMeansTheSame) {
  for (auto const* text : {"b*1+a+b | c", "b+b+a | c", "a + b*2|c", "b+a*1+b|c*1"})
    EXPECT_EQ(to_string(read_placement(text)), "a+b*2 | c") << text;
}

TEST(PlacementText, RefusesWhatNamesNoHostOrNoNumber) {
  auto const refusal = [](char const* text) -> std::string {
    try {
      (void)read_placement(text);
    } catch (error const& refused) {
      return refused.what();
    }
    return "it was read";
  };
  EXPECT_EQ(refusal(""), "names no host for stage 1");
  EXPECT_EQ(refusal("a | | b"), "names no host for stage 2");
  EXPECT_EQ(refusal("a | a+"), "names no host for stage 2");
  EXPECT_EQ(refusal("a | *2"), "names no host for stage 2");
  for (auto const* text : {"a*", "a*x", "a*0", "a*-1", "a*2x", "a*1.5", "a*99999999999999999999", "a*2*2"})
    EXPECT_THAT(refusal(text), testing::HasSubstr("has no number of workers behind its star")) << text;
}

}  // namespace
}  // namespace skel::plan
