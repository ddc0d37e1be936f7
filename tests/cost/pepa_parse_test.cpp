#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/pepa/steady.hpp>

namespace {

namespace pepa = skel::cost::pepa;
using testing::HasSubstr;

constexpr char const* every_construct = R"(/* every
   construct */
r1 = 2.0 * (3 - 1) / 4; // rate
r2 = -(-1.5);
w = 2;
top = w * infty;
#P = (a, r1).P1 + (tau, 0.5).P;
P1 = (b, infty[3]).P + (b, T).(c, r2).P;
Q = (b, r2 + 1).Q;
R = ((a, top).(c, 2 * r1).S + (a, infty).R);
S = R;
Both = (P <b> Q) / {c};
Mixed = (Both <a> R) <*> Q || (Q || Q[2])/{b}; % the rest
Mixed <> Q[3, {b}] || Q[2]
)";

TEST(Parse, ReadsEveryConstruct) {
  auto const model = pepa::parse(every_construct);
  EXPECT_THAT(model.processes(), testing::ElementsAre("P", "P1", "Q", "R", "S", "Both", "Mixed"));
  EXPECT_THAT(model.actions(), testing::ElementsAre("a", "b", "c"));
  EXPECT_THAT(model.rates(),
              testing::ElementsAre(std::pair<std::string, double>("r1", 1.0), std::pair<std::string, double>("r2", 1.5),
                                   std::pair<std::string, double>("w", 2.0)));
  EXPECT_NO_THROW(pepa::solve(pepa::derive(model)));
}

TEST(Parse, ReadsTextsOfEverySystem) {
  auto const rates = pepa::parse(every_construct).rates();
  for (std::string const end : {"\r\n", "\r"}) {
    std::string text = "\xef\xbb\xbf";
    for (char const c : std::string_view(every_construct)) text += c == '\n' ? end : std::string(1, c);
    EXPECT_EQ(pepa::parse(text).rates(), rates);
  }
  EXPECT_THAT([] { pepa::parse("\xff\xfeP"); },
              testing::ThrowsMessage<skel::input_error>(HasSubstr("is text in UTF-16")));
}

TEST(Parse, EvaluatesRateExpressionsInAnyOrderOfDefinition) {
  auto const model = pepa::parse("a = b / 4 - 1; b = 2 * (c + 1.5e1); c = 5; P = (x, a + b * c).P; P");
  EXPECT_THAT(model.rates(), testing::Contains(std::pair<std::string, double>("a", 9.0)));
  EXPECT_DOUBLE_EQ(pepa::solve(pepa::derive(model)).throughput("x"), 209.0);
}

TEST(Parse, GivesNamedRatesTheValuesThatAreSet) {
  pepa::parse_options options;
  options.rates = {{"r", 5.0}};
  auto const model = pepa::parse("s = 2 * r; r = 1; P = (x, s).P; P", "text", options);
  EXPECT_DOUBLE_EQ(pepa::solve(pepa::derive(model)).throughput("x"), 10.0);
}

TEST(Parse, TakesTheDesignatedConstantAsSystem) {
  pepa::parse_options options;
  options.system = "Q";
  constexpr char const* text = "P = (a, 1).P; Q = (b, 2).Q; P";
  EXPECT_EQ(pepa::solve(pepa::derive(pepa::parse(text, "text", options))).throughput("b"), 2);
  EXPECT_EQ(pepa::solve(pepa::derive(pepa::parse(text))).throughput("a"), 1);
}

TEST(Parse, TakesTheConstantSystemWhereTheTextEndsWithADefinition) {
  auto const model = pepa::parse("System = P || Q; P = (a, 1).P; Q = (b, 2).Q;");
  EXPECT_EQ(pepa::solve(pepa::derive(model)).throughput("b"), 2);
}

TEST(Parse, WarnsOfWhatIsUnusedAndOfUselessCooperation) {
  auto const model = pepa::parse("r = 1;\ns = 2;\nP = (a, r).P;\nQ = (b, 1).Q;\nX = (c, 1).X;\nP <b, d> Q\n");
  std::vector<std::string> texts;
  for (auto const& warning : model.warnings()) texts.push_back(to_string(warning.where) + ": " + warning.text);
  EXPECT_THAT(texts,
              testing::ElementsAre(
                  "line 2, column 1: the rate 's' is not used by the system equation",
                  "line 5, column 1: the process 'X' is not used by the system equation",
                  "line 6, column 3: the cooperation over 'b' has no use: a side never performs it, so it can never "
                  "happen here; leave it out or add it",
                  "line 6, column 3: the cooperation over 'd' has no use: no side performs it"));
}

