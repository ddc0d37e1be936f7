#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/number.hpp>

#include "command.hpp"

namespace {

using skel::testing_tools::FolderTest;
using skel::testing_tools::skel;
using testing::HasSubstr;
using testing::StartsWith;

class ForecastTest : public FolderTest {
 protected:
  /// Two series of 100 values: one goes from 1 to 2 in its middle, one is 5 with a spike.
  std::string two() const {
    std::string text = "load, rate\n";
    for (int i = 0; i < 100; ++i) {
      double const noise = 0.01 * std::sin(17.0 * i * i);
      text += skel::exact((i < 50 ? 1 : 2) + noise) + "," + skel::exact(i == 90 ? 500 : 5 + noise) + "\n";
    }
    return file("two.csv", text);
  }
};

TEST_F(ForecastTest, TellsStepsFromOutliers) {
  auto const answer = skel({"forecast", two(), "--json"}).json();
  ASSERT_EQ(answer["series"].size(), 2U);
  auto const &load = answer["series"][0], &rate = answer["series"][1];
  EXPECT_EQ(load["name"], "load");
  EXPECT_EQ(load["values"], 100);
  EXPECT_NEAR(load["next"].get<double>(), 2, 0.05);
  EXPECT_EQ(load["steps"], 1);
  EXPECT_EQ(load["last_step"], 50);
  EXPECT_EQ(rate["name"], "rate");
  EXPECT_NEAR(rate["next"].get<double>(), 5, 0.05);
  EXPECT_EQ(rate["outliers"], 1);
  EXPECT_EQ(rate["steps"], 0);
}

TEST_F(ForecastTest, SaysHowGoodItAndEveryMethodWouldHaveBeen) {
  auto const answer = skel({"forecast", two(), "--column", "load", "--methods", "--json"}).json();
  ASSERT_EQ(answer["series"].size(), 1U);
  auto const& load = answer["series"][0];
  EXPECT_EQ(load["methods"].size(), 56U);
  EXPECT_EQ(load["best"], load["methods"][0]);
  EXPECT_GE(load["mean_absolute_error"].get<double>(), load["best"]["mean_absolute_error"].get<double>());
  auto const text = skel({"forecast", two(), "--methods"}).out;
  EXPECT_THAT(text, StartsWith("series "));
  EXPECT_THAT(text, HasSubstr("AR(16) (cleaned)"));
}

TEST_F(ForecastTest, NeedsNoNames) {
  auto const answer = skel({"forecast", file("plain.txt", "3\n\n3\n3"), "--json"}).json();
  EXPECT_EQ(answer["series"][0]["name"], "column 1");
  EXPECT_EQ(answer["series"][0]["next"], 3);
  auto const one = skel({"forecast", file("one.txt", "3"), "--json"}).json();
  EXPECT_TRUE(one["series"][0]["error"].is_null());
  EXPECT_EQ(skel({"forecast", file("one.txt", "3")}).status, 0);
}

TEST_F(ForecastTest, ReadsNothingOfColumnsThatAreNotWanted) {
  auto const next = [&](std::string const& text, std::string const& column) {
    auto const answer = skel({"forecast", file("t.csv", text), "--column", column, "--json"}).json();
    return answer["series"].size() == 1 ? answer["series"][0]["next"].get<double>() : std::nan("");
  };
  EXPECT_EQ(next("timestamp,value\n2026-01-05 10:00:00,3\n2026-01-05 10:05:00,3\n", "value"), 3);
  EXPECT_EQ(next("host,cpu,free\nn1,3,\nn1,3,\n", "cpu"), 3);
  EXPECT_EQ(next("time,load,note\n1,3,nan\n2,3,1e999\n", "load"), 3);
  EXPECT_EQ(next("10:00,3\n10:05,3\n", "column 2"), 3);
  EXPECT_EQ(next("name,load\n\"Smith, John\",3\n\"Doe\",3\n", "load"), 3);
  EXPECT_EQ(next("# measured\nname;load\na, b;3\nc;3\n", "load"), 3);
  EXPECT_EQ(next("name\tload of it\na b\t3\n\t3\n", "load of it"), 3);
}

TEST_F(ForecastTest, ReadsTextsOfEverySystem) {
  for (std::string const& text : {std::string("load\r\n3\r\n3\r\n"), std::string("load\r3\r3\r"),
                                  "\xef\xbb\xbf" + std::string("load\n3\n3\n"), std::string("\"load\"\n\"3\"\n3")}) {
    auto const answer = skel({"forecast", file("t.csv", text), "--json"}).json();
    ASSERT_EQ(answer["series"].size(), 1U) << text;
    EXPECT_EQ(answer["series"][0]["name"], "load") << text;
    EXPECT_EQ(answer["series"][0]["values"], 2) << text;
  }
}

TEST_F(ForecastTest, RefusesWhatItCannotRead) {
  auto const fails = [&](std::string const& text, std::string const& why) {
    auto const result = skel({"forecast", file("bad.csv", text)});
    EXPECT_EQ(result.status, 2) << text;
    EXPECT_THAT(result.err, HasSubstr("bad.csv: " + why));
  };
  fails("", "has no measurements");
  fails("a,b\n", "has no measurements");
  fails("a,b\n1,2\n3\n", "line 3: has 1 field, the first line has 2");
  fails("a,b\n1,x,2\n",
        "line 2: has 3 fields, the first line has 2; put a field that has the separator itself in quotes");
  fails("a\n\"1\n", "line 2: a quote is not closed");
  fails("a;b\n1;2,5\n", "line 2, column 2: is '2,5'; write a decimal point, not a comma");
  fails("1 2\n3 4\n", "line 2, column 1: is '3 4'; separate its numbers by commas");
  fails("\x1f\x8b\x08", "is compressed by gzip");
  fails("a,b\n1,\n", "line 2, column 2: is missing; a measurement is wanted in every line, or name the columns");
  fails("a,b\n1,two\n", "line 2, column 2: is 'two'; a finite number is wanted");
  fails("1\nnan\n", "line 2, column 1: is 'nan'; a finite number is wanted");
  fails("1,2\n1,\n", "line 2, column 2: is missing");
  fails("1e308\n-1e308\n1e308\n1e308\n", "column 1: has values that are too large to compute with");
  auto const column = skel({"forecast", two(), "--column", "laod"});
  EXPECT_EQ(column.status, 2);
  EXPECT_THAT(column.err, HasSubstr("load"));
  EXPECT_EQ(skel({"forecast", (folder_ / "none.csv").string()}).status, 2);
}

}  // namespace
