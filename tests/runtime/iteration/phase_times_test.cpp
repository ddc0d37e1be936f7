#include <skel/detail/runtime/iteration/phase_times.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/pattern/made_meshes.hpp>
#include <skel/detail/pattern/mesh_program.hpp>
#include <skel/detail/runtime/iteration/typed_part.hpp>

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

/// A piece is as large as fits into the time: few elements are in a cache, and may be twice as fast as all of them.
TEST(MeasurePhases, TakesAsManyElementsAsFitIntoTheTime) {
  struct cell {
    double value = 1;
  };
  auto mesh = skel::box_of_tetrahedra({8, 8, 8}).cells;
  std::size_t const all = mesh.cells();
  auto const program =
      skel::iterate("double", std::move(mesh), skel::no_totals(), [](skel::mesh_element const&) { return cell(); }) |
      skel::phase("more", [](cell& c) { c.value *= 1.5; }) | skel::times(1);
  skel::runtime::iteration::typed_part<std::decay_t<decltype(program)>> part(program);
  using skel::runtime::iteration::measure_phases;
  auto const whole = measure_phases(part, *program.faces, all, 1, 60);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->elements, all);
  EXPECT_GT(whole->seconds[0], 0);
  auto const share = measure_phases(part, *program.faces, all / 2, 1, 60);
  ASSERT_TRUE(share);
  EXPECT_EQ(share->elements, all / 2);
  auto const least = measure_phases(part, *program.faces, all, 1, 0);
  ASSERT_TRUE(least);
  EXPECT_EQ(least->elements, skel::runtime::iteration::elements_of_reader);
}

}  // namespace
