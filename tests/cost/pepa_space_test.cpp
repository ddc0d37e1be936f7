#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <string>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/line.hpp>
#include <skel/detail/cost/pepa/generate.hpp>
#include <skel/detail/cost/pepa/steady.hpp>

namespace {

namespace pepa = skel::cost::pepa;

pepa::state_space derived(std::string const& text) {
  return pepa::derive(pepa::parse(text));
}
pepa::steady_state solved(std::string const& text) {
  return pepa::solve(derived(text));
}

/// Sum of the rates of an action that leave the first state.
double first_rate(std::string const& text, std::string const& action) {
  auto const space = derived(text);
  double sum = 0;
  for (auto const& t : space.from(0))
    if (space.actions()[t.action] == action) sum += t.rate;
  return sum;
}

TEST(ApparentRate, OfTwoActiveSidesIsTheLesser) {
  constexpr char const* sides = "P = (a, 2).P; Q = (a, 3).Q; ";
  EXPECT_DOUBLE_EQ(first_rate(std::string(sides) + "P <a> Q", "a"), 2);
  EXPECT_DOUBLE_EQ(first_rate(std::string(sides) + "Q <a> Q", "a"), 3);
  EXPECT_DOUBLE_EQ(first_rate(std::string(sides) + "P || Q", "a"), 5);
}

TEST(ApparentRate, OfTwoUnitsIsTheirSumAndSoTheyMayServeTwice) {
  EXPECT_DOUBLE_EQ(first_rate("P = (a, 2).P; Q = (a, 3).Q; (P || P) <a> Q", "a"), 3);
  EXPECT_DOUBLE_EQ(first_rate("P = (a, 1).P; Q = (a, 3).Q; (P || P) <a> Q", "a"), 2);
}

TEST(ApparentRate, OfAnActiveSideRulesAPassiveOne) {
  EXPECT_DOUBLE_EQ(first_rate("P = (a, 2).P; Q = (a, 7 * infty).Q; P <a> Q", "a"), 2);
}

TEST(ApparentRate, IsSplitInProportionToActiveRates) {
  auto const space = derived("P = (a, 1).P1 + (a, 3).P2; P1 = (b, 1).P; P2 = (b, 1).P; Q = (a, 8).Q; P <a> Q");
  ASSERT_EQ(space.from(0).size(), 2u);
  EXPECT_DOUBLE_EQ(space.from(0)[0].rate, 1);
  EXPECT_DOUBLE_EQ(space.from(0)[1].rate, 3);
}

TEST(ApparentRate, IsSplitByTheWeightsOfPassiveActivities) {
  auto const space = derived("P = (a, T).P1 + (a, 3 * T).P2; P1 = (b, 1).P; P2 = (b, 1).P; Q = (a, 8).Q; P <a> Q");
  ASSERT_EQ(space.from(0).size(), 2u);
  EXPECT_DOUBLE_EQ(space.from(0)[0].rate, 2);
  EXPECT_DOUBLE_EQ(space.from(0)[1].rate, 6);
}

TEST(ApparentRate, OfChoicesOnBothSidesIsTheProductOfTheirShares) {
  // ra(P) = 4, ra(Q) = 6: each pair has (r1/4) (r2/6) 4.
  auto const space = derived(
      "P = (a, 1).P1 + (a, 3).P2; P1 = (b, 1).P; P2 = (c, 1).P; Q = (a, 2).Q1 + (a, 4).Q2; Q1 = (d, 1).Q; Q2 = (e, "
      "1).Q;"
      "P <a> Q");
  std::map<std::string, double> rates;
  for (auto const& t : space.from(0)) rates[space.describe(t.target)] = t.rate;
  EXPECT_DOUBLE_EQ(rates.at("(P1, Q1)"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(rates.at("(P1, Q2)"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(rates.at("(P2, Q1)"), 1);
  EXPECT_DOUBLE_EQ(rates.at("(P2, Q2)"), 2);
}

TEST(ApparentRate, OfManySidesIsTheLeastOfAll) {
  EXPECT_DOUBLE_EQ(first_rate("P = (a, 5).P; Q = (a, 3).Q; R = (a, T).R; S = (a, 4).S; P <a> Q <a> R <a> S", "a"), 3);
  EXPECT_DOUBLE_EQ(first_rate("P = (a, 5).P; Q = (a, 3).Q; P <a> (Q <a> Q) <a> P", "a"), 3);
}

TEST(ApparentRate, OfPassiveSidesTogetherStaysPassiveUntilAnActiveOneFixesIt) {
  EXPECT_DOUBLE_EQ(first_rate("P = (a, T).P; Q = (a, 2 * T).Q; R = (a, 9).R; (P <a> Q) <a> R", "a"), 9);
  EXPECT_DOUBLE_EQ(first_rate("P = (a, T).P; R = (a, 9).R; P[4] <a> R", "a"), 9);
}

TEST(Cooperation, BlocksAnActionThatOneSideDoesNotOffer) {
  auto const space = derived("P = (a, 1).(b, 1).P; Q = (c, 2).(a, 1).Q; P <a> Q");
  ASSERT_EQ(space.from(0).size(), 1u);
  EXPECT_EQ(space.actions()[space.from(0)[0].action], "c");
}

TEST(Cooperation, OverTheWildcardIsOverAllSharedActions) {
  constexpr char const* text = "P = (a, 1).(b, 2).P; Q = (c, 1).(a, 4).(b, 3).Q; ";
  EXPECT_EQ(derived(std::string(text) + "P <*> Q").transitions(),
            derived(std::string(text) + "P <a, b> Q").transitions());
  EXPECT_EQ(derived("P = (a, 1).P; Q = (b, 1).Q; P <*> Q").states(),
            derived("P = (a, 1).P; Q = (b, 1).Q; P || Q").states());
}

TEST(Hiding, TurnsAnActionIntoTau) {
  auto const steady = solved("P = (a, 2).(b, 2).P; P/{a}");
  EXPECT_DOUBLE_EQ(steady.throughput("tau"), 1);
  EXPECT_DOUBLE_EQ(steady.throughput("b"), 1);
  EXPECT_DOUBLE_EQ(steady.throughput("a"), 0);
}

TEST(Hiding, KeepsOthersFromCooperating) {
  EXPECT_DOUBLE_EQ(solved("P = (a, 2).P; Q = (a, 3).Q; (P/{a}) || Q").throughput("a"), 3);
  auto const hidden_outside = solved("P = (a, 2).P; Q = (a, 3).Q; (P <a> Q)/{a}");
  EXPECT_DOUBLE_EQ(hidden_outside.throughput("tau"), 2);
}

TEST(Hiding, MergesDifferentActionsBetweenTheSameStates) {
  constexpr char const* text = "P = (a, 2).Q + (b, 3).Q; Q = (c, 5).P; P";
  EXPECT_EQ(derived(text).transitions(), 3u);
  auto const space = derived(std::string(text) + "/{a, b}");
  EXPECT_EQ(space.transitions(), 2u);
  EXPECT_DOUBLE_EQ(space.from(0)[0].rate, 5);
}

TEST(Transitions, OfOneActionBetweenTheSameStatesAreOneWithTheSumOfRates) {
  auto const space = derived("P = (a, 2).Q + (a, 3).Q; Q = (b, 1).P; P");
  ASSERT_EQ(space.from(0).size(), 1u);
  EXPECT_DOUBLE_EQ(space.from(0)[0].rate, 5);
}

TEST(Transitions, ToTheSameStateCount) {
  EXPECT_EQ(derived("P = (a, 1).P + (b, 1).P; P").transitions(), 2u);
}

TEST(LocalStates, ThatAreWrittenAlikeAreOne) {
  EXPECT_EQ(derived("P = (a, 1).(c, 2).P + (b, 1).(c, 2).P; P").states(), 2u);
  EXPECT_EQ(derived("P = (a, 1).R; R = Q; Q = (b, 1).S; S = P; P").states(), 2u);
}

TEST(Arrays, HaveTheThroughputOfTheExpandedForm) {
  constexpr char const* parts =
      "Client = (think, 1).Wait; Wait = (serve, infty).Client;"
      "Server = (serve, 10).Server + (fail, 0.5).Down; Down = (repair, 1).Server;";
  auto const array = solved(std::string(parts) + "Client[3] <serve> Server[2]");
  auto const expanded = solved(std::string(parts) + "(Client || Client || Client) <serve> (Server || Server)");
  // An order of the copies that keeps them apart: hiding a different action in each.
  auto const apart = solved(std::string(parts) +
                            "C2 = (think, 1).W2; W2 = (serve, infty).C2; C3 = (think, 1).W3; W3 = (serve, infty).C3;"
                            "S2 = (serve, 10).S2 + (fail, 0.5).D2; D2 = (repair, 1).S2;"
                            "(Client || C2 || C3) <serve> (Server || S2)");
  EXPECT_EQ(array.space().states(), 4u * 3u);
  EXPECT_EQ(expanded.space().states(), 4u * 3u);
  EXPECT_EQ(apart.space().states(), 8u * 4u);
  for (std::string const action : {"think", "serve", "fail", "repair"}) {
    EXPECT_NEAR(array.throughput(action), apart.throughput(action), 1e-12);
    EXPECT_NEAR(expanded.throughput(action), apart.throughput(action), 1e-12);
  }
  EXPECT_NEAR(array.population("Wait"), apart.population("Wait") + apart.population("W2") + apart.population("W3"),
              1e-12);
}

TEST(Arrays, ThatCooperateChooseIndependently) {
  constexpr char const* text = "P = (a, 1).P1 + (a, 3).P2; P1 = (b, 1).P3; P2 = (c, 2).P3; P3 = (d, 1).P; ";
  auto const array = solved(std::string(text) + "P[3, {a, d}]");
  auto const apart =
      solved(std::string(text) +
             "Q = (a, 1).Q1 + (a, 3).Q2; Q1 = (b, 1).Q3; Q2 = (c, 2).Q3; Q3 = (d, 1).Q;"
             "R = (a, 1).R1 + (a, 3).R2; R1 = (b, 1).R3; R2 = (c, 2).R3; R3 = (d, 1).R; P <a, d> Q <a, d> R");
  EXPECT_LT(array.space().states(), apart.space().states());
  for (std::string const action : {"a", "b", "c", "d"})
    EXPECT_NEAR(array.throughput(action), apart.throughput(action), 1e-12);
}

TEST(Arrays, OfCompositionsAreLumped) {
  constexpr char const* text = "P = (a, 1).P1; P1 = (b, 2).P; Q = (a, 3).Q1; Q1 = (c, 1).Q; ";
  auto const space = derived(std::string(text) + "(P <a> Q)[3]");
  EXPECT_EQ(space.states(), 20u);  // multisets of 3 out of 4 states
  EXPECT_NEAR(pepa::solve(space).throughput("a"), 3 * solved(std::string(text) + "P <a> Q").throughput("a"), 1e-12);
}

TEST(Arrays, OfFiftyCopiesHaveOneStatePerMultiset) {
  auto const space = derived("P = (a, 1).P1; P1 = (b, 2).P2; P2 = (c, 3).P; P[50]");
  EXPECT_EQ(space.states(), 52u * 51u / 2u);
  EXPECT_NEAR(pepa::solve(space).throughput("a"), 50 / (1 + 1 / 2.0 + 1 / 3.0), 1e-9);
}

TEST(Arrays, OfAHundredThousandCopiesAreFeasible) {
  auto const space = derived("P = (a, 1).P1; P1 = (b, 2).P; P[100000]");
  EXPECT_EQ(space.states(), 100'001u);
}

TEST(Derivation, StopsAtTheLimitOfStates) {
  pepa::derive_options few;
  few.max_states = 20;
  auto const model = pepa::parse("P = (a, 1).P1; P1 = (b, 2).P2; P2 = (c, 3).P;\nP[5]");
  few.max_states = 21;
  EXPECT_EQ(pepa::derive(model, few).states(), 21u);
  few.max_states = 20;
  try {
    pepa::derive(model, few);
    FAIL() << "21 states were accepted";
  } catch (skel::input_error const& refused) {
    EXPECT_EQ(refused.where(), "line 2, column 1");
    EXPECT_THAT(refused.reason(), testing::HasSubstr("more than 20 states"));
  }
}

TEST(Derivation, StopsAtTheLimitOfMemory) {
  pepa::derive_options little;
  little.max_bytes = 1 << 20;
  EXPECT_THROW(pepa::derive(pepa::parse("P = (a, 1).P1; P1 = (b, 2).P2; P2 = (c, 3).P; P[400]"), little),
               skel::input_error);
}

TEST(Derivation, KeepsNothingOfPartsWhoseStatesAreThoseOfTheWhole) {
  skel::cost::line line;
  for (std::size_t i = 0; i < 7; ++i) line.stations.push_back({{}, {{5.0, i}}, 0});
  line.moves.assign(8, 50);
  pepa::derive_options options;
  options.max_bytes = 600'000;  // 820,000 where the transitions of all parts are kept
  EXPECT_EQ(pepa::derive(pepa::parse(pepa::to_pepa(line)), options).states(), 2187u);
}

TEST(Derivation, RefusesAnActivityOfAnArrayWithTooManyOutcomes) {
  EXPECT_THROW(
      derived("P = (a, 1).P1 + (a, 1).P2 + (a, 1).P3; P1 = (a, 1).P; P2 = (a, 2).P; P3 = (a, 1).P; P[9000, {a}]"),
      skel::input_error);
}

TEST(StateSpace, DescribesStatesInTheWordsOfTheModel) {
  auto const space = derived("P = (a, 1).(b, 2).P; Q = (c, T).Q; R = (c, 3).R; P[3] || (Q <c> R)");
  EXPECT_EQ(space.describe(0), "(3 * P, (Q, R))");
  EXPECT_EQ(space.describe(1), "(2 * P, (b, 2).P, (Q, R))");
}

}  // namespace
