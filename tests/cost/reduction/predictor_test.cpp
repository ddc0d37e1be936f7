#include <skel/detail/cost/reduction/predictor.hpp>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>

#include "support/random_reductions.hpp"

namespace {

namespace cost = skel::cost;
namespace platform = skel::platform;
using enum skel::plan::reduction_algorithm;
using skel::plan::reduction_algorithm;
using skel::tests::random_reductions;
using testing::HasSubstr;
using testing::StartsWith;

/// Of n algorithms, all numbers drawn; covariances are small enough to be some.
platform::fitted_errors random_errors(std::size_t n, random_reductions& random) {
  platform::fitted_errors errors;
  errors.covariance.assign(n * n, 0.01);
  for (std::size_t k = 0; k < n; ++k) {
    errors.mean.push_back(random.share() - 0.5);
    errors.first_mean.push_back(random.share() - 0.5);
    errors.first_deviation.push_back(random.share());
    errors.covariance[k * n + k] = 0.01 + random.share();
  }
  errors.noise = 0.01 + random.share();
  return errors;
}

/// Constants of all mechanisms, drawn, for so many parts.
platform::fitted_constants random_constants(std::size_t most_parts, std::size_t n, random_reductions& random) {
  platform::fitted_constants fit;
  fit.most_parts = most_parts, fit.patterns = 100;
  for (std::size_t k = 0; k < cost::mechanisms; ++k)
    fit.seconds.emplace(cost::name_of(static_cast<cost::mechanism>(k)), random.ratio(1e-10, 1e-7));
  fit.by_sizes = random_errors(n, random);
  fit.sampled = random_errors(n, random);
  fit.counted = random_errors(n, random);
  return fit;
}

/// Knows all algorithms but SELPRIV, in an order of its own; constants for 2 and for 8 parts.
platform::reduction_model random_model(unsigned seed) {
  random_reductions random(seed);
  platform::reduction_model model;
  model.machine = "made up", model.date = "2026-11-24T10:00:00Z", model.compiler = "none", model.threads = 2;
  model.caches = {32768, 1 << 20, 1 << 25};
  model.algorithms = {"gather", "repbuf", "sequential", "localwr", "lazy", "atomic", "replink"};
  for (std::size_t const parts : {std::size_t{2}, std::size_t{8}})
    model.fits.push_back(random_constants(parts, model.algorithms.size(), random));
  return model;
}

std::size_t place_in(platform::reduction_model const& model, reduction_algorithm algorithm) {
  auto const found = std::ranges::find(model.algorithms, skel::plan::name_of(algorithm));
  return static_cast<std::size_t>(found - model.algorithms.begin());
}

platform::fitted_errors const& errors_in(platform::fitted_constants const& fit, cost::knowledge how) {
  return how == cost::knowledge::sizes ? fit.by_sizes : how == cost::knowledge::sampled ? fit.sampled : fit.counted;
}

/// What the sums of a fit's constants and the moments of its errors say, from the amounts.
cost::reduction_time recomputed(platform::reduction_model const& model, platform::fitted_constants const& fit,
                                reduction_algorithm algorithm, cost::reduction_problem const& problem) {
  cost::cache_sizes const caches{model.caches[0], model.caches[1], model.caches[2]};
  auto const runs = amounts_of_run(algorithm, problem, caches), setups = amounts_of_setup(algorithm, problem);
  double run = 0, setup = 0, kept = 0;
  for (auto const& [name, seconds] : fit.seconds) {
    auto const one = *cost::find_mechanism(name);
    auto const number = static_cast<std::size_t>(one);
    run += seconds * runs[number];
    setup += seconds * setups[number];
    if (!is_of_fresh_buffers(one)) kept += seconds * setups[number];
  }
  auto const& errors = errors_in(fit, problem.known_by);
  std::size_t const k = place_in(model, algorithm), n = model.algorithms.size();
  double const median = std::exp(errors.mean[k]), mean = median * std::exp(errors.covariance[k * n + k] / 2);
  double const first = std::exp(errors.first_mean[k] + errors.first_deviation[k] * errors.first_deviation[k] / 2);
  double const beyond = std::max(0.0, first * (setup + run) - mean * run);
  return {beyond, median * run, std::max(0.0, beyond - first * (setup - kept))};
}

TEST(ReductionPredictor, PredictsSumsMovedByTheMomentsOfTheirErrors) {
  auto const model = random_model(1);
  cost::reduction_predictor const predictor(model, "test");
  random_reductions random(2);
  int clamped = 0, kept = 0;
  for (int k = 0; k < 300; ++k) {
    auto problem = random.next();
    if (k % 3 == 1) problem.known_by = cost::knowledge::sampled;
    if (k % 3 == 2) problem = by_sizes(problem);
    auto const& fit = model.fits[problem.pattern.parts <= 2 ? 0 : 1];
    auto const all = predictor.predict(problem);
    for (auto const& traits : skel::plan::reduction_catalogue()) {
      auto const time = predictor.predict(traits.algorithm, problem);
      EXPECT_EQ(time, all[static_cast<std::size_t>(traits.algorithm)]);
      if (traits.algorithm == selective_privates) {
        EXPECT_FALSE(time);
        continue;
      }
      ASSERT_TRUE(time) << traits.name;
      auto const wanted = recomputed(model, fit, traits.algorithm, problem);
      EXPECT_NEAR(time->run, wanted.run, 1e-9 * wanted.run) << traits.name;
      double const near = 1e-9 * (wanted.setup + wanted.run);
      EXPECT_NEAR(time->setup, wanted.setup, near) << traits.name;
      EXPECT_NEAR(time->setup_again, wanted.setup_again, near) << traits.name;
      EXPECT_LE(time->setup_again, time->setup);
      clamped += time->setup == 0;
      kept += time->setup_again > 0 && time->setup_again < time->setup;
    }
  }
  EXPECT_GT(clamped, 0) << "no problem had a first use that takes no longer";
  EXPECT_GT(kept, 0) << "no problem had buffers that pay";
}

TEST(ReductionPredictor, TakesTheConstantsOfAsManyPartsOrTheLast) {
  auto model = random_model(3);
  for (auto& fit : model.fits)
    for (auto& [name, seconds] : fit.seconds) seconds = name == "beginning" ? static_cast<double>(fit.most_parts) : 0;
  for (auto& fit : model.fits) std::ranges::fill(fit.counted.mean, 0);
  cost::reduction_predictor const predictor(model, "test");
  cost::reduction_problem problem;
  for (auto const& [parts, seconds] : {std::pair(1, 2.0), {2, 2.0}, {3, 8.0}, {8, 8.0}, {64, 8.0}}) {
    problem.pattern.parts = static_cast<std::size_t>(parts);
    EXPECT_DOUBLE_EQ(predictor.predict(atomic, problem)->run, seconds) << parts;
    EXPECT_EQ(predictor.errors_of(problem).noise, model.fits[seconds == 2 ? 0 : 1].counted.noise) << parts;
  }
}

TEST(ReductionPredictor, KnowsErrorsByAlgorithmsOfTheCatalogueAndByKnowledge) {
  auto const model = random_model(4);
  cost::reduction_predictor const predictor(model, "test");
  cost::reduction_problem problem;
  problem.pattern.parts = 2;
  std::size_t const all = skel::plan::reduction_algorithms, n = model.algorithms.size();
  for (auto const how : {cost::knowledge::sizes, cost::knowledge::sampled, cost::knowledge::counted}) {
    problem.known_by = how;
    auto const& found = predictor.errors_of(problem);
    auto const& wanted = errors_in(model.fits[0], how);
    EXPECT_EQ(found.noise, wanted.noise);
    ASSERT_EQ(found.covariance.size(), all * all);
    for (auto const& one : skel::plan::reduction_catalogue())
      for (auto const& other : skel::plan::reduction_catalogue()) {
        auto const i = static_cast<std::size_t>(one.algorithm), j = static_cast<std::size_t>(other.algorithm);
        std::size_t const a = place_in(model, one.algorithm), b = place_in(model, other.algorithm);
        EXPECT_EQ(found.known[i], a < n) << one.name;
        if (a < n) {
          EXPECT_EQ(found.mean[i], wanted.mean[a]) << one.name;
          EXPECT_EQ(found.first_mean[i], wanted.first_mean[a]) << one.name;
          EXPECT_EQ(found.first_deviation[i], wanted.first_deviation[a]) << one.name;
        }
        EXPECT_EQ(found.covariance[i * all + j], a < n && b < n ? wanted.covariance[a * n + b] : 0)
            << one.name << ' ' << other.name;
      }
  }
}

TEST(ReductionPredictor, SaysTheSameAfterAFile) {
  auto const model = random_model(5);
  auto const read = platform::parse_reduction_model(to_text(model), "file");
  ASSERT_EQ(read, model);
  cost::reduction_predictor const before(model, "memory"), after(read, "file");
  random_reductions random(9);
  for (int k = 0; k < 50; ++k) {
    auto const problem = random.next();
    EXPECT_EQ(before.predict(problem), after.predict(problem));
  }
}

TEST(ReductionPredictor, AMechanismThatIsNotInTheFileTakesNoTime) {
  auto model = random_model(6);
  for (auto& fit : model.fits) fit.seconds = {{"update", 1e-9}};
  for (auto& fit : model.fits) std::ranges::fill(fit.counted.mean, 0);
  cost::reduction_predictor const predictor(model, "test");
  cost::reduction_problem problem;
  problem.pattern.iterations = problem.pattern.subscripts = 1000, problem.pattern.elements = 10;
  EXPECT_DOUBLE_EQ(predictor.predict(sequential, problem)->run, 1e-6);
}

TEST(ReductionPredictor, RefusesWhatItDoesNotKnowAndSaysWhereAndWhatToDo) {
  auto const refused = [](platform::reduction_model const& model) {
    try {
      cost::reduction_predictor const predictor(model, "m.json");
    } catch (skel::input_error const& problem) {
      return std::string(problem.what());
    }
    return std::string("nothing was refused");
  };
  auto model = random_model(7);
  model.algorithms[2] = "oracle";
  EXPECT_THAT(refused(model),
              testing::AllOf(StartsWith("m.json: algorithms: 'oracle' is not known"), HasSubstr("train anew")));
  model = random_model(7);
  model.algorithms[2] = model.algorithms[0];
  EXPECT_THAT(refused(model),
              testing::AllOf(StartsWith("m.json: algorithms: has 'gather' twice"), HasSubstr("train anew")));
  model = random_model(7);
  model.fits[1].seconds["dragons"] = 1;
  EXPECT_THAT(refused(model), testing::AllOf(StartsWith("m.json: fits: has 'dragons'"), HasSubstr("train anew")));
  model = random_model(7);
  model.fits.clear();
  EXPECT_THAT(refused(model), testing::AllOf(StartsWith("m.json: fits: is empty"), HasSubstr("train anew")));
}

TEST(DefaultReductionModel, HasEveryMechanismAndAlgorithmAndSaysWhereItIsFrom) {
  auto const& model = cost::default_reduction_model();
  EXPECT_FALSE(model.machine.empty());
  EXPECT_FALSE(model.date.empty());
  EXPECT_FALSE(model.compiler.empty());
  EXPECT_GT(model.reading.decision, 0);
  EXPECT_LT(to_text(model).size(), 20'000u);
  for (auto const& fit : model.fits) EXPECT_EQ(fit.seconds.size(), cost::mechanisms);
  cost::reduction_predictor const predictor(model, "default");
  random_reductions random(10);
  for (int k = 0; k < 100; ++k) {
    auto const problem = random.next();
    auto const all = predictor.predict(problem);
    for (auto const& traits : skel::plan::reduction_catalogue()) {
      auto const& time = all[static_cast<std::size_t>(traits.algorithm)];
      ASSERT_TRUE(time) << traits.name;
      EXPECT_TRUE(std::isfinite(time->run) && time->run > 0) << traits.name << ' ' << time->run;
      EXPECT_TRUE(std::isfinite(time->setup) && time->setup >= 0) << traits.name << ' ' << time->setup;
    }
  }
}

}  // namespace
