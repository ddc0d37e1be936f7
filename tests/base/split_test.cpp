#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/split.hpp>

namespace {

using skel::fields_of;
using skel::separator_of;
using testing::ElementsAre;

using parts = std::vector<std::string_view>;

TEST(Split, GivesWhatStandsBetweenSeparators) {
  EXPECT_EQ(skel::split(" a|b  |\tc d\r", '|'), (parts{"a", "b", "c d"}));
  EXPECT_EQ(skel::split("", '|'), parts{""});
  EXPECT_EQ(skel::split("| ", '|'), (parts{"", ""}));
}

TEST(Split, TrimsOnlyTheEnds) {
  EXPECT_EQ(skel::trim(" \t a b \r"), "a b");
  EXPECT_EQ(skel::trim(" \t"), "");
}

TEST(Csv, ATableIsSeparatedByTabsOrSemicolonsOrElseCommas) {
  EXPECT_EQ(separator_of("a,b"), ',');
  EXPECT_EQ(separator_of("a"), ',');
  EXPECT_EQ(separator_of("1,5;2,5"), ';');
  EXPECT_EQ(separator_of("a;b\tc"), '\t');
}

TEST(Csv, FieldsHaveNeitherBlanksNorQuotesAroundThem) {
  EXPECT_THAT(fields_of("a, b ,,", ',').value(), ElementsAre("a", "b", "", ""));
  EXPECT_THAT(fields_of("", ',').value(), ElementsAre(""));
  EXPECT_THAT(fields_of("\"a, b\", \"c\" ,\"\"", ',').value(), ElementsAre("a, b", "c", ""));
  EXPECT_THAT(fields_of("\"a \"\"b\"\", c\",d", ',').value(), ElementsAre("a \"\"b\"\", c", "d"));
  EXPECT_THAT(fields_of("\t1\t", '\t').value(), ElementsAre("", "1", ""));
  EXPECT_THAT(fields_of("a \"quoted\" word,b", ',').value(), ElementsAre("a \"quoted\" word", "b"));
}

TEST(Csv, AQuoteIsClosedAtTheEndOfItsField) {
  EXPECT_FALSE(fields_of("\"a,b", ','));
  EXPECT_FALSE(fields_of("1,\"a\"\"", ','));
  EXPECT_FALSE(fields_of("\"a\" b,c", ','));
  EXPECT_FALSE(fields_of("\"a\" \"b\",c", ','));
}

TEST(Split, GivesLinesAndWords) {
  EXPECT_THAT(skel::lines_in("a\n\n b\n"), ElementsAre("a", "", " b"));
  EXPECT_THAT(skel::lines_in("a\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(skel::lines_in(""), ElementsAre());
  EXPECT_THAT(skel::words_in(" a\tb  c\f"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(skel::words_in(" "), ElementsAre());
}

TEST(Joined, HasATextBetweenNamesAndNowhereElse) {
  EXPECT_EQ(skel::joined(std::vector<std::string>{}), "");
  EXPECT_EQ(skel::joined(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(skel::joined(std::vector<std::string>{"a", "", "c"}), "a, , c");
  EXPECT_EQ(skel::joined(std::vector<std::string>{"", "b"}), ", b");
  EXPECT_EQ(skel::joined(std::vector<std::string_view>{"a", "b"}, " | "), "a | b");
}

}  // namespace
