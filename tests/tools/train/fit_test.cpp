#include "train/fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/cost/reduction/predictor.hpp>

#include "planted_samples.hpp"

namespace {

namespace cost = skel::cost;
using namespace skel::training;
using cost::knowledge;
using skel::plan::reduction_algorithms;
using skel::tests::planted_samples;
using skel::tests::planted_seconds;
using skel::tests::planted_sum;

/// How far the executions are that a fit predicts for problems that nobody has seen, in the logarithm, at the most of
/// nine in ten.
double off_by(constants_fit const& fit) {
  std::array<double, cost::mechanisms> seconds{};
  for (auto const& [name, one] : fit.fitted.seconds)
    seconds[static_cast<std::size_t>(*cost::find_mechanism(name))] = one;
  skel::tests::random_reductions random(77);
  std::vector<double> off;
  for (int k = 0; k < 100; ++k) {
    auto const problem = random.next();
    for (auto const& traits : skel::plan::reduction_catalogue()) {
      auto const amounts = cost::amounts_of_run(traits.algorithm, problem, {});
      double sum = 0;
      for (std::size_t m = 0; m < amounts.size(); ++m) sum += amounts[m] * seconds[m];
      off.push_back(std::abs(std::log(sum / planted_sum(amounts))));
    }
  }
  std::ranges::sort(off);
  return off[off.size() * 9 / 10];
}

TEST(FitConstants, FindsThoseOfTheMachineAgain) {
  auto const fit = fit_constants(planted_samples(150), {});
  EXPECT_EQ(fit.fitted.seconds.size(), cost::mechanisms);
  EXPECT_EQ(fit.fitted.patterns, 150u);
  EXPECT_EQ(fit.fitted.most_parts, 32u);
  EXPECT_LT(off_by(fit), 0.02);
  auto const planted = planted_seconds();
  for (auto const one : {cost::mechanism::update, cost::mechanism::atomic_word, cost::mechanism::line_from_memory,
                         cost::mechanism::sorted_subscript, cost::mechanism::merged_word}) {
    double const wanted = planted[static_cast<std::size_t>(one)];
    EXPECT_NEAR(fit.fitted.seconds.at(std::string(name_of(one))), wanted, 0.1 * wanted) << name_of(one);
  }
  for (auto const* errors : {&fit.fitted.counted, &fit.fitted.sampled, &fit.fitted.by_sizes}) {
    EXPECT_EQ(errors->mean.size(), reduction_algorithms);
    EXPECT_EQ(errors->covariance.size(), reduction_algorithms * reduction_algorithms);
  }
  for (std::size_t k = 0; k < reduction_algorithms; ++k) EXPECT_NEAR(fit.fitted.counted.mean[k], 0, 0.02) << k;
}

TEST(FitConstants, MinorityOfWildTimingsHardlyCounts) {
  auto samples = planted_samples(150);
  std::mt19937_64 dice(3);
  for (auto& one : samples)
    if (dice() % 25 == 0) one.measured.run *= 100, one.measured.setup *= 100;
  EXPECT_LT(off_by(fit_constants(samples, {})), 0.1);
}

TEST(FitConstants, SaysTheSameOfTheSame) {
  auto const samples = planted_samples(60);
  auto const one = fit_constants(samples, {}), other = fit_constants(samples, {});
  EXPECT_EQ(one.fitted, other.fitted);
}

TEST(FitConstants, ErrorsAreThoseOfKindsThatWereLeftOut) {
  // Of two kinds one takes three times as long, which no feature tells.
  auto samples = planted_samples(160, 2);
  for (auto& one : samples)
    if (kind_of(one.program) == "kind 1") one.measured.run *= 3, one.measured.setup *= 3;
  auto const fit = fit_constants(samples, {});
  ASSERT_EQ(fit.predictions.size(), samples.size());
  auto const names = algorithm_names();
  auto const only_first = errors_of(samples, fit.predictions, knowledge::counted, names, "kind 1"),
             only_second = errors_of(samples, fit.predictions, knowledge::counted, names, "kind 0");
  for (std::size_t k = 0; k < names.size(); ++k) {
    EXPECT_NEAR(only_first.mean[k], -std::log(3), 0.1) << names[k];
    EXPECT_NEAR(only_second.mean[k], std::log(3), 0.1) << names[k];
    EXPECT_NEAR(only_second.first_mean[k], std::log(3), 0.1) << names[k];
    EXPECT_NEAR(fit.fitted.counted.mean[k], 0, 0.1) << names[k];
    EXPECT_NEAR(std::sqrt(fit.fitted.counted.covariance[k * names.size() + k]), std::log(3), 0.1) << names[k];
    EXPECT_NEAR(fit.fitted.counted.first_deviation[k], std::log(3), 0.1) << names[k];
  }
}

TEST(FitConstants, PredictsEachSampleByWhatIsKnownOfIt) {
  auto samples = planted_samples(100);
  auto const fit = fit_constants(samples, {});
  std::map<knowledge, double> squares;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    auto const& one = fit.predictions[k];
    ASSERT_EQ(one.sample, k);
    for (auto const how : {knowledge::sizes, knowledge::sampled, knowledge::counted})
      squares[how] += std::pow(std::log(samples[k].measured.run / one.known_by(how).run), 2);
  }
  EXPECT_LT(squares[knowledge::counted], squares[knowledge::sampled]) << "clusters are estimated wrongly";
  EXPECT_LT(squares[knowledge::sampled], squares[knowledge::sizes]);
}

