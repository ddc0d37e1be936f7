#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/reduction/default_model.hpp>
#include <skel/detail/cost/reduction/fit.hpp>
#include <skel/detail/cost/reduction/predictor.hpp>

#include "planted.hpp"

namespace {

namespace cost = skel::cost;
namespace platform = skel::platform;
using skel::plan::reduction_algorithm;
using skel::testing_cost::planted_samples;
using skel::testing_cost::random_problems;
using testing::HasSubstr;

platform::reduction_model frame() {
  platform::reduction_model model;
  cost::cache_sizes const caches;
  model.caches[0] = caches.first, model.caches[1] = caches.second, model.caches[2] = caches.last;
  return model;
}

TEST(ReductionPredictor, PredictsWhatItWasFittedToWhereSumsSayAll) {
  auto const samples = planted_samples(150);
  cost::reduction_predictor const predictor(frame(), cost::fit_reduction_kind("analytic", samples, {}, 1), "test");
  for (auto const& sample : samples) {
    auto const time = predictor.predict(sample.algorithm, sample.problem);
    ASSERT_TRUE(time);
    EXPECT_NEAR(time->run, sample.measured.run, 0.25 * sample.measured.run);
    EXPECT_NEAR(time->setup_again, sample.measured.setup_again, 0.25 * sample.measured.setup_again);
  }
}

TEST(ReductionPredictor, EveryKindSaysTheSameAfterAFile) {
  auto const samples = planted_samples(60);
  random_problems random(9);
  for (std::string const& kind : cost::reduction_kinds()) {
    auto model = frame();
    model.kinds.push_back(cost::fit_reduction_kind(kind, samples, {}, 1));
    auto const read = platform::parse_reduction_model(to_text(model), "file");
    EXPECT_EQ(read, model);
    cost::reduction_predictor const before(model, model.kinds[0], "memory"), after(read, read.kinds[0], "file");
    for (int k = 0; k < 50; ++k) {
      auto const problem = random.next();
      for (auto const& traits : skel::plan::reduction_catalogue()) {
        auto const time = after.predict(traits.algorithm, problem);
        ASSERT_TRUE(time) << kind << ' ' << traits.name;
        EXPECT_EQ(time, before.predict(traits.algorithm, problem));
        EXPECT_GE(time->setup, 0);
        EXPECT_GT(time->run, 0);
        EXPECT_GE(time->setup_again, 0);
        EXPECT_LE(time->setup_again, time->setup);
      }
    }
  }
}

TEST(ReductionPredictor, SaysNothingOfAnAlgorithmThatIsTooRare) {
  auto samples = planted_samples(60);
  std::erase_if(samples, [seen = 0](auto const& one) mutable {
    return one.algorithm == reduction_algorithm::atomic && ++seen > 5;
  });
  for (std::string const& kind : cost::reduction_kinds()) {
    cost::reduction_predictor const predictor(frame(), cost::fit_reduction_kind(kind, samples, {}, 1), "test");
    EXPECT_FALSE(predictor.predict(reduction_algorithm::atomic, samples[0].problem));
    EXPECT_TRUE(predictor.predict(reduction_algorithm::replicated_buffer, samples[0].problem));
    EXPECT_EQ(predictor.residual(reduction_algorithm::atomic), 1);
  }
}

TEST(ReductionPredictor, SaysTheSameOfAllPatternsThatNobodyLookedAt) {
  auto const samples = planted_samples(150);
  cost::reduction_predictor const predictor(frame(), cost::fit_reduction_kind("boosted", samples, {}, 1), "test");
  auto seen = samples[0].problem, other = seen;
  other.pattern.sparsity = seen.pattern.sparsity / 2;
  other.pattern.contended = 1, other.pattern.privates = 5, other.pattern.copies = 2, other.pattern.clusters = 77;
  EXPECT_EQ(cost::unseen(seen), cost::unseen(other));
  EXPECT_EQ(cost::unseen(seen).pattern.subscripts, seen.pattern.subscripts);
  EXPECT_NE(predictor.predict(seen), predictor.predict(other));
  // Without features errors are large, but within a factor of four in the geometric mean.
  double errors = 0;
  for (auto const& sample : samples)
    errors += std::abs(
        std::log(predictor.predict(sample.algorithm, cost::unseen(sample.problem))->run / sample.measured.run));
  EXPECT_LT(errors / static_cast<double>(samples.size()), std::log(4));
}

TEST(ReductionPredictor, EstimatesWithoutTrees) {
  auto const samples = planted_samples(150);
  auto kind = cost::fit_reduction_kind("boosted", samples, {}, 1);
  cost::reduction_predictor const boosted(frame(), kind, "test");
  kind.name = "analytic";
  kind.seen = kind.glanced = kind.unseen = {};
  cost::reduction_predictor const sums(frame(), kind, "test");
  for (auto const& sample : samples)
    EXPECT_EQ(boosted.estimate(sample.algorithm, sample.problem), sums.predict(sample.algorithm, sample.problem));
}

TEST(ReductionPredictor, RefusesWhatItDoesNotKnowAndSaysWhere) {
  platform::fitted_time const none;
  platform::fitted_time term;
  term.terms = {{"dragons", 1}};
  platform::regression_tree const tree{{{99, 0.5, 2}, {-1, 0, 0}, {-1, 0, 1}}, {0, 1}};
  struct wrong {
    platform::fitted_kind kind;
    std::string message;
  };
  for (wrong const& one :
       {wrong{{"oracle", {}}, "m.json: kinds: 'oracle' is not a kind of model"},
        {{"analytic", {{"bubble", none, none}}}, "m.json: analytic.bubble: is not an algorithm of reductions"},
        {{"analytic", {{"repbuf", none, none}, {"repbuf", none, none}}}, "m.json: analytic.repbuf: stands there twice"},
        {{"analytic", {{"repbuf", none, term}}}, "m.json: analytic.repbuf.run: the term 'dragons' is not known"},
        {{"polynomial", {{"sequential", none, none}, {"repbuf", term, none}}},
         "m.json: polynomial.repbuf.setup: the term 'dragons' is not known"},
        {{"boosted", {{"repbuf", none, none}}, {{tree}, {}}}, "m.json: boosted.seen.setup: a tree asks for feature 99"},
        {{"polynomial", {{"repbuf", none, none}}}, "m.json: polynomial: lacks the sequential algorithm"}}) {
    try {
      cost::reduction_predictor const predictor(frame(), one.kind, "m.json");
      FAIL() << "accepted what should say: " << one.message;
    } catch (skel::input_error const& refused) {
      EXPECT_THAT(refused.what(), HasSubstr(one.message));
    }
  }
  EXPECT_THROW(cost::fit_reduction_kind("oracle", planted_samples(1), {}), skel::error);
}

TEST(DefaultReductionModel, HasEveryKindAndAlgorithmAndSaysWhereItIsFrom) {
  auto const& model = cost::default_reduction_model();
  EXPECT_FALSE(model.machine.empty());
  EXPECT_FALSE(model.date.empty());
  EXPECT_FALSE(model.compiler.empty());
  EXPECT_GT(model.samples, 0U);
  ASSERT_EQ(model.kinds.size(), cost::reduction_kinds().size());
  random_problems random(10);
  for (auto const& kind : model.kinds) {
    cost::reduction_predictor const predictor(model, kind, "default");
    for (int k = 0; k < 20; ++k) {
      auto const problem = random.next();
      for (auto const& traits : skel::plan::reduction_catalogue())
        EXPECT_TRUE(predictor.predict(traits.algorithm, problem)) << kind.name << ' ' << traits.name;
    }
  }
}

}  // namespace
