#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace skel::runtime {

/// Most ranks that a message lists.
inline constexpr std::size_t most_listed = 8;

/// "rank 3", "ranks 0, 2 and 4 more". Precondition: there is one.
template <class Number>
std::string listed(std::vector<Number> const& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < std::min(ranks.size(), most_listed); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  if (ranks.size() > most_listed) text += " and " + std::to_string(ranks.size() - most_listed) + " more";
  return text;
}

}  // namespace skel::runtime