struct bad {
  char const* name;
  char const* text;
  char const* where;
  char const* reason;  // a part of it
};

void PrintTo(bad const& b, std::ostream* out) {
  *out << b.name;
}

class Refuses : public testing::TestWithParam<bad> {};

TEST_P(Refuses, WithLineColumnAndReason) {
  try {
    pepa::solve(pepa::derive(pepa::parse(GetParam().text, "file.pepa")));
    FAIL() << "accepted: " << GetParam().text;
  } catch (skel::input_error const& refused) {
    EXPECT_EQ(refused.source(), "file.pepa");
    EXPECT_EQ(refused.where(), GetParam().where);
    EXPECT_THAT(refused.reason(), HasSubstr(GetParam().reason));
  }
}

bad const cases[] = {
    // what the text looks like
    {"Nothing", "", "line 1, column 1", "ends without a system equation"},
    {"NoSystem", "P = (a, 1).P;", "line 1, column 1", "ends without a system equation"},
    {"StrangeByte", "P = (a, 1).P;\nP @ P", "line 2, column 3", "found '@'"},
    {"NotAscii", "P = (a, \xE2\x8A\xA4).P; P", "line 1, column 9", "found '\\xe2'"},
    {"SingleBar", "P = (a, 1).P; P | P", "line 1, column 17", "'||'"},
    {"OpenComment", "P = (a, 1).P;\n  /* P", "line 2, column 3", "not closed"},
    {"NumberRunsIntoName", "P = (a, 1.5x).P; P", "line 1, column 12", "in a number"},
    {"NumberTooLarge", "P = (a, 1e400).P; P", "line 1, column 9", "does not fit a double"},
    {"CutInActivity", "P = (a, 1", "line 1, column 10", "is the file complete?"},
    {"CutAfterActivity", "P = (a, 1).", "line 1, column 12", "is the file complete?"},
    {"CutBeforeSemicolon", "P = (a, 1).P", "line 1, column 13", "is the file complete?"},
    {"MissingSemicolon", "P = (a, 1).P\nQ = P; Q", "line 2, column 1", "is a ';' missing before this definition?"},
    {"MissingRate", "P = (a).P; P", "line 1, column 6", "has no rate"},
    {"MissingDot", "P = (a, 1)P; P", "line 1, column 11", "expected '.'"},
    {"ThirdInActivity", "P = (a, 1, 2).P; P", "line 1, column 10", "an activity is (action, rate)"},
    {"MissingBracket", "P = ((a, 1).P; P", "line 1, column 14", "expected an operator or ')'"},
    {"OpenSet", "P = (a, 1).P; P <a P", "line 1, column 20", "expected ',' or '>'"},
    {"TauInSet", "P = (tau, 1).P; P <tau> P", "line 1, column 20", "tau is internal"},
    {"HiddenTau", "P = (tau, 1).P; P/{tau}", "line 1, column 20", "tau is internal"},
    {"TwoSystems", "P = (a, 1).P; P; P", "line 1, column 18", "there is only one"},
    {"DefinitionAfterSystem", "P = (a, 1).P;\nP\n;Q = P;", "line 3, column 2", "after the system equation (line 2)"},
    {"PassiveDefined", "T = 3; P = (a, T).P; P", "line 1, column 1", "passive rate and cannot be defined"},
    {"PassiveAsProcess", "P = (a, 1).T; P", "line 1, column 12", "expected a process"},
    {"HashAlone", "# = (a, 1).P;", "line 1, column 3", "name of a process after '#'"},
    // names
    {"UndefinedRate", "P = (a, r).P; P", "line 1, column 9", "rate 'r' is not defined; define it"},
    {"NearRate", "rate = 1; P = (a, ratte).P; P", "line 1, column 19", "did you mean 'rate'?"},
    {"RateInComment", "% r = 2.0;\nP = (a, r).P; P", "line 2, column 9", "line 1, column 1 defines it in a comment"},
    {"UndefinedProcess", "Server = (a, 1).Sever; Server", "line 1, column 17", "did you mean 'Server'?"},
    {"ProcessAsRate", "P = (a, P).P; P", "line 1, column 9", "'P' is a process"},
    {"RateAsProcess", "r = 1; P = (a, r).r; P", "line 1, column 19", "'r' is a rate"},
    {"DefinedTwice", "P = (a, 1).P;\nP = (b, 1).P; P", "line 2, column 1", "first at line 1, column 1"},
    // rates
    {"ZeroRate", "r = 0; P = (a, r).P; P", "line 1, column 1", "'r' is 0"},
    {"NegativeRate", "P = (a, 1 - 3).P; P", "line 1, column 11", "the rate of 'a' is -2"},
    {"InfiniteRate", "P = (a, 1e308 * 10).P; P", "line 1, column 15", "is inf"},
    {"NotANumber", "r = 1; P = (a, (r - r) / (r - r)).P; P", "line 1, column 24", "must be positive and finite"},
    {"ZeroWeight", "P = (a, 0 * T).P; P", "line 1, column 11", "a weight must be positive"},
    {"RateCycle", "a = 2 * b;\nb = c + 1;\nc = a; P = (x, a).P; P", "line 3, column 5", "'a' -> 'b' -> 'c' -> 'a'"},
    {"PassiveSum", "P = (a, T + 1).P; P", "line 1, column 11", "infty cannot be added"},
    {"PassiveSquared", "P = (a, T * T).P; P", "line 1, column 11", "infty cannot be multiplied by infty"},
    {"PassiveDivisor", "P = (a, 2 / T).P; P", "line 1, column 11", "infty cannot be a divisor"},
    {"PassiveTau", "P = (tau, T).P; P", "line 1, column 11", "cannot be passive"},
    {"NoCopies", "P = (a, 1).P; P[0]", "line 1, column 17", "number of copies is 0"},
    {"HalfACopy", "P = (a, 1).P; P[2.5]", "line 1, column 17", "number of copies is 2.5"},
    {"TooManyCopies", "P = (a, 1).P; P[2e6]", "line 1, column 17", "number of copies is 2000000"},
    {"TooManyCopiesOfCopies", "P = (a, 1).P; P[2000][2000]", "line 1, column 22", "more than 1000000 components"},
    // recursion and levels
    {"RecursionWithoutActivity", "P = (a, 1).P + P; P", "line 1, column 16", "recursion without an activity"},
    {"RecursionInACircle", "P = Q;\nQ = R + (a, 1).P;\nR = P; P", "line 3, column 5", "'P' -> 'Q' -> 'R' -> 'P'"},
    {"RecursiveComposition", "P = (a, 1).P; S = P || S; S", "line 1, column 24", "'S' -> 'S'"},
    {"CompositionAfterActivity", "P = (a, 1).(P || P); P", "line 1, column 15", "cannot stand after an activity"},
    {"CompositionInChoice", "P = (a, 1).P; C = P || P; D = C + P; D", "line 1, column 31", "cannot stand in a choice"},
    {"ArrayAfterActivity", "P = (a, 1).P[2]; P", "line 1, column 13", "cannot stand after an activity"},
    // what only the behaviour shows
    {"MixedChoice", "P = (a, 1).P + (a, T).P; P", "line 1, column 5", "active in one branch"},
    {"MixedSideBySide", "P = (a, 1).P; Q = (a, T).Q; P || Q", "line 1, column 19", "active at line 1, column 5"},
    {"PassiveAtTheTop", "P = (b, 1).Q;\nQ = (a, T).P; P", "line 2, column 5", "rate is unbounded"},
    {"PassiveWhereHidden", "P = (a, T).P; P/{a}", "line 1, column 5", "passive and hidden"},
    {"Deadlock", "P = (a, 1).P; Q = (b, 1).Q;\nP <a, b> Q", "line 2, column 1", "nothing can happen in (P, Q)"},
    {"DeadlockLater", "P = (a, 1).P1; P1 = (b, 1).P; Q = (a, 1).Q1; Q1 = (c, 1).(b, 1).Q;\nP <a, b, c> Q",
     "line 2, column 1", "deadlock: nothing can happen in (P1, Q1) (state 2)"},
    {"SeveralClosedClasses", "P = (a, 1).Q + (a, 1).R; Q = (b, 1).Q; R = (c, 1).R;\nP", "line 2, column 1",
     "that of (Q) or that of (R)"},
};

