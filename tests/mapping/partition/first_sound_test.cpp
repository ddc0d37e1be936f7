#include <cstdint>
#include <vector>

#include <gmock/gmock.h>

#include "liars.hpp"

namespace {

using namespace skel;
using namespace skel::mapping;
using namespace skel::test;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(FirstSoundPartition, CatchesWhatLiesAndSaysSo) {
  auto const graph = cube(6);
  auto const of = equal_problem(graph, 4);
  for (auto const& liar : liars()) {
    auto const made = first_sound_partition(of, {liar, bisection()});
    EXPECT_EQ(why_broken(of, made.part_of), "");
    EXPECT_THAT(made.method, HasSubstr("bisection (" + liar.name + ": ")) << liar.name;
  }
  EXPECT_THAT(first_sound_partition(of, {liars()[2], bisection()}).method, HasSubstr("part 1 of 4 is empty"));
  auto const made = first_sound_partition(of, {lopsided(), bisection()});
  EXPECT_THAT(made.method, HasSubstr("bisection (lopsided: part 0 of 4 has 3.9"));
}

TEST(FirstSoundPartition, TakesTheLightestWhereNoneIsBalanced) {
  auto const graph = cube(6);
  auto const of = equal_problem(graph, 4);
  EXPECT_THAT(first_sound_partition(of, {liars()[0], lopsided()}).method,
              AllOf(HasSubstr("lopsided (none is balanced"), HasSubstr("short: 215 cells of 216 have a part")));
  try {
    first_sound_partition(of, liars());
    FAIL();
  } catch (error const& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("no method gives one"), HasSubstr("beyond: cell 0 is in part 4 of 4")));
  }
}

TEST(FirstSoundPartition, AsksNobodyForOnePart) {
  auto const graph = path(5);
  auto const made = first_sound_partition(equal_problem(graph, 1), liars());
  EXPECT_EQ(made.part_of, std::vector<std::uint32_t>(5, 0));
  EXPECT_EQ(made.method, "one part");
}

}  // namespace
