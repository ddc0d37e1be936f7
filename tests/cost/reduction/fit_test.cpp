#include <cmath>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/cost/reduction/boosted_trees.hpp>
#include <skel/detail/cost/reduction/polynomial.hpp>
#include <skel/detail/cost/reduction/positive_fit.hpp>

namespace {

namespace cost = skel::cost;

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
  auto const found = cost::fit_positive(data.rows, data.times);
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
  auto const found = cost::fit_positive(rows, times);
  for (double const c : found) EXPECT_GE(c, 0);
  EXPECT_NEAR(found[1], 0, 1e-6);
  EXPECT_EQ(found[2], 0) << "a term that never occurs";
}

TEST(PositiveFit, RowsOfLittleWeightHardlyCount) {
  auto data = plant({1e-9, 4e-9}, 100, 0, 3);
  std::vector<double> weights(100, 1);
  for (std::size_t r = 0; r < 100; r += 4) data.times[r] *= 50, weights[r] = 1e-9;
  auto const found = cost::fit_positive(data.rows, data.times, weights);
  EXPECT_NEAR(found[0], 1e-9, 1e-11);
  EXPECT_NEAR(found[1], 4e-9, 4e-11);
}

TEST(BoostedTrees, OneTreeFindsAStep) {
  std::vector<std::vector<double>> rows;
  std::vector<std::vector<double>> targets;
  for (int k = 0; k < 200; ++k) {
    rows.push_back({static_cast<double>(k * 37 % 100), static_cast<double>(k)});
    targets.push_back({k < 80 ? -1. : 3., k < 80 ? 5. : 2.});
  }
  auto const trees = cost::fit_trees(rows, targets, {1, 3, 1, 1, 1});
  ASSERT_EQ(trees.size(), 1U);
  // Thresholds are looked for between bins.
  for (int k : {0, 40, 75, 85, 120, 199})
    for (std::size_t output : {0U, 1U})
      EXPECT_NEAR(cost::values_of(trees[0], rows[size_t(k)], 2)[output], targets[size_t(k)][output], 0.5) << k;
}

TEST(BoostedTrees, SplitsWhereMostRowsAreEqual) {
  // Of 1000 rows 17 have another number: fewer than a bin of rows, and not where bins end.
  std::vector<std::vector<double>> rows, targets;
  for (int k = 0; k < 1000; ++k) {
    rows.push_back({k < 17 ? 2. : 8.});
    targets.push_back({k < 17 ? 1. : 0.});
  }
  auto const trees = cost::fit_trees(rows, targets, {1, 1, 1, 1, 1});
  EXPECT_DOUBLE_EQ(cost::values_of(trees[0], std::vector{2.}, 1)[0], 1);
  EXPECT_DOUBLE_EQ(cost::values_of(trees[0], std::vector{8.}, 1)[0], 0);
}

TEST(BoostedTrees, ManyComeNearToASumAndAreTheSameAgain) {
  std::mt19937_64 dice(4);
  std::uniform_real_distribution<> uniform(0, 1);
  std::vector<std::vector<double>> rows;
  std::vector<std::vector<double>> targets;
  for (int k = 0; k < 2000; ++k) {
    rows.push_back({uniform(dice), uniform(dice), uniform(dice)});
    targets.push_back({2 * rows.back()[0] + std::sin(6 * rows.back()[1])});
  }
  auto const trees = cost::fit_trees(rows, targets);
  EXPECT_EQ(trees, cost::fit_trees(rows, targets));
  double squares = 0, all = 0;
  for (int k = 0; k < 500; ++k) {
    std::vector<double> const x{uniform(dice), uniform(dice), uniform(dice)};
    double const wanted = 2 * x[0] + std::sin(6 * x[1]);
    double found = 0;
    for (auto const& tree : trees) found += cost::values_of(tree, x, 1)[0];
    squares += std::pow(found - wanted, 2);
    all += wanted * wanted;
  }
  EXPECT_LT(squares / all, 0.02);
}

