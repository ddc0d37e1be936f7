#include <skel/detail/mapping/decider.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/mapping/decision_knowledge.hpp>

#include "support/decision_laws.hpp"

namespace {

using namespace skel::mapping;

/// Ways with names, which two models price: the second one by half.
struct toy {
  struct way {
    std::string name;
    double entry, per_use;
  };
  struct request {
    std::vector<way> ways{};
    double uses = 0;
    std::optional<std::uint64_t> phase{};
    std::uint64_t number = 0;
  };
  using plan = std::string;
  using key = std::uint64_t;
  using key_hash = std::hash<std::uint64_t>;
  static constexpr std::string_view name = "toy";
  static constexpr double tolerance = 0.03;

  static std::span<candidate_model const> models() {
    static std::vector<candidate_model> const all{{"near", {.error = 0.1}}, {"far", {.error = 0.3}}};
    return all;
  }
  static key key_of(request const& asked) { return asked.phase.value_or(0) * 1000 + asked.number; }
  static decision_context context_of(request const& asked) { return {static_cast<std::int64_t>(asked.number)}; }
  static std::vector<candidate<plan>> candidates(request const& asked, std::size_t model, bool) {
    std::vector<candidate<plan>> all;
    for (auto const& one : asked.ways)
      all.push_back({one.name, id_of(one.name), one.entry, one.per_use / (model == 0 ? 1 : 2)});
    return all;
  }
  static double price(request const& asked, std::size_t model, candidate<plan> const& one) {
    for (auto const& each : candidates(asked, model, true))
      if (each.id == one.id) return each.per_use;
    return std::numeric_limits<double>::quiet_NaN();
  }
  static std::string name_of(candidate<plan> const& one) { return one.plan; }
  static std::string_view problem_of(request const&) { return name; }
  static std::string describe(request const& asked) { return "request " + std::to_string(asked.number); }
  static std::size_t bytes_of(candidate<plan> const& one) { return one.plan.size(); }
  static double expected_uses(request const& asked) { return asked.uses; }
  static std::optional<std::uint64_t> phase_of(request const& asked) { return asked.phase; }
};

toy::request const three{{{"a", 0, 1.5}, {"b", 0, 1}, {"c", 0, 4}}, 1000};

TEST(Decider, KeepsTheLaws) {
  expect_decision_laws<toy>([] { return toy{}; }, three);
  toy::request const entered{{{"stay", 0, 3}, {"go", 5, 1}, {"far", 50, 0.9}}, 2000};
  expect_decision_laws<toy>([] { return toy{}; }, entered);
}

TEST(Decider, PrefersTheFirstOfThoseThatAreTied) {
  decider<toy> one{toy{}};
  EXPECT_EQ(one.decide({{{"simple", 0, 1.02}, {"least", 0, 1}}}).chosen().plan, "simple");
  EXPECT_EQ(one.decide({.ways = {{"simple", 0, 1.04}, {"least", 0, 1}}, .number = 1}).chosen().plan, "least");
}

TEST(Decider, PaysAnEntryWhereEnoughUsesAreToCome) {
  toy::request asked{{{"stay", 0, 2}, {"go", 10, 1}}, 9};
  decider<toy> one{toy{}};
  EXPECT_EQ(one.decide(asked).chosen().plan, "stay");
  asked.uses = 11, asked.number = 1;
  EXPECT_EQ(one.decide(asked).chosen().plan, "go");
}

TEST(Decider, ExpectsAsManyUsesAsThereHaveBeen) {
  toy::request const asked{{{"stay", 0, 2}, {"go", 10, 1}}};
  decider<toy> one{toy{}};
  std::vector<int> changed;
  std::string last = "stay";
  for (int use = 0; use < 40; ++use) {
    auto const& now = one.use(asked);
    if (now.chosen().plan != last) changed.push_back(use), last = now.chosen().plan;
  }
  EXPECT_THAT(changed, testing::ElementsAre(16));  // at the first review when ten are to come
}

TEST(Decider, ExpectsAsManyUsesAsThePhasesBeforeHad) {
  toy::request asked{.ways = {{"stay", 0, 2}, {"go", 10, 1}}, .phase = 0};
  decider<toy> one{toy{}};
  for (std::uint64_t phase = 1; phase <= 3; ++phase) {
    asked.phase = phase;
    for (int use = 0; use < 15; ++use) (void)one.use(asked);
  }
  asked.phase = 4;
  auto const& made = one.use(asked);
  EXPECT_EQ(made.uses, 15);
  EXPECT_EQ(made.chosen().plan, "go");
}

TEST(Decider, TriesWhatItPaysToKnowAndNoMore) {
  toy::request asked{{{"a", 0, 1}, {"b", 0, 1.05}}, 1000};
  decider<toy> one{toy{}};
  double lost = 0, spent = 0;
  int trials = 0;
  std::string last;
  for (int use = 0; use < 1000; ++use) {
    auto const& now = one.use(asked);
    double const took = now.chosen().plan == "a" ? 1 : 0.5;
    if (now.why == decision_reason::trial) ++trials, lost += now.chosen().per_use - 1;
    last = now.chosen().plan;
    one.observe(asked, took);
    spent += took;
  }
  EXPECT_EQ(last, "b");
  EXPECT_GE(trials, 1);
  EXPECT_LE(lost, trial_share * spent);
}

TEST(Decider, TriesNothingWhereItCannotPay) {
  toy::request const asked{{{"a", 0, 1}, {"b", 0, 20}}, 1000};
  decider<toy> one{toy{}};
  for (int use = 0; use < 1000; ++use) {
    EXPECT_EQ(one.use(asked).chosen().plan, "a");
    one.observe(asked, 1);
  }
}

TEST(Decider, DecidesAgainWhereMeasuredTimesRefuteTheForecast) {
  toy::request const asked{{{"a", 0, 1}, {"b", 0, 3}}, 100'000};
  decider<toy> one{toy{}};
  for (int use = 0; use < 600; ++use) (void)one.use(asked), one.observe(asked, 1);
  int late = 0;
  while (one.use(asked).chosen().plan == "a" && late < 100) one.observe(asked, 40), ++late;
  EXPECT_LE(late, 40);  // and not only at the review after 1024 uses
}

TEST(Decider, BelievesTheModelThatHasPredictedBest) {
  toy::request const asked{{{"a", 0, 1}, {"b", 0, 3}}, 100};
  decider<toy> one{toy{}};
  EXPECT_EQ(one.decide(asked).model, 0u);
  for (int use = 0; use < 64; ++use) (void)one.use(asked), one.observe(asked, 0.5);
  EXPECT_EQ(one.decide(asked).model, 1u);
}

TEST(Decider, KnowsNothingOfOtherProblemsAndModels) {
  decider<toy> one{toy{}};
  (void)one.use(three), one.observe(three, 2);
  auto known = one.knowledge();
  EXPECT_TRUE(one.restore(known));
  known.problem = "other";
  EXPECT_FALSE(one.restore(known));
  known.problem = "toy", known.models.pop_back();
  EXPECT_FALSE(one.restore(known));
}

TEST(Decider, ForgetsWhatWasUsedLeastRecently) {
  decider<toy> one(toy{}, {.most_bytes = 4096});
  for (std::uint64_t k = 0; k < 50; ++k) (void)one.use({.ways = three.ways, .number = k});
  EXPECT_EQ(one.uses({.number = 49}), 1u);
  EXPECT_EQ(one.uses({.number = 48}), 1u);
  EXPECT_EQ(one.uses({.number = 1}), 0u);
}

TEST(Decider, TellsTheLogWhatItDecidesAndWhatCameOfIt) {
  struct heard final : skel::record::decision_log {
    std::vector<skel::record::decision_entry> made;
    std::vector<std::tuple<std::uint64_t, std::uint64_t, double>> times;  // decision, uses, mean
    std::uint64_t decided(skel::record::decision_entry const& one) override {
      made.push_back(one);
      return made.size();
    }
    void measured(std::uint64_t decision, skel::record::measured_entry const& so_far) override {
      times.push_back({decision, so_far.uses, so_far.mean});
    }
    void paid(std::uint64_t, double) override {}
  } log;
  decider<toy> one(toy{});
  one.tell(&log);
  (void)one.use(three), one.observe(three, 2);
  ASSERT_EQ(log.made.size(), 1u);
  auto const& entry = log.made.front();
  EXPECT_EQ(entry.problem, "toy");
  EXPECT_EQ(entry.request, "request 0");
  EXPECT_EQ(entry.model, "near");
  EXPECT_EQ(entry.reason, "least");
  EXPECT_EQ(entry.uses, 1000);
  ASSERT_EQ(entry.candidates.size(), 3u);
  EXPECT_EQ(entry.candidates[0].name, "b");
  EXPECT_EQ(entry.candidates[1].name, "a");
  EXPECT_EQ(entry.candidates[1].predicted, 1.5);
  EXPECT_EQ(entry.candidates[1].expected, 1.5);
  EXPECT_GT(entry.candidates[1].doubt, 0);
  EXPECT_THAT(log.times, testing::ElementsAre(std::tuple(1, 1, 2)));
  one.force({{"another", "b"}, {"toy", "c"}});
  (void)one.use(three), one.observe(three, 4);
  ASSERT_EQ(log.made.size(), 2u);
  EXPECT_EQ(log.made[1].reason, "forced");
  EXPECT_THAT(log.times, testing::ElementsAre(std::tuple(1, 1, 2), std::tuple(2, 1, 4)));
  for (double const seconds : {6.0, 100.0, 2.0}) (void)one.use(three), one.observe(three, seconds);
  ASSERT_EQ(log.times.size(), 5u);
  EXPECT_EQ(log.times[2], std::tuple(3, 1, 6)) << "made again at the second use, and at the third";
  EXPECT_EQ(log.times[3], std::tuple(4, 1, 100));
  EXPECT_EQ(log.times[4], std::tuple(4, 2, 51));
}

TEST(Decider, SaysWhenItReviewsAndWhatIsForced) {
  struct counting final : skel::record::decision_log {
    std::size_t decisions = 0;
    std::uint64_t decided(skel::record::decision_entry const&) override { return ++decisions; }
    void measured(std::uint64_t, skel::record::measured_entry const&) override {}
    void paid(std::uint64_t, double) override {}
  } log;
  decider<toy> one(toy{});
  one.tell(&log);
  for (int use = 0; use < 40; ++use) {
    bool const is_due = one.is_review_due(three);
    std::size_t const before = log.decisions;
    (void)one.use(three);
    EXPECT_EQ(is_due, log.decisions > before) << use;
    one.observe(three, use == 20 ? 1e6 : 1);
  }
  EXPECT_GE(log.decisions, 6u) << "at 0, 1, 2, 4, ... uses";
  EXPECT_FALSE(one.is_forced(three));
  one.force({{"another", "b"}, {"toy", "c"}});
  EXPECT_TRUE(one.is_forced(three));
}

TEST(Decider, TakesTheForcedNameItselfBeforeThoseThatGoOn) {
  toy::request const asked{
      {{"tree, 8 B, 2 stripes", 0, 1}, {"tree, 8 B", 0, 2}, {"tree, 16 B", 0, 3}, {"treelike", 0, 0.1}}};
  auto const forced = [&](std::string const& name) {
    decider<toy> one(toy{});
    one.force({{"toy", name}});
    return one.decide(asked).chosen().plan;
  };
  EXPECT_EQ(forced("tree, 8 B"), "tree, 8 B");
  EXPECT_EQ(forced("tree"), "tree, 8 B, 2 stripes");
  EXPECT_THROW(forced("tre"), skel::error);
  try {
    forced("tree, 9 B");
    ADD_FAILURE() << "there is none";
  } catch (skel::error const& refused) {
    EXPECT_STREQ(refused.what(),
                 "toy: 'tree, 9 B' is forced, but may not be taken for request 0; what may: tree, 8 B, 2 stripes; "
                 "tree, 8 B; tree, 16 B; treelike; did you mean 'tree, 8 B'?");
  }
}

constexpr double without_end = std::numeric_limits<double>::infinity();

/// Ways that are numbered, how the errors of their prices go together, and what a decision takes.
struct joint_toy {
  struct request {
    std::vector<double> per_use{};
    double uses = 0;
    std::optional<std::uint64_t> phase{};
  };
  using plan = std::size_t;
  using key = std::uint64_t;
  using key_hash = std::hash<std::uint64_t>;
  static constexpr std::string_view name = "joint";
  static constexpr double tolerance = 0;

  std::optional<known_errors> errors{};
  double deciding = 0;

  static std::span<candidate_model const> models() {
    static std::vector<candidate_model> const all{{"one", {.error = 1}}};
    return all;
  }
  static key key_of(request const& asked) { return asked.phase.value_or(0); }
  static decision_context context_of(request const&) { return {}; }
  static std::vector<candidate<plan>> candidates(request const& asked, std::size_t, bool) {
    std::vector<candidate<plan>> all;
    for (std::size_t k = 0; k < asked.per_use.size(); ++k) all.push_back({k, k, 0, asked.per_use[k]});
    return all;
  }
  static double price(request const&, std::size_t, candidate<plan> const& one) { return one.per_use; }
  static std::string name_of(candidate<plan> const& one) { return std::to_string(one.plan); }
  static std::string_view problem_of(request const&) { return name; }
  static std::string describe(request const& asked) { return "phase " + std::to_string(key_of(asked)); }
  static std::size_t bytes_of(candidate<plan> const&) { return 0; }
  static double expected_uses(request const& asked) { return asked.uses; }
  static std::optional<std::uint64_t> phase_of(request const& asked) { return asked.phase; }
  known_errors const* errors_of(request const&) const { return errors ? &*errors : nullptr; }
  double deciding_seconds() const { return deciding; }
};

TEST(JointErrors, KeepTheLaws) {
  known_errors const apart{{0.09, 0, 0, 0, 0.09, 0, 0, 0, 0.09}, 0.1},
      together{{0.09, 0.05, 0, 0.05, 0.09, 0.02, 0, 0.02, 0.16}, 0.1};
  for (auto const& errors : {apart, together})
    expect_decision_laws<joint_toy>([&] { return joint_toy{errors}; }, {{1.5, 1, 4}, 1000});
  expect_decision_laws<joint_toy>([] { return joint_toy{}; }, {{1.5, 1, 4}, 1000});
}

TEST(JointErrors, WhatOneTakesTellsWhatThoseLikeItWill) {
  auto const after = [](double common) {
    decider<joint_toy> one{joint_toy{known_errors{{0.09, common, 0, common, 0.09, 0, 0, 0, 0.09}, 0.05}}};
    joint_toy::request asked{{1, 1.2, 1.5}, 1, 0};
    EXPECT_EQ(one.use(asked).chosen().plan, 0u);
    one.observe(asked, 2);
    asked.phase = 1;
    return one.decide(asked);
  };
  EXPECT_EQ(after(0).chosen().plan, 1u);
  auto const made = after(0.088);
  EXPECT_EQ(made.chosen().plan, 2u);
  EXPECT_GT(made.ranked[1].time.bias, 0.5) << "the other one that is like it, or it";
}

TEST(JointErrors, WhatIsDoubtfulIsExpectedToTakeLonger) {
  joint_toy::request const asked{{1, 0.9}, 1};
  decider<joint_toy> sure{joint_toy{known_errors{{0.01, 0, 0, 0.01}, 0.2}}},
      doubtful{joint_toy{known_errors{{0.01, 0, 0, 0.64}, 0.2}}};
  EXPECT_EQ(sure.decide(asked).chosen().plan, 1u);
  auto const& made = doubtful.decide(asked);
  EXPECT_EQ(made.chosen().plan, 0u);
  EXPECT_DOUBLE_EQ(made.ranked[0].time.seconds, std::exp(0.005));
  EXPECT_DOUBLE_EQ(made.ranked[1].time.seconds, 0.9 * std::exp(0.32));
  EXPECT_DOUBLE_EQ(made.ranked[1].time.bias, 0.32);
  EXPECT_DOUBLE_EQ(made.ranked[1].time.doubt, 0.8);
  EXPECT_DOUBLE_EQ(made.ranked[1].time.scatter, std::hypot(0.8, 0.2));
}

TEST(JointErrors, OfAProblemThatDoesNotKnowThemAreThoseOfItsModel) {
  decider<joint_toy> one{joint_toy{}};
  auto const& made = one.decide({{1, 0.9}, 1});
  EXPECT_EQ(made.chosen().plan, 1u);
  EXPECT_EQ(made.per_use(), 0.9);
}

/// Numbers of the decisions that stand in each of so many uses, which take what they take.
std::vector<std::uint64_t> numbers_of(double deciding, joint_toy::request const& asked, int uses, double seconds) {
  // Noise so that no forecast is refuted.
  decider<joint_toy> one{joint_toy{known_errors{{1e-6, 0, 0, 1e-6}, 2}, deciding}};
  std::vector<std::uint64_t> numbers;
  for (int use = 0; use < uses; ++use) {
    numbers.push_back(one.use(asked).number);
    one.observe(asked, seconds);
  }
  return numbers;
}

TEST(Reviews, AreMadeAfterOneTwoFourUsesWhereTheyCostNothing) {
  EXPECT_THAT(numbers_of(0, {{1, 3}, 100}, 10, 1), testing::ElementsAre(1, 2, 3, 3, 4, 4, 4, 4, 5, 5));
}

TEST(Reviews, AreLeftOutWhereTheyCostMoreThanAnotherCandidateMaySave) {
  EXPECT_THAT(numbers_of(1000, {{1, 3}, 1'000'000}, 200, 1), testing::Each(1));
  // Not even if it took as much less as this one does.
  EXPECT_THAT(numbers_of(1000, {{1, 1.5}, 1'000'000}, 200, 0.5), testing::Each(1));
  // It would save 0.5 in each of some 98 uses.
  EXPECT_THAT(numbers_of(50, {{1, 1.5}, 100}, 5, 2), testing::Each(1));
}

TEST(Reviews, AreMadeWhereAnotherCandidateWouldSaveMore) {
  EXPECT_THAT(numbers_of(48, {{1, 1.5}, 100}, 3, 2), testing::ElementsAre(1, 2, 3));
  EXPECT_EQ(numbers_of(1000, {{1, 1.5}, 1'000'000}, 2, 2).back(), 2u);
}

TEST(Reviews, AreMadeWhereTheyCostAFewPercentOfWhatWasMeasured) {
  auto const numbers = numbers_of(0.5, {{1, 30}, 1}, 65, 1);  // 2 % of 25 s
  EXPECT_EQ(numbers[31], 1u);
  EXPECT_EQ(numbers[32], 2u) << "32 s since the first";
  EXPECT_EQ(numbers[63], 2u);
  EXPECT_EQ(numbers[64], 3u) << "32 s since the second";
}

TEST(Reviews, AreMadeOfWhatIsRefutedWhateverTheyCost) {
  decider<joint_toy> one{joint_toy{known_errors{{0.01, 0, 0, 0.01}, 0.1}, 1e9}};
  joint_toy::request const asked{{1, 30}, 1000};
  std::uint64_t last = 1;
  for (int use = 0; use < 50 && last == 1; ++use) last = one.use(asked).number, one.observe(asked, 2);
  EXPECT_EQ(last, 2u);
}

TEST(ChooseWay, TrialsArePaidForByWhatTheyTellOfTheDifference) {
  auto const tries = [](double common, std::vector<double> const& measured, std::vector<double> const& times,
                        double entry = 0) {
    double const size = 0.3;
    std::vector<candidate_record> records;
    for (std::size_t k = 0; k < measured.size(); ++k) {
      records.push_back({k, {}});
      records.back().errors.observe(measured[k]);
    }
    double const both = common * size * size;
    auto const joint = given(known_errors{{size * size, both, both, size * size}, 0.01}, records);
    std::vector<corrected_time> corrected;
    for (std::size_t k = 0; k < 2; ++k)
      corrected.push_back({times[k] * std::exp(joint.mean[k]), 0, 0.1, joint.doubt(k)});
    std::vector<double> const entries{0, entry};
    std::vector<std::uint64_t> const ids{0, 1};
    return choose_way(corrected, entries, 30, 0, without_end, &joint, ids).trial;
  };
  EXPECT_TRUE(tries(0.0, {}, {1.0, 1.1}));
  EXPECT_FALSE(tries(0.99, {}, {1.0, 1.1})) << "what is in common cannot change the order";
  EXPECT_TRUE(tries(0.2, {0.0}, {1.0, 1.1}));
  EXPECT_FALSE(tries(0.99, {0.3}, {1.0, 1.1}));
  EXPECT_FALSE(tries(0.2, {0.0, 0.0}, {1.0, 1.1})) << "both are known";
  EXPECT_FALSE(tries(0.2, {0.0}, {1.0, 0.8}, 25)) << "a setup that is lost where the trial fails";
}

TEST(ChooseWay, NamesCandidatesOfJointErrorsByTheirIds) {
  auto const joint = given(known_errors{{0.0001, 0, 0, 0, 0.0001, 0, 0, 0, 0.09}, 0.01}, {});
  std::vector<corrected_time> const times{{1, 0, 0, 0}, {1.1, 0, 0, 0}};
  std::vector<double> const entries(2, 0);
  EXPECT_FALSE(choose_way(times, entries, 30, 0, without_end, &joint, std::vector<std::uint64_t>{0, 1}).trial);
  EXPECT_TRUE(choose_way(times, entries, 30, 0, without_end, &joint, std::vector<std::uint64_t>{0, 2}).trial);
}

TEST(ChooseWay, TakesTheLeastTimeWhereKnowingMoreCannotPay) {
  std::vector<corrected_time> const times{{1.2, 0, 0.1, 0.1}, {1.0, 0, 0.1, 0.1}, {1.1, 0, 0.1, 0.1}};
  auto const chosen = choose_way(times, std::vector<double>(3, 0), 1, 0, without_end);
  EXPECT_EQ(chosen.index, 1u);
  EXPECT_FALSE(chosen.trial);
}

TEST(ChooseWay, TriesWhatIsHardlyKnownWhereItPays) {
  std::vector<corrected_time> times{{1.3, 0, 0.1, 0.1}, {1.0, 0, 0.01, 0.01}, {9.0, 0, 0.1, 0.1}};
  std::vector<double> const none(3, 0);
  auto const chosen = choose_way(times, none, 10'000, 0, without_end);
  EXPECT_TRUE(chosen.trial);
  EXPECT_EQ(chosen.index, 0u);                                              // not the one that is 9 times as slow
  EXPECT_FALSE(choose_way(times, none, 10, 0, without_end).trial);          // few uses to come
  EXPECT_FALSE(choose_way(times, none, 10'000, 0, chosen.loss / 2).trial);  // more than may be lost
  EXPECT_FALSE(choose_way(times, std::vector<double>{1000, 0, 0}, 10'000, 0, without_end).trial);  // an entry
  times[0].doubt = 0.01;
  EXPECT_FALSE(choose_way(times, none, 10'000, 0, without_end).trial);
}

TEST(ChooseWay, TriesWhereTheExpectedGainExceedsTheExpectedLoss) {
  std::mt19937_64 random(4);
  std::normal_distribution<> draw(std::log(1.2), 0.1);
  double gained = 0, lost = 0;
  for (int i = 0; i < 400'000; ++i) {
    double const d = draw(random);
    (d < 0 ? gained : lost) += std::abs(d);
  }
  std::vector<corrected_time> const times{{1.0, 0, 0.1, 0}, {1.2, 0, 0.1, 0.1}};
  EXPECT_FALSE(choose_way(times, std::vector<double>(2, 0), 1 + 0.97 * lost / gained, 0, without_end).trial);
  EXPECT_TRUE(choose_way(times, std::vector<double>(2, 0), 1 + 1.03 * lost / gained, 0, without_end).trial);
}

TEST(Decider, MakesADecisionThatHoldsAgainAsRarelyAsItSays) {
  // Reviews apart, which come after 1, 2, 4 ... uses: nothing but the test of forecasts decides again here.
  toy::request const asked{{{"only", 0, 2}}};
  decider<toy> one(toy{}, {.false_alarms = 200});
  std::mt19937_64 random(1);
  std::lognormal_distribution<> noise(0.3, 0.1);
  std::uint64_t last = 0, made = 0;
  int const uses = 40'000;
  for (int use = 0; use < uses; ++use) {
    auto const number = one.use(asked).number;
    made += number != last, last = number;
    one.observe(asked, 2 * noise(random));
  }
  EXPECT_LE(static_cast<double>(made), uses / 200 * 1.2 + 17);  // the number of alarms is about Poisson: 200 +- 14
}

TEST(Decider, BearsOutliers) {
  toy::request const asked{{{"only", 0, 1}}};
  decider<toy> one{toy{}};
  std::set<std::uint64_t> made;
  for (int use = 0; use < 100; ++use) {
    made.insert(one.use(asked).number);
    one.observe(asked, use % 25 == 24 ? 1000.0 : 1.0);
  }
  EXPECT_EQ(made.size(), 8u);  // at first, and after 1, 2, 4 ... 64 uses
}

// What each way takes beside what it is priced at.
void use(decider<toy>& one, toy::request const& asked, int times, double factor_of_b) {
  for (int use = 0; use < times; ++use) {
    auto const& made = one.use(asked);
    one.observe(asked, made.chosen().per_use * (made.chosen().plan == "b" ? factor_of_b : 1));
  }
}

TEST(DeciderOfAnotherPicture, ForgetsHowWrongPricesOfThisOneWere) {
  decider<toy> one{toy{}};
  use(one, three, 64, 20);
  EXPECT_EQ(one.decide(three).chosen().plan, "a");
  one.turn_to(1);
  EXPECT_EQ(one.decide(three).chosen().plan, "b");
  EXPECT_EQ(one.decide(three).ranked.front().time.bias, 0);
}

TEST(DeciderOfAnotherPicture, KnowsAgainWhatItKnewOfTheFirstOne) {
  decider<toy> one{toy{}};
  use(one, three, 64, 20);
  auto const known = one.knowledge();
  one.turn_to(1);
  use(one, three, 64, 1);
  EXPECT_EQ(one.knowledge(), known);  // what is kept is of the first one
  one.turn_to(2);
  EXPECT_EQ(one.knowledge(), known);
  one.turn_to(0);
  EXPECT_EQ(one.knowledge(), known);
  EXPECT_EQ(one.decide(three).chosen().plan, "a");
}

TEST(DeciderOfAnotherPicture, RemembersNothingOfOneThatHasGone) {
  decider<toy> one{toy{}};
  one.turn_to(1);
  use(one, three, 64, 20);
  EXPECT_EQ(one.decide(three).chosen().plan, "a");
  one.turn_to(2);
  one.turn_to(1);
  EXPECT_EQ(one.decide(three).chosen().plan, "b");
}

TEST(DeciderOfAnotherPicture, CountsUsesOnAndObservesAnew) {
  toy::request const asked{{{"stay", 0, 2}, {"go", 10, 1}}};
  decider<toy> one{toy{}};
  for (int use = 0; use < 15; ++use) EXPECT_EQ(one.use(asked).chosen().plan, "stay");
  EXPECT_FALSE(one.is_to_be_observed(asked));
  one.turn_to(1);
  EXPECT_TRUE(one.is_review_due(asked));
  EXPECT_EQ(one.use(asked).chosen().plan, "go");  // as many are to come as there were
  EXPECT_EQ(one.uses(asked), 16U);
  EXPECT_FALSE(one.is_to_be_observed(asked));
  (void)one.use(asked);
  EXPECT_TRUE(one.is_to_be_observed(asked));
}

TEST(DeciderOfAnotherPicture, TakesNoTimeOfADecisionThatWasMadeForTheOneBefore) {
  decider<toy> one{toy{}};
  (void)one.use(three);
  one.turn_to(1);
  one.observe(three, 100);
  EXPECT_EQ(one.decide(three).chosen().plan, "b");
  EXPECT_EQ(one.decide(three).ranked.front().time.bias, 0);
}

TEST(DeciderOfAnotherPicture, IsTheSameWhereThePictureIs) {
  decider<toy> one{toy{}};
  auto const number = one.use(three).number;
  one.turn_to(0);
  EXPECT_EQ(one.decide(three).number, number);
}

TEST(IdOf, IsTheSameEverywhere) {
  static_assert(id_of("") == 0xcbf29ce484222325);
  static_assert(id_of("a") == 0xaf63dc4c8601ec8c);  // as published with the function
}

// Each number in turn of what a file may hold.
TEST(Decider, DecidesWhateverNumbersWereKept) {
  decider<toy> before{toy{}};
  for (int use = 0; use < 20; ++use) before.observe(three, before.use(three).per_use() * (1 + 0.1 * (use % 3)));
  auto const kept = to_entries(before.knowledge());
  ASSERT_EQ(kept.size(), 1U);
  std::string const value = kept.front().second;
  for (std::size_t at = 0; at < value.size(); at = value.find(' ', at) + 1)
    for (std::string const number : {"inf", "-inf", "nan", "-1", "0", "1e308", "5e-324", "354.8", "-354.8",
                                     "9223372036854775807", "18446744073709551615"}) {
      auto changed = kept;
      changed.front().second.replace(at, value.find(' ', at) - at, number);
      decider<toy> one{toy{}};
      EXPECT_TRUE(one.restore(from_entries(changed, "toy", toy::models())));
      for (int use = 0; use < 8; ++use) {
        auto const& made = one.use(three);
        ASSERT_TRUE(std::isfinite(made.ranked.front().time.seconds)) << number << " at " << at;
        one.observe(three, made.per_use());
      }
    }
}

}  // namespace
