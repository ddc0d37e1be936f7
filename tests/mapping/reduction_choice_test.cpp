#include <skel/detail/mapping/reduction_choice.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/reduction/predictor.hpp>
#include <skel/detail/mapping/decider.hpp>

#include "support/decision_laws.hpp"
#include "support/planted_reductions.hpp"

namespace skel::mapping {
namespace {

using enum plan::reduction_algorithm;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using tests::planted_model;
using tests::planted_times;

constexpr plan::reduction_set every = (1u << plan::reduction_algorithms) - 1;

constexpr plan::reduction_set only(std::initializer_list<plan::reduction_algorithm> algorithms) {
  plan::reduction_set set = 0;
  for (auto const one : algorithms) set |= plan::set_of(one);
  return set;
}

cost::reduction_problem some_problem() {
  cost::reduction_problem problem;
  auto& of = problem.pattern;
  of.elements = 1000, of.iterations = 4000, of.subscripts = 8000, of.parts = 4;
  of.sparsity = 0.5, of.clusters = 10, of.copies = 1.5, of.load = 1.8, of.privates = 0.25, of.private_subscripts = 0.3;
  return problem;
}

reduction_request request_of(plan::reduction_set legal, double uses) {
  reduction_request request;
  request.problem = some_problem();
  request.legal = legal;
  request.uses = uses;
  return request;
}

using reduction_decider = decider<reduction_choice>;
using made_choice = reduction_decider::decision;

made_choice decided_by(platform::reduction_model const& model, reduction_request const& asked) {
  return reduction_decider(reduction_choice(model)).decide(asked);
}

std::vector<plan::reduction_algorithm> order_of(made_choice const& made) {
  std::vector<plan::reduction_algorithm> order;
  for (auto const& one : made.ranked) order.push_back(one.way.plan);
  return order;
}

std::string refusal_of(auto const& refused) {
  try {
    refused();
  } catch (error const& problem) {
    return problem.what();
  }
  return "nothing was refused";
}

TEST(ReductionChoice, KeepsTheLaws) {
  planted_times times;
  double seconds = 1;
  for (auto const& traits : plan::reduction_catalogue())
    times[traits.algorithm] = {3 * seconds, seconds}, seconds += 0.3;
  for (double const residual : {0.2, 0.5})
    expect_decision_laws<reduction_choice>([&] { return reduction_choice(planted_model(times, residual)); },
                                           request_of(every, 1000));
  expect_decision_laws<reduction_choice>([] { return reduction_choice(cost::default_reduction_model()); },
                                         request_of(every, 1000));
}

TEST(ReductionChoice, TakesTheLeastOfSetupAndAllExecutions) {
  std::mt19937_64 dice(11);
  std::uniform_real_distribution<> power(-6, 0);
  auto const draw = [&] { return std::pow(10.0, power(dice)); };
  for (int turn = 0; turn < 300; ++turn) {
    planted_times times;
    for (auto const& traits : plan::reduction_catalogue()) times[traits.algorithm] = {draw(), draw()};
    auto const request = request_of(1 + static_cast<plan::reduction_set>(dice() % every), std::ceil(1 / draw()));
    std::optional<plan::reduction_algorithm> best;
    double least = std::numeric_limits<double>::infinity();
    for (auto const& [algorithm, time] : times) {
      if ((request.legal & plan::set_of(algorithm)) == 0) continue;
      double const total = time.setup + request.uses * time.run;
      if (total < least) least = total, best = algorithm;
    }
    auto const made = decided_by(planted_model(times), request);
    ASSERT_EQ(made.chosen().plan, best) << "turn " << turn;
    EXPECT_NEAR(made.ranked.front().total(made.uses), least, 1e-9 * least);
    EXPECT_EQ(made.ranked.size(), static_cast<std::size_t>(std::popcount(request.legal)));
    EXPECT_NE(made.why, decision_reason::trial);
  }
}

TEST(ReductionChoice, ChargesNoSetupForWhatIsPrepared) {
  auto const model = planted_model({{sequential, {0, 1}}, {local_write, {10, 0.5}}});
  auto request = request_of(only({sequential, local_write}), 10);
  EXPECT_EQ(decided_by(model, request).chosen().plan, sequential);
  request.prepared = only({local_write});
  auto const made = decided_by(model, request);
  EXPECT_EQ(made.chosen().plan, local_write);
  EXPECT_EQ(made.chosen().entry, 0);
  EXPECT_NEAR(made.ranked.front().total(10), 5, 1e-9);
}

/// Sequential takes 1 s, REPBUF half of that and a setup of 2 s, 10 s with fresh buffers of the pattern's 125 lines.
platform::reduction_model with_buffers() {
  return planted_model({{sequential, {0, 1}}, {replicated_buffer, {2, 0.5}}}, 1e-6, {{"fresh line", 6.4 / 125}});
}

TEST(ReductionChoice, ChargesLessWhereBuffersAreThere) {
  auto request = request_of(only({sequential, replicated_buffer}), 5);
  auto const model = with_buffers();
  auto made = decided_by(model, request);
  EXPECT_EQ(made.chosen().plan, sequential);
  EXPECT_NEAR(made.ranked[1].way.entry, 10, 1e-9);
  request.buffered = only({replicated_buffer});
  made = decided_by(model, request);
  EXPECT_EQ(made.chosen().plan, replicated_buffer);
  EXPECT_NEAR(made.chosen().entry, 2, 1e-9);
  EXPECT_NEAR(made.ranked.front().total(5), 2 + 5 * 0.5, 1e-9);
  request.prepared = request.buffered;
  EXPECT_EQ(decided_by(model, request).chosen().entry, 0) << "what is prepared has its buffers";
}

TEST(ReductionChoice, SharesWhatBuffersCostAmongThePatternsToCome) {
  auto request = request_of(only({sequential, replicated_buffer}), 5);  // REPBUF saves 2.5 in each, and costs 2 + 8
  for (double const phases : {0.0, 1.0, 7.0, 14.9, 15.1, 100.0}) {
    request.later_patterns = phases;
    auto const made = decided_by(with_buffers(), request);
    EXPECT_EQ(made.chosen().plan, phases > 15 ? replicated_buffer : sequential) << phases;
    EXPECT_NEAR(made.ranked[phases > 15 ? 0 : 1].way.entry, 2 + 8 / (1 + phases), 1e-9) << phases;
  }
}

TEST(ReductionChoice, PredictsWhatItsPredictorSays) {
  reduction_choice const choice(cost::default_reduction_model());
  auto one = some_problem(), other = some_problem();
  other.pattern.elements *= 7;
  for (int turn = 0; turn < 2; ++turn)
    for (auto const& problem : {one, one, other, by_sizes(one)})
      EXPECT_EQ(choice.predicted(problem), choice.predictor().predict(problem));
}

TEST(ReductionChoice, LeavesOutWhatNeedsMoreThanTheCap) {
  auto const model = planted_model(
      {{sequential, {0, 9}}, {replicated_buffer, {0, 1}}, {selective_privates, {0, 2}}, {atomic, {0, 8}}});
  auto request = request_of(only({sequential, replicated_buffer, selective_privates, atomic}), 1);
  reduction_decider one{reduction_choice(model)};
  auto const decided = [&](std::size_t cap) {
    request.memory_cap = cap, ++request.phase;
    return order_of(one.decide(request));
  };
  EXPECT_THAT(decided(24000), ElementsAre(replicated_buffer, atomic, sequential));
  EXPECT_THAT(one.problem().over_cap(), ElementsAre(selective_privates)) << "needs 31800 bytes";
  EXPECT_THAT(decided(23999), ElementsAre(atomic, sequential));
  EXPECT_THAT(one.problem().over_cap(), ElementsAre(replicated_buffer, selective_privates));
  EXPECT_THAT(decided(31800), ElementsAre(replicated_buffer, selective_privates, atomic, sequential));
  EXPECT_THAT(one.problem().over_cap(), testing::IsEmpty());
  EXPECT_THAT(decided(0), ElementsAre(atomic, sequential));
}

TEST(ReductionChoice, SaysThatNothingStaysUnderTheCap) {
  auto request = request_of(only({replicated_buffer}), 1);
  request.memory_cap = 10;
  auto const model = planted_model({{replicated_buffer, {0, 1}}});
  EXPECT_THAT(refusal_of([&] { (void)decided_by(model, request); }),
              AllOf(HasSubstr("keeps less than 10 bytes"), HasSubstr("raise the cap")));
}

TEST(ReductionChoice, SaysThatItsModelKnowsNoneOfTheAlgorithms) {
  auto const model = planted_model({{sequential, {0, 1}}});
  EXPECT_THAT(order_of(decided_by(model, request_of(every, 10))), ElementsAre(sequential));
  EXPECT_EQ(decided_by(model, request_of(every, 10)).why, decision_reason::only);
  EXPECT_THAT(refusal_of([&] {
                (void)decided_by(model, request_of(only({atomic, replicated_links}), 10));
              }),
              AllOf(HasSubstr("knows none of the algorithms"), HasSubstr("train anew")));
}

TEST(ReductionChoice, PassesOverTimesWithoutEnd) {
  auto model = planted_model({{sequential, {0, 1}}, {atomic, {0, 0.1}}, {local_write, {1, 0.1}}});
  auto& errors = model.fits[0].counted;
  ASSERT_THAT(model.algorithms, ElementsAre("sequential", "localwr", "atomic"));
  errors.mean[2] = 1000, errors.first_mean[1] = 1000;
  EXPECT_THAT(order_of(decided_by(model, request_of(every, 10))), ElementsAre(sequential));
}

TEST(ReductionBytes, AreThoseOfPlansAndCopies) {
  auto const problem = some_problem();
  std::map<plan::reduction_algorithm, double> const wanted{{sequential, 0},
                                                           {atomic, 0},
                                                           {replicated_buffer, 3 * 8000},
                                                           {replicated_links, 3 * 8000 + 8 * 4 * (10 + 4)},
                                                           {selective_privates, 4 * 500 + 1000 + 4 * 12000 * 0.6},
                                                           {local_write, 8 * 6000},
                                                           {lazy_blocks, 3 * (8000 + 4096 + 4.90625 * 128)},
                                                           {segmented_gather, 8000 * 4 + 8000 * 8 + 8000}};
  for (auto const& [algorithm, bytes] : wanted)
    EXPECT_DOUBLE_EQ(reduction_bytes(algorithm, problem), bytes) << plan::name_of(algorithm);
  auto huge = problem;
  huge.pattern.elements = 3 << 17, huge.pattern.parts = 2;  // 3 MiB, which two huge pages hold
  EXPECT_DOUBLE_EQ(reduction_bytes(replicated_buffer, huge), 4 << 20);
}

TEST(ReductionBytes, AreNeverLessForWiderElementsOrMoreThreads) {
  for (auto const& traits : plan::reduction_catalogue()) {
    auto wider = some_problem(), more = some_problem();
    wider.value_bytes = 24, more.pattern.parts = 8;
    double const before = reduction_bytes(traits.algorithm, some_problem());
    EXPECT_GE(reduction_bytes(traits.algorithm, wider), before) << traits.name;
    EXPECT_GE(reduction_bytes(traits.algorithm, more), before) << traits.name;
  }
}

TEST(ReductionChoice, CorrectsPredictionsByWhatWasMeasured) {
  auto request = request_of(only({replicated_buffer, selective_privates, atomic}), 1);
  reduction_decider one{reduction_choice(
      planted_model({{replicated_buffer, {0, 1}}, {selective_privates, {0, 1.2}}, {atomic, {0, 5}}}, 0.3))};
  auto const measure = [&](double seconds) {
    ++request.phase;
    auto const taken = one.use(request).chosen().plan;
    for (int k = 0; k < 20; ++k) one.observe(request, seconds);
    ++request.phase;
    (void)one.use(request);
    return taken;
  };
  EXPECT_EQ(measure(2), replicated_buffer);
  EXPECT_EQ(measure(2.4), selective_privates) << "errors have nothing in common";
  auto const made = one.decide(request);
  EXPECT_THAT(order_of(made), ElementsAre(replicated_buffer, selective_privates, atomic));
  EXPECT_NEAR(made.per_use(), 2, 0.1);
  EXPECT_LT(made.ranked[0].time.doubt, 0.1);
  request.problem.pattern.elements *= 1000, ++request.phase;  // of which nothing was measured
  EXPECT_NEAR(one.decide(request).per_use(), std::exp(0.3 * 0.3 / 2), 1e-9);
}

TEST(ReductionChoice, ADoubtfulAlgorithmIsExpectedToTakeLonger) {
  auto model = planted_model({{sequential, {0, 1}}, {atomic, {0, 0.9}}}, 0.1);
  auto const request = request_of(every, 1);
  EXPECT_EQ(decided_by(model, request).chosen().plan, atomic);
  model.fits[0].counted.covariance = {0.01, 0, 0, 0.25};
  auto const made = decided_by(model, request);
  EXPECT_EQ(made.chosen().plan, sequential);
  EXPECT_NEAR(made.ranked[1].time.seconds, 0.9 * std::exp(0.125), 1e-9);
  EXPECT_NEAR(made.ranked[1].time.doubt, 0.5, 1e-9);
  EXPECT_NEAR(made.ranked[1].time.scatter, std::hypot(0.5, tests::planted_noise), 1e-9);
}

TEST(ReductionChoice, WhatAlgorithmsHaveInCommonIsLearntOfBoth) {
  auto model = planted_model({{sequential, {0, 1.3}}, {replicated_buffer, {0, 1}}, {replicated_links, {0, 1.1}}}, 0.4);
  auto const after = [&] {
    reduction_decider one{reduction_choice(model)};
    auto request = request_of(every, 1);
    EXPECT_EQ(one.use(request).chosen().plan, replicated_buffer);
    one.observe(request, 1.8);
    ++request.phase;
    return one.decide(request).chosen().plan;
  };
  EXPECT_EQ(after(), replicated_links);
  model.fits[0].counted.covariance = {0.16, 0, 0, 0, 0.16, 0.15, 0, 0.15, 0.16};
  EXPECT_EQ(after(), sequential);
}

TEST(ReductionChoice, TriesWhatIsHardlyKnownUnlessItsSetupIsMoreThanItCanSave) {
  auto const tries = [](platform::reduction_model const& model) {
    reduction_decider one{reduction_choice(model)};
    auto const request = request_of(every, 1000);
    int trials = 0;
    for (int use = 0; use < 100; ++use) {
      trials += one.use(request).why == decision_reason::trial;
      one.observe(request, one.decide(request).chosen().per_use);
    }
    return trials;
  };
  EXPECT_GT(tries(planted_model({{sequential, {0, 1}}, {atomic, {0, 1.1}}}, 0.3)), 0);
  EXPECT_EQ(tries(planted_model({{sequential, {0, 1}}, {local_write, {900, 1.1}}}, 0.3)), 0);
  EXPECT_EQ(tries(planted_model({{sequential, {0, 1}}, {atomic, {0, 1.1}}}, 1e-6)), 0) << "the model is sure";
}

TEST(ReductionChoice, DecidesTheSameByWhatAnotherOneKnew) {
  auto model = planted_model(
      {{sequential, {0, 1.3}}, {replicated_buffer, {0, 1}}, {replicated_links, {0, 1.1}}, {atomic, {0, 1.2}}}, 0.4);
  model.fits[0].counted.covariance[1] = model.fits[0].counted.covariance[4] = 0.1;
  reduction_decider first{reduction_choice(model)}, second{reduction_choice(model)};
  auto request = request_of(every, 100);
  for (int use = 0; use < 40; ++use) (void)first.use(request), first.observe(request, 3 + 0.1 * (use % 3));
  ASSERT_TRUE(second.restore(first.knowledge()));
  ++request.phase;
  auto const one = first.decide(request), other = second.decide(request);
  EXPECT_EQ(order_of(one), order_of(other));
  for (std::size_t k = 0; k < one.ranked.size(); ++k)
    EXPECT_EQ(one.ranked[k].time.seconds, other.ranked[k].time.seconds);
  EXPECT_NE(order_of(other), order_of(decided_by(model, request))) << "nothing was learnt";
}

TEST(ReductionChoice, LearnsForRequestsThatAreAlike) {
  auto const of = [](auto const& change) {
    auto request = request_of(every, 1);
    request.problem.pattern.elements = 1 << 10, request.problem.pattern.subscripts = 1 << 13;
    change(request);
    return reduction_choice::context_of(request);
  };
  auto const here = of([](auto&) {});
  EXPECT_EQ(of([](auto& one) { one.phase = 7, one.uses = 99, one.problem.other_seconds = 1; }), here);
  EXPECT_NE(of([](auto& one) { one.problem = by_sizes(one.problem); }), here) << "other errors, other corrections";
  EXPECT_EQ(of([](auto& one) { one.problem.pattern.elements += 300; }), here);
  EXPECT_NE(of([](auto& one) { one.problem.pattern.elements *= 8; }), here);
  EXPECT_NE(of([](auto& one) { one.problem.pattern.subscripts *= 8; }), here);
  EXPECT_NE(of([](auto& one) { one.problem.pattern.parts = 5; }), here);
  EXPECT_NE(of([](auto& one) { one.problem.value_bytes = 24; }), here);
}

TEST(ReductionChoice, KnowsErrorsByWhatIsKnownOfThePattern) {
  auto model = planted_model({{sequential, {0, 1}}, {atomic, {0, 2}}}, 0.1);
  model.fits[0].by_sizes.covariance = {0.5, 0.25, 0.25, 0.5};
  model.fits[0].sampled.noise = 0.3;
  reduction_choice const choice(model);
  auto request = request_of(every, 1);
  auto const between = [&](known_errors const& errors, plan::reduction_algorithm a, plan::reduction_algorithm b) {
    return errors.covariance[static_cast<std::size_t>(a) * plan::reduction_algorithms + static_cast<std::size_t>(b)];
  };
  EXPECT_NEAR(between(*choice.errors_of(request), atomic, atomic), 0.01, 1e-12);
  EXPECT_EQ(between(*choice.errors_of(request), atomic, sequential), 0);
  request.problem.known_by = cost::knowledge::sampled;
  EXPECT_EQ(choice.errors_of(request)->noise, 0.3);
  request.problem = by_sizes(request.problem);
  EXPECT_EQ(choice.errors_of(request)->noise, tests::planted_noise);
  EXPECT_EQ(between(*choice.errors_of(request), atomic, sequential), 0.25);
  EXPECT_EQ(between(*choice.errors_of(request), sequential, sequential), 0.5);
}

TEST(ReductionChoice, ExpectsDecisionsToTakeWhatTheyTook) {
  auto model = planted_model({{sequential, {0, 1}}});
  model.reading.decision = 4;
  reduction_choice choice(model);
  EXPECT_EQ(choice.deciding_seconds(), 4);
  choice.decided_in(2);
  EXPECT_EQ(choice.deciding_seconds(), 3);
  choice.decided_in(1000);  // held up
  EXPECT_EQ(choice.deciding_seconds(), 4.5);
  for (int k = 0; k < 60; ++k) choice.decided_in(1);
  EXPECT_NEAR(choice.deciding_seconds(), 1, 1e-9);
}

TEST(ReductionChoice, DescribesARequestInWords) {
  auto request = request_of(every, 1);
  request.phase = 3;
  EXPECT_EQ(reduction_choice::describe(request),
            "4000 iterations, 8000 subscripts, 1000 elements of 8 B, 4 threads, phase 3");
  EXPECT_EQ(reduction_choice::name_of({segmented_gather, 7, 0, 1}), "gather");
}

TEST(ReductionDecision, SaysWhy) {
  reduction_decision made{.algorithm = atomic, .candidates = {}, .over_cap = {}, .reason = "only", .uses = 3};
  EXPECT_EQ(made.why(), "atomic is all that may be used");
  made.reason = "forced";
  EXPECT_EQ(made.why(), "atomic is forced");
  made.candidates = {{atomic, 0, 1e-5, 3e-5}, {local_write, 1, 1e-6, 1.5}};
  made.reason = "trial";
  EXPECT_EQ(made.why(), "atomic is tried once, as its time is hardly known");
  made.reason = "least";
  EXPECT_EQ(made.why(), "atomic takes 30 us for 3 executions with its share of the setup, localwr 1.5 s");
  made.uses = 1, made.candidates[1].total = 0.02;
  EXPECT_EQ(made.why(), "atomic takes 30 us for 1 execution with its share of the setup, localwr 20 ms");
}

TEST(ReductionChoice, RefusesModelsThatItDoesNotKnow) {
  auto const refused = [](platform::reduction_model const& model) {
    return refusal_of([&] { reduction_choice const choice(model, "file.json"); });
  };
  auto model = planted_model({{sequential, {0, 1}}});
  model.fits[0].seconds["tides"] = 1;
  EXPECT_THAT(refused(model), AllOf(HasSubstr("file.json"), HasSubstr("'tides'"), HasSubstr("train anew")));
  model = planted_model({{sequential, {0, 1}}});
  model.algorithms[0] = "oracle";
  EXPECT_THAT(refused(model), AllOf(HasSubstr("file.json"), HasSubstr("'oracle'")));
}

}  // namespace
}  // namespace skel::mapping