TEST(BoostedTrees, LeavesHaveAsManyRowsAsWanted) {
  auto const trees = cost::fit_trees({{0}, {1}, {2}, {3}}, {{0}, {0}, {9}, {9}}, {1, 4, 1, 3, 1});
  ASSERT_EQ(trees[0].nodes.size(), 1U);
  EXPECT_DOUBLE_EQ(trees[0].leaves.at(0), 4.5);
}

TEST(Polynomial, HasTheTermsOfThePaperWithoutPowersOfMobility) {
  // Without lgP: 84 of degree 3 at most in 6 variables, less those with MOB squared (7, MOB^2 times 1 or a variable
  // other than MOB, MOB^3).
  std::size_t without = 0;
  for (auto const& term : cost::polynomial_terms()) {
    EXPECT_LE(term.powers[2], 1) << term.name;
    without += term.powers[6] == 0;
  }
  EXPECT_EQ(without, 84U - 7U);
  EXPECT_EQ(cost::polynomial_terms().front().name, "1");
  for (std::size_t k = 0; k < cost::minimal_polynomial; ++k)
    EXPECT_EQ(cost::polynomial_terms()[k].name.find_first_of("*^"), std::string::npos);
  cost::polynomial_point const x{3, 5, 7, 11, 13, 17, 19};
  for (auto const& term : cost::polynomial_terms()) {
    if (term.name == "lgN^2*lgCON") {
      EXPECT_EQ(term.at(x), 45);
    } else if (term.name == "MOB*OTH*lgP") {
      EXPECT_EQ(term.at(x), 7 * 11 * 19);
    }
  }
}

struct planted_points {
  std::vector<cost::polynomial_point> points;
  std::vector<double> targets;
  std::vector<bool> held_out;
};

planted_points plant_points(double noise) {
  std::mt19937_64 dice(6);
  std::uniform_real_distribution<> uniform(-1, 1);
  planted_points result;
  for (int k = 0; k < 600; ++k) {
    cost::polynomial_point x;
    for (double& one : x) one = uniform(dice);
    result.points.push_back(x);
    result.targets.push_back(1 + 2 * x[0] - x[5] + 4 * x[0] * x[0] * x[1] + 3 * x[2] * x[6] + noise * uniform(dice));
    result.held_out.push_back(k % 4 == 0);
  }
  return result;
}

TEST(Polynomial, FitRecoversPlantedTerms) {
  auto const data = plant_points(0);
  auto const found = cost::fit_polynomial(data.points, data.targets, data.held_out);
  for (std::size_t k = 0; k < found.size(); ++k) {
    auto const& name = cost::polynomial_terms()[k].name;
    double const wanted = name == "1"             ? 1
                          : name == "lgN"         ? 2
                          : name == "lgCLUS"      ? -1
                          : name == "lgN^2*lgCON" ? 4
                          : name == "MOB*lgP"     ? 3
                                                  : 0;
    EXPECT_NEAR(found[k], wanted, 1e-8) << name;
  }
}

TEST(Polynomial, TermsThatDoNotHelpOnHeldOutPointsAreLeftOut) {
  auto const data = plant_points(0.5);
  auto const found = cost::fit_polynomial(data.points, data.targets, data.held_out);
  std::size_t kept = 0;
  for (double const c : found) kept += c != 0;
  EXPECT_LT(kept, found.size() * 3 / 4);
  EXPECT_EQ(found, cost::fit_polynomial(data.points, data.targets, data.held_out));
  double squares = 0;
  for (std::size_t k = 0; k < data.points.size(); ++k)
    squares += std::pow(cost::polynomial_at(data.points[k], found) - data.targets[k], 2);
  EXPECT_LT(std::sqrt(squares / 600), 0.35) << "the noise is 0.29";
}

}  // namespace
