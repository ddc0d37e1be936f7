#include <skel/detail/mapping/collective_mapper.hpp>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/platform/files.hpp>

#include "mapping/random_grid.hpp"
#include "mapping/random_problem.hpp"

// What the mapper of collectives makes of measured times.
namespace skel::mapping {
namespace {

using plan::collective;

/// Runs a request again and again. time(decision): what it takes. Names of what was chosen; of what was only tried,
/// which is for one use, in brackets.
template <class Time>
std::vector<std::string> names_chosen(collective_mapper& mapper, collective_request const& request, int times,
                                      Time time) {
  std::vector<std::string> names;
  for (int i = 0; i < times; ++i) {
    mapper.begin(request);
    collective_decision const decision = mapper.decide(request);
    bool const trial = decision.why.find(" is tried") != std::string::npos;
    names.push_back(trial ? "(" + decision.name + ")" : decision.name);
    mapper.observe(request, time(decision));
  }
  return names;
}

TEST(CollectiveMapperLearns, ToLeaveAPlanThatTakesFarLongerThanPredictedForOneThatDoesNot) {
  platform::description const machine = platform::read_description(SKEL_TEST_DATA "/grid5000_plogp.json");
  for (collective const operation : {collective::broadcast, collective::reduce, collective::allreduce}) {
    collective_mapper mapper = one_each(machine);
    collective_request const request{.operation = operation, .bytes = 1 << 20, .unit = 8};
    std::string const bad = mapper.decide(request).name;
    auto const names = names_chosen(mapper, request, 256, [&](collective_decision const& decision) {
      return decision.predicted * (decision.name == bad ? 20 : 1);
    });
    EXPECT_NE(names.back(), bad);
    EXPECT_LT(std::ranges::count(names, bad), 8) << name_of(operation);
    // And then it stays where it is, but for a few trials.
    auto const late = std::span(names).last(128);
    EXPECT_EQ(std::ranges::count_if(late, [&](auto const& one) { return one[0] != '(' && one != names.back(); }), 0)
        << name_of(operation);
    EXPECT_LT(std::ranges::count_if(late, [](auto const& one) { return one[0] == '('; }), 8) << name_of(operation);
  }
}

TEST(CollectiveMapperLearns, ToKeepAPlanThatTakesAsLongAsPredicted) {
  platform::description const machine = platform::read_description(SKEL_TEST_DATA "/grid5000_plogp.json");
  collective_mapper mapper = one_each(machine);
  collective_request const request{.operation = collective::broadcast, .bytes = 1 << 16};
  double least = mapper.decide(request).predicted;
  for (auto const& other : mapper.decide(request).alternatives) least = std::min(least, other.predicted);
  double spent = 0;
  constexpr int times = 512;
  names_chosen(mapper, request, times, [&](collective_decision const& decision) {
    spent += decision.predicted;
    return decision.predicted;
  });
  EXPECT_LT(spent, times * least * (1 + price_tolerance));
}

TEST(CollectiveMapperLearns, TheSameFromTheSame) {
  std::mt19937 random(9);
  for (int draw = 0; draw < 10; ++draw) {
    grid const one = random_grid(random);
    collective_mapper here = mapper_of(one), there = mapper_of(one);
    std::vector<collective_request> requests;
    for (int i = 0; i < 3; ++i) requests.push_back(random_request(random, here.ranks()));
    for (int i = 0; i < 100; ++i) {
      collective_request const& request = requests[random() % 3];
      ASSERT_EQ(here.begin(request), there.begin(request));
      collective_decision const& decision = here.decide(request);
      ASSERT_EQ(decision.plan, there.decide(request).plan);
      double const seconds = decision.predicted * draw_log(random, 0.2, 5);
      here.observe(request, seconds), there.observe(request, seconds);
    }
  }
}

TEST(CollectiveMapperLearns, ToGiveStepsOfThePlanThatHoldsNow) {
  platform::description const machine = platform::read_description(SKEL_TEST_DATA "/grid5000_plogp.json");
  collective_mapper mapper = one_each(machine);
  collective_request const request{.operation = collective::allreduce, .bytes = 4096, .unit = 8};
  std::set<std::string> seen;
  std::mt19937 random(10);
  for (int i = 0; i < 40; ++i) {
    mapper.begin(request);
    collective_decision const decision = mapper.decide(request);
    seen.insert(decision.name);
    for (std::size_t const rank : {std::size_t{0}, std::size_t{31}, machine.host_count() - 1}) {
      auto const wanted = plan::steps_of(
          decision.plan, {.ranks = mapper.ranks(), .root = request.root, .bytes = request.bytes, .unit = request.unit},
          rank);
      auto const given = mapper.steps(request, rank);
      ASSERT_TRUE(std::ranges::equal(given.steps, wanted.steps, {}, &plan::step::peer, &plan::step::peer));
      ASSERT_EQ(given.ranges, wanted.ranges);
    }
    mapper.observe(request, decision.predicted * draw_log(random, 1, 20));
  }
  EXPECT_GT(seen.size(), 1U);
}

TEST(CollectiveMapperLearns, FromFewerAndFewerUses) {
  collective_mapper mapper(skel::platform::description(1e-6, {{.name = "c", .hosts = 2, .inside = {1e-4, 1e8}}}, {}),
                           {0, 1});
  std::vector<int> timed;
  for (int use = 1; use <= 40; ++use)
    if (mapper.begin({.operation = skel::plan::collective::broadcast, .bytes = 64})) timed.push_back(use);
  EXPECT_EQ(timed, (std::vector<int>{2, 4, 8, 16, 32}));
  EXPECT_FALSE(mapper.begin({.operation = skel::plan::collective::broadcast, .bytes = 65}));
}

TEST(CollectiveMapperLearns, NothingFromTimesThatAreNone) {
  platform::description const machine = platform::read_description(SKEL_TEST_DATA "/grid5000_plogp.json");
  collective_mapper mapper = one_each(machine), unlearnt = one_each(machine);
  collective_request const request{.operation = collective::broadcast, .bytes = 1 << 16}, other{.bytes = 8};
  mapper.decide(request);
  for (double const seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) mapper.observe(request, seconds);
  mapper.observe(other, 1);  // was never decided
  EXPECT_EQ(mapper.decide(request).why, unlearnt.decide(request).why);
  EXPECT_EQ(mapper.decide(other).why, unlearnt.decide(other).why);
}

}  // namespace
}  // namespace skel::mapping
