#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skel::test {

/// Tags are opened and closed in pairs, up to those that have no end. What is between them has no < or >.
inline void expect_balanced(std::string const& page) {
  static std::vector<std::string> const single{"meta", "link", "!DOCTYPE"};
  std::vector<std::string> open;
  for (auto begin = page.find('<'); begin != std::string::npos; begin = page.find('<', begin + 1)) {
    auto const end = page.find('>', begin);
    ASSERT_NE(end, std::string::npos);
    bool const closes = page[begin + 1] == '/';
    auto const at = begin + (closes ? 2 : 1);
    std::string const name = page.substr(at, page.find_first_of(" />", at) - at);
    if (page[end - 1] == '/' || std::ranges::count(single, name) > 0) continue;
    if (!closes) {
      open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty()) << name;
    ASSERT_EQ(open.back(), name);
    open.pop_back();
  }
  EXPECT_THAT(open, testing::IsEmpty());
}

/// How often `what` stands in a text.
inline std::size_t count(std::string const& text, std::string const& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

}  // namespace skel::test