/// Nothing but errors: predictions of 1 s, and what was measured.
std::vector<reduction_sample> with_errors(std::vector<std::vector<double>> const& by_problem,
                                          std::vector<held_out>& predictions) {
  std::vector<reduction_sample> samples;
  for (std::size_t p = 0; p < by_problem.size(); ++p)
    for (std::size_t k = 0; k < reduction_algorithms; ++k) {
      reduction_sample one;
      one.algorithm = static_cast<skel::plan::reduction_algorithm>(k);
      one.problem.pattern.elements = p;
      one.program = "program-" + std::to_string(p);
      one.measured = {0, std::exp(by_problem[p][k]), 0};
      one.spread = 0.02;
      held_out guess{samples.size(), {}};
      guess.by.fill({0, 1, 0});
      predictions.push_back(guess);
      samples.push_back(one);
    }
  return samples;
}

TEST(ErrorsOf, AreMomentsOfLogarithms) {
  std::vector<double> low(reduction_algorithms, 0.5), high(reduction_algorithms, 0.5);
  low[1] = 0.2, high[1] = 0.6, low[2] = -0.1, high[2] = -0.5, high[3] = 0.9;
  std::vector<held_out> predictions;
  auto const samples = with_errors({low, high}, predictions);
  auto const errors = errors_of(samples, predictions, knowledge::counted, algorithm_names());
  std::size_t const n = reduction_algorithms;
  EXPECT_NEAR(errors.mean[0], 0.5, 1e-12);
  EXPECT_NEAR(errors.mean[1], 0.4, 1e-12);
  EXPECT_NEAR(errors.mean[2], -0.3, 1e-12);
  EXPECT_NEAR(errors.covariance[0], 0, 1e-12);
  EXPECT_NEAR(errors.covariance[n + 1], 0.04, 1e-12);
  EXPECT_NEAR(errors.covariance[n + 2], -0.04, 1e-12);
  EXPECT_NEAR(errors.covariance[2 * n + 1], -0.04, 1e-12);
  EXPECT_NEAR(errors.covariance[n + 3], 0.04, 1e-12);
  EXPECT_NEAR(errors.first_mean[3], 0.7, 1e-12);
  EXPECT_NEAR(errors.first_deviation[3], 0.2, 1e-12);
  EXPECT_NEAR(errors.noise, 0.02, 1e-12);
}

TEST(ErrorsOf, AreInTheOrderThatIsAskedFor) {
  std::vector<double> some;
  for (std::size_t k = 0; k < reduction_algorithms; ++k) some.push_back(0.1 * static_cast<double>(k));
  std::vector<held_out> predictions;
  auto const samples = with_errors({some, some}, predictions);
  auto const errors = errors_of(samples, predictions, knowledge::sizes, {"atomic", "sequential"});
  EXPECT_THAT(errors.mean, testing::ElementsAre(testing::DoubleNear(0.5, 1e-12), testing::DoubleNear(0, 1e-12)));
  EXPECT_EQ(errors.covariance.size(), 4u);
}

TEST(ErrorsOf, TimingsThatNeverDifferAreNotBelievedForEver) {
  std::vector<held_out> predictions;
  auto samples = with_errors({std::vector<double>(reduction_algorithms, 0)}, predictions);
  for (auto& one : samples) one.spread = 0;
  EXPECT_GT(errors_of(samples, predictions, knowledge::counted, algorithm_names()).noise, 0);
}

