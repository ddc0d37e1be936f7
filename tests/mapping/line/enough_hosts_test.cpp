#include <string>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/mapping/placement_search.hpp>

namespace {

using namespace skel;
using mapping::decision;
using mapping::infeasible;
using mapping::placement_problem;

//  big-0 .. big-(n-1) --10 ms-- fast        two stages of 1 s on "big", half of that on "fast"
placement_problem big_cluster(std::size_t hosts) {
  placement_problem problem;
  problem.platform = platform::description(1e-6, {{"big", hosts, 1, 1, {1e-3}, {}, {}}, {"fast", 1, 2, 1, {}, {}, {}}},
                                           {{0, 1, {1e-2}, {}}, {1, 0, {1e-2}, {}}});
  for (auto const* name : {"first", "second"}) {
    skeletons::stage_shape stage;
    stage.name = name;
    stage.work = 1;
    problem.program.stages.push_back(stage);
  }
  return problem;
}

TEST(EnoughHosts, AMillionEqualHostsAreSearchedLikeAFew) {
  auto const few = std::get<decision>(place(big_cluster(3)));
  auto const many = std::get<decision>(place(big_cluster(999'999)));
  EXPECT_TRUE(many.optimal);
  EXPECT_DOUBLE_EQ(many.throughput, few.throughput);
  // "fast" is the last host of either platform.
  EXPECT_THAT(few.placement.stages, testing::Contains(testing::ElementsAre(3u)));
  EXPECT_THAT(many.placement.stages, testing::Contains(testing::ElementsAre(999'999u)));
}

TEST(EnoughHosts, NamedHostsStay) {
  auto problem = big_cluster(500);
  problem.program.stages[0].at = {"big-43"};
  problem.program.output = skeletons::terminal{"big-7", 0};
  auto const found = std::get<decision>(place(problem));
  EXPECT_THAT(found.placement.stages[0], testing::ElementsAre(43u));
}

TEST(EnoughHosts, AFarmAsWideAsAHugePlatformIsRefusedWithAReason) {
  auto problem = big_cluster(999'999);
  problem.program.stages[0].replicable = true;
  auto const answer = place(problem);
  ASSERT_TRUE(std::holds_alternative<infeasible>(answer));
  EXPECT_THAT(std::get<infeasible>(answer).reason, testing::HasSubstr("give the farm a width"));
}

TEST(EnoughHosts, AFarmOfTooManyWorkersIsRefusedWithAReason) {
  auto problem = big_cluster(2);
  problem.program.stages[0].replicable = true;
  problem.program.stages[0].width = 100'000;
  auto const answer = place(problem);
  ASSERT_TRUE(std::holds_alternative<infeasible>(answer));
  EXPECT_THAT(std::get<infeasible>(answer).reason, testing::HasSubstr("ask for 1000 at most"));
}

}  // namespace
