#include "kept_choice.hpp"

#include <optional>

#include <gtest/gtest.h>

#include <skel/detail/runtime/reduction/engine.hpp>

namespace {

using namespace skel;
using enum plan::reduction_algorithm;

constexpr mapping::reduction_set both =
    runtime::reduction::set_of(sequential) | runtime::reduction::set_of(local_write);

cost::reduction_problem problem_of(std::size_t elements, std::size_t subscripts, double bytes = 8) {
  cost::reduction_problem made;
  made.pattern.elements = elements, made.pattern.subscripts = subscripts;
  made.pattern.iterations = subscripts / 2, made.pattern.copies = 1.5;
  made.value_bytes = bytes;
  return made;
}

/// As predicted for `uses`: the sequential algorithm, and one with a setup of 10, or 4 where its buffers are there,
/// which saves 1 of 2 in each execution.
mapping::reduction_decision made_for(double uses) {
  mapping::reduction_decision made;
  made.uses = uses;
  mapping::reduction_candidate const slow{sequential, {0, 2, 0}, 2 * uses}, fast{local_write, {10, 1, 4}, 10 + uses};
  bool const pays = fast.total < slow.total;
  made.candidates = pays ? std::vector{fast, slow} : std::vector{slow, fast};
  made.algorithm = made.candidates.front().algorithm;
  return made;
}

TEST(KeptChoice, IsNoneBeforeOneIsKept) {
  EXPECT_EQ(kept_choice{}.for_another(problem_of(1000, 2000), 1, both, both), std::nullopt);
}

TEST(KeptChoice, HoldsForPatternsAsLarge) {
  kept_choice kept;
  kept.keep(made_for(5), problem_of(1000, 2000), 5);
  EXPECT_EQ(kept.for_another(problem_of(1000, 2000), 5, both, both), sequential);
  EXPECT_EQ(kept.for_another(problem_of(1090, 1900), 5, both, both), sequential);
  EXPECT_EQ(kept.for_another(problem_of(1150, 2000), 5, both, both), std::nullopt);
  EXPECT_EQ(kept.for_another(problem_of(1000, 2300), 5, both, both), std::nullopt);
  EXPECT_EQ(kept.for_another(problem_of(1000, 2000, 24), 5, both, both), std::nullopt);
  EXPECT_EQ(kept.for_another(problem_of(1000, 2000), 5, runtime::reduction::set_of(local_write), both), std::nullopt);
}

TEST(KeptChoice, HoldsForAsManyUsesAsPredictedTimesSay) {
  kept_choice kept;
  auto const of = problem_of(1000, 2000);
  kept.keep(made_for(5), of, 5);
  EXPECT_EQ(kept.for_another(of, 9.9, both, both), sequential);
  EXPECT_EQ(kept.for_another(of, 0.1, both, both), sequential);
  EXPECT_EQ(kept.for_another(of, 10.1, both, both), std::nullopt);
  // What has its buffers pays sooner.
  kept.keep(made_for(20), of, 20);
  EXPECT_EQ(kept.for_another(of, 1000, both, both), local_write);
  EXPECT_EQ(kept.for_another(of, 4.1, both, both), local_write);
  EXPECT_EQ(kept.for_another(of, 3.9, both, both), std::nullopt);
}

TEST(KeptChoice, HoldsForAboutAsManyUsesOnlyWhereItsBuffersAreGone) {
  kept_choice kept;
  auto const of = problem_of(1000, 2000);
  kept.keep(made_for(20), of, 20);
  EXPECT_EQ(kept.for_another(of, 19, both, 0), local_write);
  EXPECT_EQ(kept.for_another(of, 5, both, 0), std::nullopt);
  kept.keep(made_for(5), of, 5);
  EXPECT_EQ(kept.for_another(of, 9.9, both, 0), sequential) << "which has none";
}

TEST(KeptChoice, HoldsForAboutAsManyUsesWhateverTimesSay) {
  kept_choice kept;
  auto const of = problem_of(1000, 2000);
  kept.keep(made_for(9.9), of, 9.9);
  EXPECT_EQ(kept.for_another(of, 10.8, both, both), sequential);
  EXPECT_EQ(kept.for_another(of, 11, both, both), std::nullopt);
}

TEST(KeptChoice, OfALongPhaseDoesNotHoldForAllShorterOnes) {
  kept_choice kept;
  auto const of = problem_of(1000, 2000);
  kept.keep(made_for(64), of, 1);  // made anew in the middle of a phase of which one execution was expected
  EXPECT_EQ(kept.for_another(of, 1, both, both), local_write);
  EXPECT_EQ(kept.for_another(of, 3, both, both), std::nullopt);
  EXPECT_EQ(kept.for_another(of, 5, both, both), local_write);
}

}  // namespace
