#include <skel/detail/cost/reduction/rules.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

#include "planted.hpp"

namespace {

namespace cost = skel::cost;
using cost::sight;
using skel::input_error;
using enum skel::plan::reduction_algorithm;

/// Small patterns are best run sequentially; of large ones, those in which threads meet by atomic updates, the others
/// by REPBUF. Only a glance tells which. Everything else is late by a third.
std::vector<cost::reduction_sample> planted_choices(std::size_t problems) {
  skel::testing_cost::random_problems random(3);
  std::vector<cost::reduction_sample> samples;
  for (std::size_t k = 0; k < problems; ++k) {
    auto problem = random.next();
    problem.pattern.mixing = random.share() < 0.5 ? 0.1 : 0.9;
    auto const best = problem.pattern.elements < 2000 ? sequential
                      : problem.pattern.mixing > 0.5  ? atomic
                                                      : replicated_buffer;
    double const run = 1e-8 * static_cast<double>(problem.pattern.subscripts) + 1e-6;
    for (auto const& traits : skel::plan::reduction_catalogue()) {
      cost::reduction_sample one{traits.algorithm,
                                 problem,
                                 {0, traits.algorithm == best ? run : 1.33 * run},
                                 0,
                                 "program " + std::to_string(k % 25)};
      one.glance = problem.pattern;
      samples.push_back(one);
    }
  }
  return samples;
}

struct fitted {
  std::vector<cost::reduction_sample> samples = planted_choices(300);
  cost::validated_rules by_sizes{samples, sight::sizes}, by_glance{samples, sight::glance};
  cost::cross_validation full{"tree", samples, {}};
  skel::platform::fitted_rules rules = cost::fit_rules(samples, by_sizes, by_glance, full);
};

fitted const& planted() {
  static fitted const all;
  return all;
}

TEST(ReductionRules, ChooseWhatWasPlantedWherePatternsWereGlancedAt) {
  cost::reduction_rules const rules(planted().rules, "m.json");
  std::size_t right = 0, cases = 0;
  for (auto const& sample : planted_choices(100)) {
    if (sample.algorithm != sequential) continue;
    auto const problem = sample.known_by(sight::glance);
    double const n = static_cast<double>(problem.pattern.elements);
    if (n > 1000 && n < 4000) continue;
    auto const answer = rules.ask(problem, 10);
    std::size_t best = 0;
    for (std::size_t k = 1; k < answer.late.size(); ++k)
      if (*answer.late[k] < *answer.late[best]) best = k;
    auto const wanted = n < 2000 ? sequential : problem.pattern.mixing > 0.5 ? atomic : replicated_buffer;
    right += best == static_cast<std::size_t>(wanted);
    ++cases;
    double const seconds = 10 * (1e-8 * static_cast<double>(problem.pattern.subscripts) + 1e-6);
    EXPECT_NEAR(std::log(answer.seconds / seconds), 0, std::log(4)) << seconds;
  }
  EXPECT_GE(static_cast<double>(right), 0.97 * static_cast<double>(cases)) << cases;
}

TEST(ReductionRules, SayWhereAGlanceSavesSomething) {
  cost::reduction_rules const rules(planted().rules, "m.json");
  double small = 0, large = 0, of_small = 0, of_large = 0;
  for (auto const& sample : planted().samples) {
    if (sample.algorithm != sequential) continue;
    double const n = static_cast<double>(sample.problem.pattern.elements);
    double const gain = rules.ask(sample.known_by(sight::sizes), 10).gain;
    if (n < 1000) small += gain, ++of_small;
    if (n > 4000) large += gain, ++of_large;
  }
  EXPECT_NEAR(small / of_small, 0, 0.03);
  EXPECT_NEAR(large / of_large, std::log(1.33) / 2, 0.04);  // every second guess is wrong
}

TEST(ReductionRules, AreJudgedOnProgramsThatTheyHaveNotSeen) {
  auto const with = planted().by_glance.judge(10), without = planted().by_sizes.judge(10);
  EXPECT_EQ(with.problems, 300u);
  EXPECT_GT(with.right, 0.95);
  EXPECT_LT(with.mean, 0.02);
  EXPECT_LT(without.right, 0.75);  // small ones, and half of the others
  EXPECT_GT(without.mean, 0.05);
}

TEST(ReductionRules, AreNotFittedToTooFewOrIncompleteProblems) {
  auto samples = planted_choices(30);
  std::erase_if(samples, [](auto const& one) { return one.algorithm == atomic; });
  cost::validated_rules const by_sizes(samples, sight::sizes), by_glance(samples, sight::glance);
  cost::cross_validation const full("tree", samples, {});
  auto const rules = cost::fit_rules(samples, by_sizes, by_glance, full);
  EXPECT_TRUE(rules.sizes.empty());
  EXPECT_TRUE(cost::reduction_rules(rules, "m.json").empty(sight::glance));
  EXPECT_EQ(by_sizes.judge(10).problems, 0u);
}

TEST(ReductionRules, RefuseWhatTheyDoNotKnow) {
  auto const refused = [](skel::platform::fitted_rules const& rules) {
    try {
      cost::reduction_rules const made(rules, "m.json");
    } catch (input_error const& problem) {
      return std::string(problem.what());
    }
    return std::string("nothing was refused");
  };
  auto rules = planted().rules;
  EXPECT_EQ(refused(rules), "nothing was refused");
  rules.algorithms[0] = "guess";
  EXPECT_THAT(refused(rules), testing::HasSubstr("m.json: rules: 'guess' is not an algorithm"));
  rules = planted().rules;
  rules.algorithms[0] = rules.algorithms[1];
  EXPECT_THAT(refused(rules), testing::HasSubstr("stands there twice"));
  rules = planted().rules;
  for (auto& node : rules.glance[0].nodes)
    if (node.feature >= 0) node.feature = 99;
  EXPECT_THAT(refused(rules), testing::HasSubstr("a tree asks for feature 99"));
}

}  // namespace
