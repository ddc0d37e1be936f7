#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <skel/pattern/pattern.hpp>
#include <skel/runtime/team.hpp>

/// How irregular reductions run: plans made of a pattern, and the algorithms that use them.
namespace skel::runtime::reduction {

/// A set of elements, one bit each.
struct element_set {
  std::vector<std::uint64_t> words;

  static std::size_t words_for(std::size_t elements) { return (elements + 63) / 64; }
  bool has(subscript e) const { return words[e / 64] >> (e % 64) & 1; }
  void insert(subscript e) { words[e / 64] |= std::uint64_t{1} << (e % 64); }
  std::size_t size() const;
};

/// Which elements each part of the iterations touches, the iterations dealt in P contiguous blocks.
struct touched_map {
  std::size_t elements = 0;
  std::vector<element_set> parts;
};

/// O(subscripts / P + N / 64) for each part; N P / 8 bytes.
touched_map find_touched(pattern const& of, team& workers);

/// Calls visit(begin, end) for each maximal run of elements of a set within [first, last), rising.
template <class Visit>
void for_each_run(element_set const& set, std::size_t first, std::size_t last, Visit visit) {
  std::size_t at = first;
  auto const next = [&](std::size_t from, bool wanted) {
    while (from < last) {
      std::uint64_t const word = (wanted ? set.words[from / 64] : ~set.words[from / 64]) >> (from % 64);
      if (word != 0) return std::min(last, from + static_cast<std::size_t>(std::countr_zero(word)));
      from = (from / 64 + 1) * 64;
    }
    return last;
  };
  for (;;) {
    std::size_t const begin = next(at, true);
    if (begin == last) return;
    std::size_t const end = next(begin, false);
    visit(begin, end);
    at = end;
  }
}

}  // namespace skel::runtime::reduction
