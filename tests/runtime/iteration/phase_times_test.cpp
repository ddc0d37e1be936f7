#include <skel/detail/runtime/iteration/phase_times.hpp>

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace {

using skel::runtime::iteration::hides_updates;
using skel::runtime::iteration::mesh_step;
using kind = mesh_step::kind;

mesh_step step(kind what, bool waits = false, bool sees_neighbours = false) {
  return {.what = what, .name = "", .bytes = 8, .waits = waits, .sees_neighbours = sees_neighbours};
}

std::vector<bool> hiding(std::vector<mesh_step> const& steps) {
  std::vector<bool> out;
  for (std::size_t s = 0; s < steps.size(); ++s) out.push_back(hides_updates(steps, s));
  return out;
}

TEST(HidesUpdates, IsSoOfThePhasesBeforeAndBehindAnUpdateThatGoesOn) {
  EXPECT_EQ(hiding({step(kind::phase), step(kind::update), step(kind::phase), step(kind::phase)}),
            (std::vector{true, false, true, false}));
}

TEST(HidesUpdates, GoesOnPastStepsThatNeedNoGhostsIntoTheNextIteration) {
  EXPECT_EQ(hiding({step(kind::phase), step(kind::phase), step(kind::update), step(kind::until), step(kind::output)}),
            (std::vector{true, true, false, false, false}));
  EXPECT_EQ(hiding({step(kind::phase), step(kind::all_reduce), step(kind::update), step(kind::totals)}),
            (std::vector{true, false, false, false}));
}

TEST(HidesUpdates, IsNotSoWhereTheUpdateWaitsOrWasWaitedFor) {
  EXPECT_EQ(hiding({step(kind::phase), step(kind::update, true)}), (std::vector{false, false}));
  EXPECT_EQ(hiding({step(kind::phase), step(kind::phase), step(kind::update), step(kind::all_reduce, false, true)}),
            (std::vector{false, true, false, false}));
}

/// No update of the next iteration is sent ahead.
TEST(HidesUpdates, IsNotSoOfTheLastPhaseBeforeAnUpdateThatIterationsBeginWith) {
  EXPECT_EQ(hiding({step(kind::update), step(kind::phase), step(kind::phase)}), (std::vector{false, true, false}));
}

}  // namespace