INSTANTIATE_TEST_SUITE_P(Parse, Refuses, testing::ValuesIn(cases), [](auto const& one) { return one.param.name; });

TEST(Parse, RefusesOptionsThatNameNothing) {
  pepa::parse_options system, rate;
  system.system = "Q";
  rate.rates = {{"s", 1.0}};
  EXPECT_THROW(pepa::parse("P = (a, 1).P; P", "x", system), skel::input_error);
  EXPECT_THROW(pepa::parse("r = 1; P = (a, r).P; P", "x", rate), skel::input_error);
}

TEST(Parse, AcceptsOrRefusesATextThatIsCutAnywhere) {
  std::string_view const text = every_construct;
  std::size_t refused = 0;
  for (std::size_t length = 0; length < text.size(); ++length) {
    try {
      pepa::solve(pepa::derive(pepa::parse(text.substr(0, length), "cut")));
    } catch (skel::input_error const& error) {
      EXPECT_THAT(error.where(), testing::StartsWith("line "));
      ++refused;
    }
  }
  EXPECT_GT(refused, text.size() / 2);
}

TEST(Parse, RefusesNestingThatHasNoEnd) {
  for (std::string const inner : {"(", "(a, (", "P[", "(a,-"}) {
    std::string text = "P = ";
    for (int i = 0; i < 200'000; ++i) text += inner;
    EXPECT_THROW(pepa::parse(text), skel::input_error);
  }
  std::string open(100'000, '(');
  EXPECT_THROW(pepa::parse("P = (a, " + open + "1" + std::string(100'000, ')') + ").P; P"), skel::input_error);
}

TEST(Parse, ReadsLongChainsWithoutDeepRecursion) {
  std::string sum = "1", chain, choice = "(a, 1).P", names, parallel = "P";
  for (int i = 0; i < 20'000; ++i) {
    sum += " + 1";
    chain += "(a, 1).";
    choice += " + (a, 1).P";
    parallel += " || P";
    names.append("r").append(std::to_string(i)).append(" = r").append(std::to_string(i + 1)).append(";\n");
  }
  EXPECT_DOUBLE_EQ(pepa::solve(pepa::derive(pepa::parse("P = (a, " + sum + ").P; P"))).throughput("a"), 20'001);
  EXPECT_EQ(pepa::derive(pepa::parse("P = " + chain + "P; P")).states(), 20'000u);
  EXPECT_DOUBLE_EQ(pepa::solve(pepa::derive(pepa::parse("P = " + choice + "; P"))).throughput("a"), 20'001);
  EXPECT_EQ(pepa::derive(pepa::parse("P = (a, 1).P; " + parallel)).states(), 1u);
  EXPECT_NO_THROW(pepa::parse(names + "r20000 = 1; P = (a, r0).P; P"));
}

TEST(Parse, ReadsBracketsAndCooperationsThatAreNestedDeep) {
  std::string const open(190, '('), closed(190, ')');
  EXPECT_EQ(pepa::derive(pepa::parse("P = " + open + "(a, " + open.substr(185) + "1" + closed.substr(185) + ").P" +
                                     closed + "; P"))
                .states(),
            1u);
  std::string text = "P = (a, 1).P; P";
  for (int i = 0; i < 990; ++i) text += " <x" + std::to_string(i) + "> P";
  auto const steady = pepa::solve(pepa::derive(pepa::parse(text)));
  EXPECT_DOUBLE_EQ(steady.throughput("a"), 991);
  EXPECT_EQ(steady.utilisations().size(), 990u);  // the innermost two are alike
  EXPECT_FALSE(steady.space().describe(0).empty());
}

TEST(Parse, RefusesCooperationsThatAreNestedTooDeep) {
  std::string text = "P = (a, 1).P; P";
  for (int i = 0; i < 5'000; ++i) text += " <x" + std::to_string(i) + "> P";
  EXPECT_THROW(pepa::parse(text), skel::input_error);
}

TEST(ReadModel, ReadsAFile) {
  auto const file = std::filesystem::temp_directory_path() / "skel_pepa_parse_test.pepa";
  std::ofstream(file) << "P = (a, 3).P; P\n";
  EXPECT_EQ(pepa::solve(pepa::derive(pepa::read(file))).throughput("a"), 3);
  std::filesystem::remove(file);
}

TEST(ReadModel, RefusesWhatIsNoFile) {
  EXPECT_THROW(pepa::read("/nowhere/model.pepa"), skel::input_error);
  EXPECT_THROW(pepa::read(std::filesystem::temp_directory_path()), skel::input_error);
}

}  // namespace
