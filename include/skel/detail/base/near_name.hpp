#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skel {

/// Least number of insertions, deletions, substitutions and swaps of neighbours that turn one text into the other.
/// Optimal string alignment: no substring is edited twice. O(|a| |b|) time, O(|b|) memory.
/// Source: Damerau 1964, Communications of the ACM 7(3):171-176.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t const substitution = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

/// The candidate that `name` most probably means, for error messages: the one at the least edit distance, the first of
/// equals. Nothing if more than a third of the letters (at least one) would have to change.
template <class Names>
std::optional<std::string> near_name(std::string_view name, Names const& candidates) {
  std::size_t const reach = std::max<std::size_t>(1, name.size() / 3);
  std::size_t least = reach + 1;
  std::optional<std::string> nearest;
  for (auto const& candidate : candidates) {
    std::string_view const text = candidate;
    std::size_t const gap = text.size() > name.size() ? text.size() - name.size() : name.size() - text.size();
    if (gap >= least) continue;
    if (std::size_t const distance = edit_distance(name, text); distance < least) {
      least = distance;
      nearest = std::string(text);
    }
  }
  return nearest;
}

/// "; did you mean 'NAME'?" with the near name, or nothing: the end of an error message.
template <class Names>
std::string did_you_mean(std::string_view name, Names const& candidates) {
  auto const nearest = near_name(name, candidates);
  return nearest ? "; did you mean '" + *nearest + "'?" : std::string{};
}

}  // namespace skel
