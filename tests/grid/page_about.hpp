#pragma once

#include <string>

#include <gmock/gmock.h>

#include <skel/detail/show/page.hpp>

#include "stories.hpp"
#include "support/html.hpp"

namespace skel::test {

/// The page of a run, whose elements all end, and which has no number that is none.
template <class History>
std::string page_about(History const& run) {
  auto const page = page_of(story_of(run));
  expect_balanced(page);
  EXPECT_THAT(page, testing::Not(testing::AnyOf(testing::HasSubstr("=\"nan"), testing::HasSubstr("nan,"),
                                                testing::HasSubstr(" nan"))));
  return page;
}

}  // namespace skel::test
