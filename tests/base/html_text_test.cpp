#include <string>

#include <gtest/gtest.h>

#include <skel/detail/base/html_text.hpp>

namespace {

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
