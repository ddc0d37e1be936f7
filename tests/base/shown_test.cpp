#include <skel/detail/base/shown.hpp>

#include <string>

#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

namespace {

using skel::fault_of_name;
using skel::first_not_utf8;
using skel::in_quotes;
using skel::printable;

TEST(Printable, LeavesTextAsItIs) {
  for (std::string const text : {"", "p1", "a \\x1b \"b\" 'c'", "Z\xC3\xBCrich", "\xE2\x8A\xA4", "\xF0\x9F\x9A\x80"})
    EXPECT_EQ(printable(text, 100), text);
}

TEST(Printable, EscapesWhatATerminalWouldObeyOrHide) {
  EXPECT_EQ(printable("\x1b[31m\a\r\n\t\x7f", 100), "\\x1b[31m\\x07\\x0d\\x0a\\x09\\x7f");
  EXPECT_EQ(printable(std::string("a\0b", 3), 100), "a\\x00b");
  EXPECT_EQ(printable("\xC2\x9B", 100), "\\xc2\\x9b") << "a control sequence introducer of eight bits";
  EXPECT_EQ(printable("\xE2\x80\xAE", 100), "\\xe2\\x80\\xae") << "text from right to left";
  EXPECT_EQ(printable("\xEF\xBB\xBF", 100), "\\xef\\xbb\\xbf") << "a byte order mark";
}

TEST(Printable, EscapesEveryByteThatIsNotUtf8) {
  EXPECT_EQ(printable("\xff", 100), "\\xff");
  EXPECT_EQ(printable("\xC3", 100), "\\xc3") << "cut off";
  EXPECT_EQ(printable("\xC3(", 100), "\\xc3(");
  EXPECT_EQ(printable("\xC0\xAF", 100), "\\xc0\\xaf") << "too long a form";
  EXPECT_EQ(printable("\xE0\x80\xAF", 100), "\\xe0\\x80\\xaf");
  EXPECT_EQ(printable("\xED\xA0\x80", 100), "\\xed\\xa0\\x80") << "half of a pair";
  EXPECT_EQ(printable("\xF4\x90\x80\x80", 100), "\\xf4\\x90\\x80\\x80") << "behind the last character";
}

TEST(Printable, CutsWhatIsTooLongBetweenCharactersAndTheSameTwice) {
  EXPECT_EQ(printable("0123456789", 10), "0123456789");
  EXPECT_EQ(printable("0123456789x", 10), "0123456...");
  EXPECT_EQ(printable("01234\xC3\xBC\xC3\xBCxyz", 10), "01234\xC3\xBC...");
  EXPECT_EQ(printable("012345\xff\xff", 10), "012345...");
  EXPECT_EQ(printable("\xff", 3), "...");
  for (std::size_t size = 0; size < 40; ++size)
    for (std::string const part : {"a", "\xC3\xBC", "\x1b", "\xE2\x8A\xA4"}) {
      std::string text;
      for (std::size_t k = 0; k < size; ++k) text += part;
      std::string const once = printable(text, 20);
      EXPECT_LE(once.size(), 20U);
      EXPECT_EQ(printable(once, 20), once) << size;
      EXPECT_FALSE(first_not_utf8(once)) << size;
    }
}

TEST(InQuotes, ShowsNoMoreThanIsNeededToFindAWord) {
  EXPECT_EQ(in_quotes("p1"), "'p1'");
  EXPECT_EQ(in_quotes(std::string(40, 'x')), "'" + std::string(40, 'x') + "'");
  EXPECT_EQ(in_quotes(std::string(3'000'000, 'x')), "'" + std::string(40, 'x') + "...'");
}

TEST(FirstNotUtf8, IsWhereTheTextEndsToBeOne) {
  EXPECT_EQ(first_not_utf8("abc \xC3\xBC \xF0\x9F\x9A\x80"), std::nullopt);
  EXPECT_EQ(first_not_utf8("abc\xFF"), 3U);
  EXPECT_EQ(first_not_utf8("\xC3\xBC\xC3"), 2U);
  EXPECT_EQ(first_not_utf8("\xE2\x8A"), 0U);
}

TEST(FaultOfName, IsSaidWhereANameCannotBeShown) {
  EXPECT_EQ(fault_of_name("Z\xC3\xBCrich 7"), std::nullopt);
  EXPECT_EQ(fault_of_name(std::string(skel::longest_name, 'x')), std::nullopt);
  EXPECT_TRUE(fault_of_name(std::string(skel::longest_name + 1, 'x'))->starts_with("has 256 bytes"));
  EXPECT_TRUE(fault_of_name("a\xFF")->starts_with("has a byte that is not UTF-8"));
  EXPECT_TRUE(fault_of_name("a\x1b")->starts_with("has a control character"));
  EXPECT_TRUE(fault_of_name("a\xE2\x80\xAE")->starts_with("has a control character"));
}

TEST(Printable, IsUncutWhereNoLengthIsGiven) {
  EXPECT_EQ(printable(std::string(1000, '\n')).size(), 4000U);
  EXPECT_EQ(printable(""), "");
}

TEST(Error, IsPrintableWhateverItQuotes) {
  EXPECT_STREQ(skel::error("stage 'a\x1b[31m\nb\xff' fails").what(), "stage 'a\\x1b[31m\\x0ab\\xff' fails");
}

TEST(InputError, IsPrintableWhateverItQuotes) {
  std::string const bad = "\x1b]0;title\a\xff" + std::string(3'000'000, 'x');
  skel::input_error const refused("file\n", bad, "is " + bad);
  std::string const what = refused.what();
  EXPECT_EQ(printable(what, 10'000), what);
  EXPECT_LT(what.size(), 3'000U);
  EXPECT_TRUE(what.starts_with("file\\x0a: \\x1b]0;title\\x07\\xffxxx")) << what.substr(0, 60);
  EXPECT_TRUE(refused.reason().starts_with("is \\x1b")) << refused.reason().substr(0, 60);
  EXPECT_EQ(refused.source(), "file\n") << "the name of a file stays that name";
}

TEST(HtmlText, TextIsNothingButText) {
  EXPECT_EQ(skel::in_html("plain, \xc3\xa4"), "plain, \xc3\xa4");
  EXPECT_EQ(skel::in_html(R"(<a href="x" t='y'>&amp;)"), "&lt;a href=&quot;x&quot; t=&#39;y&#39;&gt;&amp;amp;");
}

TEST(HtmlText, ControlsAndBrokenTextAreShownByByte) {
  EXPECT_EQ(skel::in_html(std::string("a\0b\n", 4)), "a\\x00b\\x0a");
  EXPECT_EQ(skel::in_html("\xff<"), "\\xff&lt;");
  EXPECT_EQ(skel::in_html("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // turns the direction of what follows
}

TEST(HtmlText, NothingIsCut) {
  std::string const controls(1000, '\n');
  EXPECT_EQ(skel::in_html(controls).size(), 4000U);
}

}  // namespace
