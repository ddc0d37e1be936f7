#include "names.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/shown.hpp>

namespace skel::testbed {

names::names(std::string testbed) : testbed_(std::move(testbed)) {
  constexpr std::size_t longest = 16;
  auto const letter = [](char c) { return c >= 'a' && c <= 'z'; };
  auto const digit = [](char c) { return c >= '0' && c <= '9'; };
  if (testbed_.empty() || testbed_.size() > longest || !letter(testbed_.front()) ||
      !std::ranges::all_of(testbed_, [&](char c) { return letter(c) || digit(c); }))
    throw input_error("--name", "",
                      in_quotes(testbed_) + " is no name of a testbed; at most " + std::to_string(longest) +
                          " letters a to z and digits are wanted, a letter first");
}

}  // namespace skel::testbed
