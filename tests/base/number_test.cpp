#include <skel/detail/base/number.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "support/comma_locale.hpp"

namespace {

using skel::exact;
using skel::fixed;
using skel::number_in;
using skel::shown;
using skel::take_number;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// What printf writes; a comma is a point.
std::string printed(char const* format, int digits, double number) {
  char text[512];
  std::snprintf(text, sizeof text, format, digits, number);
  std::string out = text;
  if (auto const comma = out.find(','); comma != std::string::npos) out[comma] = '.';
  return out;
}

/// Doubles of all sizes.
template <class Check>
void for_many(Check check) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<> exponent(-308, 308), small(-3, 3), sign(-1, 1);
  for (double const edge : {0.0, -0.0, 1.0, 1e15, 1e16, 0.5, 9.9999995, std::numeric_limits<double>::max(),
                            std::numeric_limits<double>::min(), std::numeric_limits<double>::denorm_min()})
    check(edge);
  for (int i = 0; i < 1000; ++i) check(sign(random) * std::pow(10, exponent(random)));
  for (int i = 0; i < 1000; ++i) check(sign(random) * std::pow(10, small(random)));
}

TEST(Number, TestsRunWithDecimalCommas) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1f", 0.5);
  EXPECT_STREQ(text, "0,5");
  std::ostringstream stream;
  stream << 1234 << ' ' << 0.5;
  EXPECT_EQ(stream.str(), "1 234 0,5");
}

TEST(Number, IsShownAsPrintfDoesWithAPoint) {
  EXPECT_EQ(shown(0.02), "0.02");
  EXPECT_EQ(shown(-1e-9), "-1e-09");
  EXPECT_EQ(shown(1.0 / 3), "0.333333");
  EXPECT_EQ(shown(1234567.0), "1.23457e+06");
  EXPECT_EQ(shown(1234567.0, 3), "1.23e+06");
  EXPECT_EQ(shown(infinite), "inf");
  EXPECT_EQ(shown(-infinite), "-inf");
  EXPECT_EQ(shown(std::nan("")), "nan");
  for_many([](double number) {
    for (int const digits : {0, 1, 3, 6, 17, 40}) EXPECT_EQ(shown(number, digits), printed("%.*g", digits, number));
  });
}

TEST(Number, HasDecimalsAsPrintfWritesThem) {
  EXPECT_EQ(fixed(1234.5, 2), "1234.50");
  EXPECT_EQ(fixed(0.5, 0), "0");
  EXPECT_EQ(fixed(infinite, 3), "inf");
  for_many([](double number) {
    for (int const decimals : {0, 1, 3, 17}) EXPECT_EQ(fixed(number, decimals), printed("%.*f", decimals, number));
  });
}

TEST(Number, ThatIsExactIsReadAsTheSame) {
  EXPECT_EQ(exact(0.1), "0.1");
  EXPECT_EQ(exact(1234567.0), "1234567");
  EXPECT_EQ(exact(infinite), "inf");
  for_many([](double number) { EXPECT_EQ(number_in<double>(exact(number)), number); });
}

TEST(Number, IsReadFromTextThatIsNothingElse) {
  EXPECT_EQ(number_in<double>("0.25"), 0.25);
  EXPECT_EQ(number_in<double>("-1e3"), -1000);
  EXPECT_EQ(number_in<double>("+.5"), 0.5);
  EXPECT_EQ(number_in<double>("inf"), infinite);
  EXPECT_EQ(number_in<int>("+7"), 7);
  EXPECT_EQ(number_in<std::size_t>("18446744073709551615"), std::numeric_limits<std::size_t>::max());
  for (char const* const none :
       {"", "+", "-", "+-1", "-+1", "++1", " 1", "1 ", "1,5", "1.5.", "1e", "x", "1x", "0x10"}) {
    EXPECT_EQ(number_in<double>(none), std::nullopt) << none;
    EXPECT_EQ(number_in<int>(none), std::nullopt) << none;
  }
  EXPECT_EQ(number_in<int>("1.5"), std::nullopt);
  EXPECT_EQ(number_in<unsigned>("-1"), std::nullopt);
}

