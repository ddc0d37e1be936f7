#include "bsp_grid/prediction.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using bench::bsp_outcome;
using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;

/// What cost::bsp says of the program of order 10 where process 9 goes to the first host of Aquario in superstep 4.
bsp_outcome as_predicted(bench::migbsp_testbed const& on, bench::migbsp_case const& program) {
  bsp_outcome out;
  skel::record::superstep step{
      .load = {}, .hosts = program.begin.hosts, .state_bytes = program.begin.state_bytes, .external_load = {}};
  std::size_t const aquario = *on.machine.hosts.find_host("A-0");
  out.moves.push_back({4, 9, step.hosts[9], aquario, 1e6});
  for (std::size_t s = 1; s <= 19; ++s) {
    step.load = skel::record::load_of(program.program, s);
    double seconds = skel::cost::bsp::time_of(on.machine, step).seconds();
    if (s == 4) {
      std::vector<skel::cost::bsp::migration> const moves{{9, step.hosts[9], aquario, 1e6}};
      seconds += skel::cost::bsp::migration_time(on.machine, moves);
      step.hosts[9] = aquario;
    }
    out.supersteps.push_back(seconds);
  }
  out.seconds = std::accumulate(out.supersteps.begin(), out.supersteps.end(), 0.0);
  return out;
}

TEST(BspPrediction, HasNoErrorWhereAllTakesWhatIsPredicted) {
  auto const on = bench::read_migbsp_testbed(SKEL_MIGBSP_TESTBED);
  auto const& program = on.of_order(10);
  auto const errors = errors_of(on, program, as_predicted(on, program));
  EXPECT_EQ(errors.supersteps.size(), 18u);
  EXPECT_THAT(errors.supersteps, Each(DoubleNear(0, 1e-12)));
  EXPECT_THAT(errors.migrations, ElementsAre(DoubleNear(0, 1e-9)));
  EXPECT_THAT(errors.runs, ElementsAre(DoubleNear(0, 1e-12)));
}

TEST(BspPrediction, TellsWhatASuperstepTookMore) {
  auto const on = bench::read_migbsp_testbed(SKEL_MIGBSP_TESTBED);
  auto const& program = on.of_order(10);
  auto measured = as_predicted(on, program);
  measured.supersteps[10] *= 1.25;
  auto const errors = errors_of(on, program, measured);
  EXPECT_NEAR(*std::ranges::max_element(errors.supersteps), 0.25, 1e-12);
}

TEST(BspJob, ComesBackFromItsText) {
  bench::bsp_job const job{.testbed = "file",
                           .order = 25,
                           .policy = {.name = "migbsp", .alpha = 8, .apply = false, .supersteps = 49, .delta = 0.01},
                           .each_to_each = true};
  auto const back = bench::parse_job(to_json(job));
  EXPECT_EQ(back.testbed, job.testbed);
  EXPECT_EQ(back.order, job.order);
  EXPECT_EQ(back.policy.name, "migbsp");
  EXPECT_EQ(back.policy.alpha, 8u);
  EXPECT_FALSE(back.policy.apply);
  EXPECT_EQ(back.policy.supersteps, 49u);
  EXPECT_EQ(back.policy.delta, 0.01);
  EXPECT_TRUE(back.each_to_each);
}

TEST(BspOutcome, ComesBackFromItsText) {
  bsp_outcome const out{.seconds = 3, .supersteps = {1, 2}, .moves = {{1, 2, 3, 4, 5e6}}, .calls = 6, .messages = 7};
  auto const back = bench::parse_outcome(to_json(out));
  EXPECT_EQ(back.seconds, 3);
  EXPECT_THAT(back.supersteps, ElementsAre(1, 2));
  ASSERT_EQ(back.moves.size(), 1u);
  EXPECT_EQ(back.moves[0].superstep, 1u);
  EXPECT_EQ(back.moves[0].process, 2u);
  EXPECT_EQ(back.moves[0].from, 3u);
  EXPECT_EQ(back.moves[0].to, 4u);
  EXPECT_EQ(back.moves[0].bytes, 5e6);
  EXPECT_EQ(back.calls, 6u);
  EXPECT_EQ(back.messages, 7u);
}

}  // namespace
