#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/mapping/poly_model.hpp>

namespace skel::mapping {
namespace {

using testing::HasSubstr;
using poly = poly_model<std::string>;

enum : std::size_t { coarse, fine };

/// A cheap model and one whose parameters have a price.
std::vector<candidate_model> two(double price = 0) {
  return {{"coarse", {.error = 0.4, .price = 0}}, {"fine", {.error = 0.1, .price = price}}};
}

constexpr expected_use often{.uses = 1000, .seconds = 0.01};

std::size_t believed(poly const& models, std::string const& context = "here") {
  return models.believe(context, often).model;
}

/// A machine whose times are noisy.
struct machine {
  std::mt19937_64 random{1};
  double noise = 0.05;

  double measure(double time) { return time * std::exp(std::normal_distribution<>(0, noise)(random)); }
};

/// Runs of five candidates in turn.
void observe(poly& models, machine& real, int runs, double coarse_error, double fine_error) {
  for (int run = 0; run < runs; ++run) {
    auto const candidate = static_cast<std::uint64_t>(run % 5);
    double const measured = real.measure(1e-3);
    models.observe("here", coarse, candidate, 1e-3 * std::exp(-coarse_error), measured);
    models.observe("here", fine, candidate, 1e-3 * std::exp(-fine_error), measured);
  }
}

TEST(ChoiceLoss, IsTheGreatestOverAllGapsBetweenTwoCandidates) {
  double const sigma = 0.01;  // small: the loss is linear
  double greatest = 0;
  for (double gap = 0; gap < 10 * sigma; gap += 1e-3 * sigma)
    greatest = std::max(greatest, gap * 0.5 * std::erfc(gap / (std::sqrt(2.0) * sigma) / std::sqrt(2.0)));
  EXPECT_NEAR(choice_loss(sigma), std::expm1(greatest), 1e-5 * greatest);
  EXPECT_EQ(choice_loss(0), 0);
}

TEST(PolyModel, BelievesThePriorsAtFirst) {
  poly const models(two());
  EXPECT_EQ(believed(models), fine);
  EXPECT_EQ(models.contexts().size(), 0);
}

TEST(PolyModel, ConvergesToTheModelThatPredictsBest) {
  poly models(two());
  machine real;
  observe(models, real, 30, 0.05, 0.5);
  EXPECT_EQ(believed(models), coarse);
  EXPECT_EQ(believed(models, "elsewhere"), fine);
}

TEST(PolyModel, ConvergesForManyModelsAndRandomErrors) {
  std::mt19937_64 random(2);
  for (int draw = 0; draw < 100; ++draw) {
    std::vector<candidate_model> all;
    std::vector<double> errors;
    for (int model = 0; model < 9; ++model) {
      double const prior = std::exp(-std::uniform_real_distribution(1., 4.)(random));
      all.push_back({std::string("m").append(std::to_string(model)), {.error = prior, .price = 0}});
      errors.push_back(std::uniform_real_distribution(-0.6, 0.6)(random));
    }
    double const least = std::abs(*std::ranges::min_element(errors, {}, [](double error) { return std::abs(error); }));
    poly models(all);
    machine real;
    for (int run = 0; run < 400; ++run) {
      double const measured = real.measure(1);
      for (std::size_t model = 0; model < 9; ++model)
        models.observe("here", model, static_cast<std::uint64_t>(run % 20), std::exp(-errors[model]), measured);
    }
    // What is smaller hides in the noise and in the priors: 2 observations of up to 0.37 beside 20.
    EXPECT_LE(std::abs(errors[believed(models)]), least + 0.1) << draw;
  }
}

TEST(PolyModel, SwitchesWhenTheMachineChanges) {
  poly models(two());
  machine real;
  observe(models, real, 300, 0.5, 0.02);
  ASSERT_EQ(believed(models), fine);
  observe(models, real, 25, 0.02, 0.5);  // five of each candidate
  EXPECT_EQ(believed(models), coarse);
}

TEST(PolyModel, OneOutlierDoesNotSwitch) {
  for (double outlier : {1e-3, 1e3}) {
    poly models(two());
    machine real;
    observe(models, real, 30, 0.2, 0.05);
    ASSERT_EQ(believed(models), fine);
    models.observe("here", coarse, 1, 1, outlier);
    models.observe("here", fine, 1, 1, outlier * std::exp(0.15));
    EXPECT_EQ(believed(models), fine);
  }
}

TEST(PolyModel, OneLuckySampleDoesNotSwitch) {
  poly models(two());
  machine real;
  observe(models, real, 60, 1, 0.15);
  models.set_prior("here", coarse, {.error = 0.4, .price = 0});
  models.observe("here", coarse, 0, 1, 1);  // exact, once
  EXPECT_EQ(believed(models), fine);
}

TEST(PolyModel, OneCandidateMeasuredAgainAndAgainIsOneObservation) {
  poly models(two());
  for (int run = 0; run < 1000; ++run) models.observe("here", coarse, 7, 1, 1);
  EXPECT_EQ(believed(models), fine);
  for (std::uint64_t candidate = 0; candidate < 60; ++candidate) models.observe("here", coarse, candidate, 1, 1);
  EXPECT_EQ(believed(models), coarse);
}

TEST(PolyModel, MeasuresParametersOnlyWhereTheyPay) {
  poly const models(two(1.0));
  EXPECT_EQ(models.believe("here", {.uses = 1, .seconds = 0.01}).model, coarse);
  EXPECT_EQ(models.believe("here", {.uses = 1e6, .seconds = 0.01}).model, fine);
  // In between, where the losses of the uses differ by the second that measuring takes.
  double const even = 1.0 / (choice_loss(expected_error(0.4, {})) - choice_loss(expected_error(0.1, {}))) / 0.01;
  EXPECT_EQ(models.believe("here", {.uses = 0.99 * even, .seconds = 0.01}).model, coarse);
  EXPECT_EQ(models.believe("here", {.uses = 1.01 * even, .seconds = 0.01}).model, fine);
}

TEST(PolyModel, WhatIsMeasuredCostsNothingMore) {
  poly models(two(1.0));
  models.set_prior("here", fine, {.error = 0.1, .price = 0});
  EXPECT_EQ(models.believe("here", {.uses = 1, .seconds = 0.01}).model, fine);
  EXPECT_EQ(models.believe("elsewhere", {.uses = 1, .seconds = 0.01}).model, coarse);
}

TEST(PolyModel, NewParametersBeginANewRecord) {
  poly models(two());
  machine real;
  observe(models, real, 50, 0.1, 0.9);
  ASSERT_EQ(believed(models), coarse);
  models.set_prior("here", fine, {.error = 0.02, .price = 0});
  EXPECT_EQ(models.known("here").records[fine].size(), 0);
  EXPECT_EQ(models.known("here").records[coarse].size(), 5);
  EXPECT_EQ(believed(models), fine);
}

TEST(PolyModel, SaysWhy) {
  poly models(two(100.0));
  machine real;
  for (std::uint64_t run = 0; run < 20; ++run) models.observe("here", coarse, run % 4, 1, real.measure(1));
  auto const found = models.believe("here", often);
  ASSERT_EQ(found.losses.size(), 2);
  EXPECT_EQ(found.losses.front().model, found.model);
  EXPECT_LE(found.losses[0].total(), found.losses[1].total());
  EXPECT_THAT(found.why, HasSubstr("believes coarse ("));
  EXPECT_THAT(found.why, HasSubstr("% off after 4 candidates, loses "));
  EXPECT_THAT(found.why, HasSubstr("rather than fine ("));
  EXPECT_THAT(found.why, HasSubstr("measuring it takes 1e+02 s"));
}

TEST(PolyModel, ForgetsContextsThatWereUsedLeastRecently) {
  poly models(two(), {.record = {}, .most_contexts = 2, .most_candidates = 3});
  for (std::string context : {"a", "b", "a", "c"}) models.observe(context, fine, 1, 1, 2);
  EXPECT_EQ(models.contexts().size(), 2);
  EXPECT_EQ(models.known("a").records[fine].front().errors.total, 2);
  EXPECT_TRUE(models.known("b").records[fine].empty());
}

TEST(PolyModel, ForgetsCandidatesThatWereMeasuredLeastRecently) {
  poly models(two(), {.record = {}, .most_contexts = 2, .most_candidates = 3});
  for (std::uint64_t const candidate : {1U, 2U, 3U, 1U, 4U}) models.observe("here", fine, candidate, 1, 2);
  std::vector<std::uint64_t> left;
  for (auto const& one : models.known("here").records[fine]) left.push_back(one.candidate);
  EXPECT_THAT(left, testing::ElementsAre(4, 1, 3));
}

TEST(PolyModel, CorrectsPredictionsByWhatWasMeasured) {
  poly models(two());
  EXPECT_EQ(models.correct("here", fine, 1, 2e-3).seconds, 2e-3);
  EXPECT_EQ(models.correct("here", fine, 1, 2e-3).scatter, expected_error(0.1, {}));
  machine real;
  for (int run = 0; run < 100; ++run) models.observe("here", fine, 1, 1e-3, real.measure(1.5e-3));
  auto const measured = models.correct("here", fine, 1, 2e-3), other = models.correct("here", fine, 2, 2e-3);
  EXPECT_NEAR(measured.seconds, 3e-3, 0.1e-3);
  EXPECT_NEAR(measured.bias, std::log(1.5), 0.04);
  EXPECT_LT(measured.doubt, 0.02);
  EXPECT_NEAR(measured.scatter, 0.05, 0.03);
  EXPECT_NEAR(other.bias, std::log(1.5) / 2, 0.04);
  EXPECT_GT(other.doubt, 0.1);
}

TEST(PolyModel, TellsTheMostTrustedModelWithoutItsReasons) {
  poly models(two(0.5));
  machine real;
  for (int turn = 0; turn < 30; ++turn) {
    for (double const uses : {1.0, 100.0, 1e6}) {
      expected_use const use{uses, 0.01};
      EXPECT_EQ(most_trusted(models.known("here"), use), models.believe("here", use).model);
    }
    observe(models, real, 3, 0.1, turn < 15 ? 0.02 : 0.5);
  }
}

TEST(PolyModel, GoesOnWhereItWasRestored) {
  poly models(two()), other(two());
  machine real;
  observe(models, real, 40, 0.1, 0.4);
  models.set_prior("elsewhere", fine, {.error = 0.3, .price = 2});
  std::vector<std::pair<std::string, context_memory>> stored(models.contexts().begin(), models.contexts().end());
  for (auto entry = stored.rbegin(); entry != stored.rend(); ++entry) other.restore(entry->first, entry->second);
  machine first{.random = std::mt19937_64(3)}, second{.random = std::mt19937_64(3)};
  observe(models, first, 10, 0.4, 0.1);
  observe(other, second, 10, 0.4, 0.1);
  for (std::string context : {"here", "elsewhere"}) {
    EXPECT_EQ(models.known(context), other.known(context));
    EXPECT_EQ(models.believe(context, often).why, other.believe(context, often).why);
  }
}

}  // namespace
}  // namespace skel::mapping