TEST(Number, ThatIsTooLargeIsNoneAndOneThatIsTooSmallIsTheNearest) {
  EXPECT_EQ(number_in<int>("2147483648"), std::nullopt);
  EXPECT_EQ(number_in<double>("1e400"), std::nullopt);
  EXPECT_EQ(number_in<double>("-1" + std::string(400, '0')), std::nullopt);
  EXPECT_EQ(number_in<double>("1e-400"), 0);
  EXPECT_EQ(number_in<double>("0." + std::string(400, '0') + "1"), 0);
  EXPECT_EQ(number_in<double>("4e-324"), std::numeric_limits<double>::denorm_min());
}

TEST(Number, IsTakenFromTheBeginningOfText) {
  std::string_view text = "12-34.5e1x";
  EXPECT_EQ(take_number<int>(text), 12);
  EXPECT_EQ(text, "-34.5e1x");
  EXPECT_EQ(take_number<double>(text), -345);
  EXPECT_EQ(text, "x");
  EXPECT_EQ(take_number<double>(text), std::nullopt);
  EXPECT_EQ(take_number<int>(text), std::nullopt);
  EXPECT_EQ(text, "x");
  text = "99999999999 1";
  EXPECT_EQ(take_number<int>(text), std::nullopt);
  EXPECT_EQ(text, "99999999999 1");
}

TEST(Number, IsPrintedAsPrintfDoesWithAPoint) {
  EXPECT_EQ(skel::print("%s: %5.2f of %d, %%", "a", 1.5, 12345), "a:  1.50 of 12345, %");
  std::string const longer(1000, 'x');
  EXPECT_EQ(skel::print("%s %g", longer.c_str(), 0.5), longer + " 0.5");
  for (std::size_t size = 120; size < 140; ++size)
    EXPECT_EQ(skel::print("%s", longer.substr(0, size).c_str()), longer.substr(0, size));
}

TEST(Number, OfALibraryOfCHasAPointWhereTheClassicLocaleIsAskedFor) {
  char text[16];
  {
    skel::classic_locale const here;
    std::snprintf(text, sizeof text, "%.1f", 0.5);
    EXPECT_STREQ(text, "0.5");
  }
  std::snprintf(text, sizeof text, "%.1f", 0.5);
  EXPECT_STREQ(text, "0,5") << "the locale of the program stays";
}

using skel::scaled;

TEST(Scaled, HasThreeDigitsAndAPrefix) {
  EXPECT_EQ(scaled(0.012345, "s"), "12.3 ms");
  EXPECT_EQ(scaled(5, "B"), "5 B");
  EXPECT_EQ(scaled(2.5e6, "B/s"), "2.5 MB/s");
  EXPECT_EQ(scaled(1e-12, "s"), "0.001 ns");
  EXPECT_EQ(scaled(1e15, "B"), "1e+06 GB");
}

TEST(Scaled, OfNothingSaysSo) {
  for (double const none : {0.0, -1.0, std::nan("")}) EXPECT_EQ(scaled(none, "s"), "-");
}

using skel::size_in;

TEST(SizeIn, TakesUnitsAsTheCoreUtilitiesDo) {
  struct size {
    std::string text;
    double bytes;
  };
  for (size const& one : {size{"0", 0},
                          {"8192", 8192},
                          {"1e6", 1e6},
                          {"+7", 7},
                          {"-1", -1},
                          {"1.5", 1.5},
                          {"12B", 12},
                          {"8k", 8192},
                          {"8K", 8192},
                          {"64KiB", 65536},
                          {"64 kib", 65536},
                          {"1.5k", 1536},
                          {"8kB", 8000},
                          {"1M", 1048576},
                          {"1MB", 1e6},
                          {"2GiB", 2147483648.0},
                          {"1g", 1073741824},
                          {"1T", 1099511627776.0}})
    EXPECT_EQ(size_in(one.text), one.bytes) << one.text;
}

TEST(SizeIn, TakesNothingElse) {
  for (std::string const text : {"", "k", "many", "8x", "8kk", "8 Mi", "8KiB ", " 8", "8,5", "8k8", "0x10", "+-1"})
    EXPECT_EQ(size_in(text), std::nullopt) << text;
}

TEST(Counted, HasAPluralExceptForOne) {
  EXPECT_EQ(skel::counted(0, "rank"), "0 ranks");
  EXPECT_EQ(skel::counted(1, "rank"), "1 rank");
  EXPECT_EQ(skel::counted(12, "other rank"), "12 other ranks");
}

}  // namespace
