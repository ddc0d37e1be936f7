#include <skel/detail/mapping/reduction_mapper.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

#include "support/planted_reductions.hpp"

namespace skel::mapping {
namespace {

using enum plan::reduction_algorithm;
using testing::ElementsAre;
using testing::HasSubstr;
using tests::planted_model;
using tests::planted_times;

constexpr reduction_set every = (1u << plan::reduction_algorithms) - 1;

constexpr reduction_set only(std::initializer_list<plan::reduction_algorithm> algorithms) {
  reduction_set set = 0;
  for (auto const one : algorithms) set |= reduction_set{1} << static_cast<unsigned>(one);
  return set;
}

cost::reduction_problem some_problem() {
  cost::reduction_problem problem;
  auto& of = problem.pattern;
  of.elements = 1000, of.iterations = 4000, of.subscripts = 8000, of.parts = 4;
  of.sparsity = 0.5, of.clusters = 10, of.copies = 1.5, of.load = 1.8, of.privates = 0.25, of.private_subscripts = 0.3;
  return problem;
}

reduction_request request_of(reduction_set legal, double uses) {
  reduction_request request;
  request.problem = some_problem();
  request.legal = legal;
  request.uses = request.trial_uses = uses;
  return request;
}

std::vector<plan::reduction_algorithm> order_of(reduction_decision const& made) {
  std::vector<plan::reduction_algorithm> order;
  for (auto const& one : made.candidates) order.push_back(one.algorithm);
  return order;
}

TEST(ReductionMapper, TakesTheLeastOfSetupAndAllExecutions) {
  std::mt19937_64 dice(11);
  std::uniform_real_distribution<> power(-6, 0);
  auto const draw = [&] { return std::pow(10.0, power(dice)); };
  for (int turn = 0; turn < 300; ++turn) {
    planted_times times;
    for (auto const& traits : plan::reduction_catalogue()) times[traits.algorithm] = {draw(), draw(), 1e-6 * draw()};
    reduction_mapper const mapper(planted_model(times));
    reduction_request request = request_of(1 + static_cast<reduction_set>(dice() % every), std::ceil(1 / draw()));
    auto& of = request.problem.pattern;
    of.parts = 1 + dice() % 32, of.elements = 1 + dice() % 100000, of.iterations = dice() % 100000;
    of.subscripts = 2 * of.iterations, of.load = 1 + 3 * draw();
    std::optional<plan::reduction_algorithm> best;
    double least = std::numeric_limits<double>::infinity();
    for (auto const& traits : plan::reduction_catalogue()) {
      if ((request.legal >> static_cast<unsigned>(traits.algorithm) & 1) == 0) continue;
      double const parts = static_cast<double>(of.parts);
      double const share = traits.algorithm == sequential    ? 1
                           : traits.algorithm == local_write ? of.load / parts
                                                             : 1 / parts;
      auto const& time = times[traits.algorithm];
      double const run = time.run + time.per_update * share * static_cast<double>(of.subscripts);
      double const total = time.setup + request.uses * run;
      if (total < least) least = total, best = traits.algorithm;
    }
    auto const made = mapper.decide(request);
    ASSERT_EQ(made.algorithm, best) << "turn " << turn << ": " << made.why();
    EXPECT_NEAR(made.candidates.front().total, least, 1e-9 * least);
    EXPECT_FALSE(made.trial);
    for (std::size_t k = 1; k < made.candidates.size(); ++k)
      EXPECT_GE(made.candidates[k].total, made.candidates[k - 1].total);
  }
}

TEST(ReductionMapper, ChargesNoSetupForWhatIsPrepared) {
  reduction_mapper const mapper(planted_model({{sequential, {0, 1}}, {local_write, {10, 0.5}}}));
  auto request = request_of(only({sequential, local_write}), 10);
  EXPECT_EQ(mapper.decide(request).algorithm, sequential);
  request.prepared = 1U << static_cast<unsigned>(local_write);
  auto const made = mapper.decide(request);
  EXPECT_EQ(made.algorithm, local_write);
  EXPECT_EQ(made.candidates.front().predicted.setup, 0);
  EXPECT_DOUBLE_EQ(made.candidates.front().total, 5);
}

TEST(ReductionMapper, ChargesLessWhereBuffersAreThere) {
  planted_times const times{{sequential, {0, 1}}, {local_write, {10, 0.5, 0, 2}}};
  reduction_mapper const mapper(planted_model(times));
  auto request = request_of(only({sequential, local_write}), 5);
  EXPECT_EQ(mapper.decide(request).algorithm, sequential);
  request.buffered = only({local_write});
  auto const made = mapper.decide(request);
  EXPECT_EQ(made.algorithm, local_write);
  EXPECT_DOUBLE_EQ(made.candidates.front().predicted.setup, 2);
  EXPECT_DOUBLE_EQ(made.candidates.front().total, 2 + 5 * 0.5);
  request.buffered = 0;
  request.prepared = only({local_write});
  EXPECT_DOUBLE_EQ(mapper.decide(request).candidates.front().total, 5 * 0.5);
}

TEST(ReductionMapper, SharesWhatBuffersCostAmongThePatternsToCome) {
  planted_times const times{{sequential, {0, 1}}, {local_write, {10, 0.5, 0, 2}}};
  reduction_mapper const mapper(planted_model(times));
  auto request = request_of(only({sequential, local_write}), 5);  // local_write saves 2.5 in each, and costs 2 + 8
  for (double const phases : {0.0, 1.0, 7.0, 14.9, 15.1, 100.0}) {
    request.patterns_to_come = phases;
    auto const made = mapper.decide(request);
    EXPECT_EQ(made.algorithm, phases > 15 ? local_write : sequential) << phases;
    auto const& writer = made.candidates[phases > 15 ? 0 : 1];
    EXPECT_DOUBLE_EQ(writer.predicted.setup, 10) << "what it will take";
    EXPECT_DOUBLE_EQ(writer.total, 2 + 8 / (1 + phases) + 2.5);
  }
}

TEST(ReductionMapper, PredictsAProblemOnce) {
  reduction_mapper mapper(planted_model({{sequential, {0, 1}}, {atomic, {0, 0.5}}}));
  auto request = request_of(only({sequential, atomic}), 5);
  auto const first = mapper.decide(request);
  EXPECT_EQ(mapper.predictions(), 1U);
  request.uses = 7;
  mapper.observe(request.problem, sequential, 1);
  EXPECT_EQ(mapper.decide(request).candidates.size(), first.candidates.size());
  EXPECT_EQ(mapper.predictions(), 1U);
  EXPECT_TRUE(mapper.remembers(request.problem));
  ++request.problem.pattern.elements;
  EXPECT_FALSE(mapper.remembers(request.problem));
  mapper.decide(request);
  EXPECT_EQ(mapper.predictions(), 2U);
}

TEST(ReductionMapper, LeavesOutWhatNeedsMoreThanTheCap) {
  reduction_mapper const mapper(planted_model(
      {{sequential, {0, 9}}, {replicated_buffer, {0, 1}}, {selective_privates, {0, 2}}, {atomic, {0, 8}}}));
  auto request = request_of(only({sequential, replicated_buffer, selective_privates, atomic}), 1);
  double const copies = reduction_bytes(replicated_buffer, request.problem);
  EXPECT_DOUBLE_EQ(copies, 3.0 * 1000 * 8);
  request.memory_cap = static_cast<std::size_t>(copies);
  EXPECT_EQ(mapper.decide(request).algorithm, replicated_buffer);
  request.memory_cap = static_cast<std::size_t>(copies) - 1;
  auto const made = mapper.decide(request);
  EXPECT_NE(made.algorithm, replicated_buffer);
  EXPECT_THAT(made.over_cap, testing::Contains(replicated_buffer));
  request.memory_cap = 0;
  EXPECT_EQ(mapper.decide(request).algorithm, atomic);
  EXPECT_THAT(mapper.decide(request).over_cap, ElementsAre(replicated_buffer, selective_privates));
}

TEST(ReductionMapper, SaysThatNothingStaysUnderTheCap) {
  reduction_mapper const mapper(planted_model({{replicated_buffer, {0, 1}}}));
  auto request = request_of(only({replicated_buffer}), 1);
  request.memory_cap = 10;
  try {
    mapper.decide(request);
    FAIL() << "nothing was refused";
  } catch (error const& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("keeps less than 10 bytes"));
    EXPECT_THAT(refused.what(), HasSubstr("raise the cap"));
  }
}

TEST(ReductionMapper, NeedsNoMoreMemoryForMoreRoom) {
  auto problem = some_problem();
  for (auto const& traits : plan::reduction_catalogue()) {
    double const before = reduction_bytes(traits.algorithm, problem);
    EXPECT_GE(before, 0) << traits.name;
    EXPECT_EQ(before == 0, traits.algorithm == sequential || traits.algorithm == atomic) << traits.name;
    auto wider = problem;
    wider.value_bytes = 24;
    EXPECT_GE(reduction_bytes(traits.algorithm, wider), before) << traits.name;
  }
}

TEST(ReductionMapper, CorrectsPredictionsByWhatWasMeasured) {
  reduction_mapper mapper(
      planted_model({{replicated_buffer, {0, 1}}, {selective_privates, {0, 1.2}}, {atomic, {0, 5}}}, 0.1));
  auto const request = request_of(only({replicated_buffer, selective_privates, atomic}), 1);
  ASSERT_EQ(mapper.decide(request).algorithm, replicated_buffer);
  for (int use = 0; use < 20; ++use) mapper.observe(request.problem, replicated_buffer, 2);
  auto const made = mapper.decide(request);
  EXPECT_EQ(made.algorithm, selective_privates) << made.why();
  for (int use = 0; use < 20; ++use) mapper.observe(request.problem, selective_privates, 2.4);
  auto const again = mapper.decide(request);
  EXPECT_THAT(order_of(again), ElementsAre(replicated_buffer, selective_privates, atomic));
  EXPECT_NEAR(again.candidates.front().predicted.run, 2, 0.2);
  auto other = request;
  other.problem.pattern.elements *= 1000;  // of which nothing was measured
  EXPECT_EQ(mapper.decide(other).candidates.front().predicted.run, 1);
}

TEST(ReductionMapper, LearnsNothingFromTimesThatAreNone) {
  reduction_mapper mapper(planted_model({{sequential, {0, 1}}, {atomic, {0, 2}}}));
  auto const request = request_of(only({sequential, atomic}), 1);
  for (double const seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    mapper.observe(request.problem, sequential, seconds);
  EXPECT_EQ(mapper.decide(request).candidates.front().predicted.run, 1);
}

TEST(ReductionMapper, BelievesTheKindThatPredictsBest) {
  auto model = planted_model({{sequential, {0, 1}}, {atomic, {0, 3}}}, 0.1);
  model.kinds.push_back(tests::planted_kind({{sequential, {0, 2}}, {atomic, {0, 1}}}, 0.2));
  model.kinds[1].name = "boosted";
  reduction_mapper mapper(model);
  auto const request = request_of(only({sequential, atomic}), 1);
  ASSERT_EQ(mapper.decide(request).model, "analytic");
  EXPECT_EQ(mapper.decide(request).algorithm, sequential);
  for (int use = 0; use < 30; ++use) {
    mapper.observe(request.problem, sequential, 2);
    mapper.observe(request.problem, atomic, 1);
  }
  EXPECT_EQ(mapper.decide(request).model, "boosted");
  EXPECT_EQ(mapper.decide(request).algorithm, atomic);
}

TEST(ReductionMapper, TriesWhatIsHardlyKnownUnlessItsSetupIsMoreThanItCanSave) {
  planted_times times{{sequential, {0, 1}}, {atomic, {0, 1.1}}};
  auto request = request_of(only({sequential, atomic, local_write}), 1000);
  request.trial_uses = 1;
  auto const knowing = [&](reduction_mapper mapper) {
    for (int use = 0; use < 50; ++use) mapper.observe(request.problem, sequential, 1);
    return mapper.decide(request);
  };
  auto const cheap = knowing(reduction_mapper(planted_model(times, 0.3)));
  EXPECT_TRUE(cheap.trial);
  EXPECT_EQ(cheap.algorithm, atomic);
  times.erase(atomic);
  times[local_write] = {900, 1.1};  // would have to halve its time to save as much
  auto const dear = knowing(reduction_mapper(planted_model(times, 0.3)));
  EXPECT_FALSE(dear.trial);
  EXPECT_EQ(dear.algorithm, sequential);
}

TEST(ReductionMapper, IsAsSureOfAFewAlgorithmsAsItsModelIs) {
  reduction_mapper const mapper(planted_model({{sequential, {0, 1}}, {atomic, {0, 1.1}}}));  // errors of 1e-6
  auto request = request_of(every, 1000);
  request.trial_uses = 1;
  EXPECT_FALSE(mapper.decide(request).trial);
}

TEST(ReductionMapper, DecidesTheSameFromTheSame) {
  planted_times times;
  double seconds = 1;
  for (auto const& traits : plan::reduction_catalogue()) times[traits.algorithm] = {seconds += 0.1, 2 - 0.1 * seconds};
  reduction_mapper first(planted_model(times, 0.3)), second(planted_model(times, 0.3));
  for (int turn = 0; turn < 60; ++turn) {
    auto const request = request_of(every, 1 + turn);
    auto const made = first.decide(request), same = second.decide(request);
    ASSERT_EQ(made.algorithm, same.algorithm);
    ASSERT_EQ(made.why(), same.why());
    double const measured = 1 + 0.1 * (turn * 7 % 11);
    first.observe(request.problem, made.algorithm, measured);
    second.observe(request.problem, made.algorithm, measured);
  }
}

TEST(ReductionMapper, PassesOverWhatItsModelCannotPredict) {
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  reduction_mapper mapper(planted_model({{sequential, {0, 1}}, {atomic, {0, 0}}, {local_write, {0, nan}}}));
  auto const made = mapper.decide(request_of(every, 10));
  EXPECT_THAT(order_of(made), ElementsAre(sequential));
  EXPECT_THAT(made.why(), HasSubstr("is all that may be used"));
  EXPECT_THROW(mapper.decide(request_of(only({atomic, replicated_links}), 10)), error);
  EXPECT_EQ(mapper.estimate(replicated_links, some_problem()), std::nullopt);
}

/// Rules that say the same of every problem: `late` of each algorithm, 0.1 ln of the seconds for an update, the gain.
platform::fitted_rules planted_rules(std::vector<std::string> algorithms, std::vector<double> outputs) {
  platform::regression_tree const always{{{-1, 0, 0}}, std::move(outputs)};
  return {std::move(algorithms), {always}, {always}, {}};
}

TEST(ReductionMapper, ChoosesByRuleWithoutPredicting) {
  auto model = planted_model({{sequential, {0, 1}}, {atomic, {0, 2}}, {lazy_blocks, {0, 3}}});
  model.rules = planted_rules({"sequential", "lazy", "atomic"}, {0.5, 0.1, 0.2, 0.1 * std::log(1e-3), 0.25});
  reduction_mapper const mapper(model);
  auto request = request_of(every, 10);
  EXPECT_EQ(mapper.choose_by_rule(request), std::nullopt) << "features tell more than rules know";
  for (auto const how : {cost::sight::sizes, cost::sight::glance}) {
    request.problem.seen_by = how;
    auto const chosen = mapper.choose_by_rule(request);
    ASSERT_TRUE(chosen);
    EXPECT_EQ(chosen->algorithm, lazy_blocks);
    EXPECT_NEAR(chosen->seconds, 1e-3 * 8000 / 4, 1e-6);
    EXPECT_FLOAT_EQ(static_cast<float>(chosen->gain), 0.25F);
    request.legal = only({sequential, atomic, local_write});
    EXPECT_EQ(mapper.choose_by_rule(request)->algorithm, atomic);
    request.legal = only({local_write});
    EXPECT_EQ(mapper.choose_by_rule(request), std::nullopt);
    request.legal = every;
    request.memory_cap = 0;
    EXPECT_EQ(mapper.choose_by_rule(request)->algorithm, atomic);
    request.memory_cap = std::numeric_limits<std::size_t>::max();
  }
  reduction_mapper const without(planted_model({{sequential, {0, 1}}}));
  EXPECT_EQ(without.choose_by_rule(request), std::nullopt);
}

TEST(ReductionMapper, SaysWhyForEveryWayToDecide) {
  reduction_decision made;
  made.algorithm = atomic;
  EXPECT_EQ(made.why(), "atomic is all that may be used");
  made.model = rule_model;
  made.uses = 3;
  EXPECT_THAT(made.why(), HasSubstr("atomic is what a rule takes for 3 executions"));
  made.model = model_of_before;
  EXPECT_THAT(made.why(), HasSubstr("chosen for the pattern before"));
}

TEST(ReductionMapper, RefusesModelsThatItDoesNotKnow) {
  auto const refused = [](platform::reduction_model const& model) {
    try {
      reduction_mapper const mapper(model, "file.json");
    } catch (input_error const& problem) {
      return std::string(problem.what());
    }
    return std::string("nothing was refused");
  };
  auto model = planted_model({{sequential, {0, 1}}});
  model.kinds[0].algorithms[0].run.terms[0].first = "tides";
  EXPECT_THAT(refused(model), testing::AllOf(HasSubstr("file.json"), HasSubstr("'tides'"), HasSubstr("train anew")));
  model = planted_model({{sequential, {0, 1}}});
  model.kinds[0].name = "oracle";
  EXPECT_THAT(refused(model), HasSubstr("'oracle'"));
  model = planted_model({{sequential, {0, 1}}});
  model.rules = planted_rules({"sequential", "guess"}, {0, 0, 0, 0});
  EXPECT_THAT(refused(model), HasSubstr("'guess'"));
  model.rules = {};
  model.kinds.clear();
  EXPECT_THAT(refused(model), HasSubstr("has no model of reductions"));
}

}  // namespace
}  // namespace skel::mapping
