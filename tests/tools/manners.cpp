#include "manners.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include <gmock/gmock.h>

#include <skel/detail/base/shown.hpp>

#include "command.hpp"

namespace skel::testing_tools {

void expect_manners(command const& arguments, std::string const& which) {
  // A sanitizer's own memory counts as the command's.
  constexpr std::size_t most_bytes = SKEL_SANITIZED ? 20'000'000'000 : 1'000'000'000;
  command limited{"timeout", "-s", "KILL", SKEL_SANITIZED ? "300" : "20", SKEL_COMMAND};
  limited.insert(limited.end(), arguments.begin(), arguments.end());
  outcome const result = run(limited);
  EXPECT_THAT(result.status, testing::AnyOf(0, 1, 2)) << which << "\n" << result.err.substr(0, 2000);
  EXPECT_LT(result.most_bytes, most_bytes) << which;
  if (result.status == 2) {
    EXPECT_NE(result.err, "") << which;
  }
  for (std::string const* text : {&result.out, &result.err})
    for (std::size_t begin = 0; begin < text->size();) {
      std::size_t const end = std::min(text->find('\n', begin), text->size());
      std::string const line = text->substr(begin, end - begin);
      EXPECT_EQ(printable(line, line.size() + 3), line) << which;
      begin = end + 1;
    }
}

std::uint64_t number_of(char const* variable, std::uint64_t otherwise) {
  char const* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace skel::testing_tools