TEST(KindOf, IsWhatComesBeforeTheFirstDash) {
  EXPECT_EQ(kind_of("mesh-disc-rcm"), "mesh");
  EXPECT_EQ(kind_of("matrix"), "matrix");
  EXPECT_EQ(kind_of("Nodes-of-a-graph"), "Nodes");
  EXPECT_EQ(kind_of("N"), "N");
  EXPECT_EQ(kind_of(""), "");
}

TEST(KindOf, CellsOfTheExperimentAreDealtInFour) {
  std::map<std::string, int> kinds;
  for (int con = 0; con < 10; ++con)
    for (int sp = 0; sp < 10; ++sp) {
      std::string const cell = "N1024-CON" + std::to_string(con) + "-MOB2-SP" + std::to_string(sp);
      ++kinds[kind_of(cell)];
      EXPECT_EQ(kind_of(cell), kind_of(cell));
    }
  ASSERT_EQ(kinds.size(), 4u);
  for (auto const& [kind, count] : kinds) EXPECT_GE(count, 10) << kind;
}

TEST(AlgorithmNames, AreThoseOfTheCatalogue) {
  EXPECT_THAT(algorithm_names(), testing::ElementsAre("sequential", "repbuf", "replink", "selpriv", "localwr", "atomic",
                                                      "lazy", "gather"));
}

TEST(ReductionSample, IsKnownByItsSizesByASampleOrByAllOfIt) {
  auto const sample = planted_samples(1).front();
  EXPECT_EQ(sample.known_by(knowledge::counted), sample.problem);
  EXPECT_EQ(sample.known_by(knowledge::sizes), by_sizes(sample.problem));
  auto const sampled = sample.known_by(knowledge::sampled);
  EXPECT_EQ(sampled.pattern, sample.sampled);
  EXPECT_EQ(sampled.known_by, knowledge::sampled);
  EXPECT_EQ(sampled.other_seconds, sample.problem.other_seconds);
}

struct planted_rows {
  std::vector<std::vector<double>> rows;
  std::vector<double> times;
};

planted_rows plant(std::vector<double> const& coefficients, std::size_t count, double noise, unsigned seed) {
  std::mt19937_64 dice(seed);
  std::lognormal_distribution<> amount(0, 2), error(0, noise);
  planted_rows result;
  for (std::size_t r = 0; r < count; ++r) {
    std::vector<double> row;
    double sum = 0;
    for (double const c : coefficients) {
      row.push_back(amount(dice));
      sum += c * row.back();
    }
    result.rows.push_back(row);
    result.times.push_back(noise > 0 ? sum * error(dice) : sum);
  }
  return result;
}

TEST(PositiveFit, FindsTheCoefficientsThatMadeTheTimes) {
  std::vector<double> const planted{2e-9, 0, 5e-7, 3e-8};
  auto const data = plant(planted, 200, 0, 1);
  auto const found = fit_positive(data.rows, data.times);
  for (std::size_t k = 0; k < planted.size(); ++k) EXPECT_NEAR(found[k], planted[k], 1e-3 * planted[k] + 1e-13) << k;
}

TEST(PositiveFit, IsNeverNegativeAlsoWhereTimesFallWithATerm) {
  std::mt19937_64 dice(2);
  std::uniform_real_distribution<> amount(0.1, 1);
  std::vector<std::vector<double>> rows;
  std::vector<double> times;
  for (int r = 0; r < 100; ++r) {
    rows.push_back({1, amount(dice), 0});
    times.push_back(2 - rows.back()[1]);
  }
  auto const found = fit_positive(rows, times);
  for (double const c : found) EXPECT_GE(c, 0);
  EXPECT_NEAR(found[1], 0, 1e-6);
  EXPECT_EQ(found[2], 0) << "a term that never occurs";
}

TEST(PositiveFit, RowsOfLittleWeightHardlyCount) {
  auto data = plant({1e-9, 4e-9}, 100, 0, 3);
  std::vector<double> weights(100, 1);
  for (std::size_t r = 0; r < 100; r += 4) data.times[r] *= 50, weights[r] = 1e-9;
  auto const found = fit_positive(data.rows, data.times, weights);
  EXPECT_NEAR(found[0], 1e-9, 1e-11);
  EXPECT_NEAR(found[1], 4e-9, 4e-11);
}

}  // namespace
