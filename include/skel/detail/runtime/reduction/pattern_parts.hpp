#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/plan/block.hpp>
#include <skel/detail/runtime/threads/team.hpp>

/// The execution of irregular reductions: plans made of a pattern, and the algorithms that use them.
namespace skel::runtime::reduction {

/// A set of elements, one bit each.
struct element_set {
  std::vector<std::uint64_t> words;

  static std::size_t words_for(std::size_t elements) { return (elements + 63) / 64; }
  bool has(subscript e) const { return words[e / 64] >> (e % 64) & 1; }
  void insert(subscript e) { words[e / 64] |= std::uint64_t{1} << (e % 64); }
  std::size_t size() const;
};

/// The elements that each part of the iterations touches, the iterations dealt in P contiguous blocks.
struct touched_map {
  std::size_t elements = 0;
  std::vector<element_set> parts;
};

/// O(subscripts / P + N / 64) for each part; N P / 8 bytes.
touched_map find_touched(pattern const& of, team& workers);

/// Chooses the part that writes an element of several parts into the array itself; the others have private ones. The
/// lowest and the highest part that touch it write by turns, along the elements, and so neighbours share the work on
/// their common elements. A turn is an eighth of the elements of a part.
class writers {
 public:
  writers(std::size_t elements, std::size_t parts)
      : turn_(std::max<std::size_t>(1, element_set::words_for(elements) / (8 * parts))) {}

  bool lowest_writes(std::size_t word) const { return word / turn_ % 2 == 0; }

  /// Calls visit(part, touched, private) for each part's elements of a word, in the order in which they may write
  /// them.
  template <class Visit>
  void for_each_part(touched_map const& map, std::size_t word, Visit visit) const {
    std::size_t const parts = map.parts.size();
    bool const lowest = lowest_writes(word);
    std::uint64_t taken = 0;
    for (std::size_t k = 0; k < parts; ++k) {
      std::size_t const part = lowest ? k : parts - 1 - k;
      std::uint64_t const touched = map.parts[part].words[word];
      visit(part, touched, touched & taken);
      taken |= touched;
    }
  }

 private:
  std::size_t turn_;
};

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

/// Finds the owner of an element, of P contiguous blocks of N elements: plan::owner_of(), which divides only if the
/// element is not in the block of the one before.
class owner_finder {
 public:
  owner_finder(std::size_t elements, std::size_t parts) : elements_(elements), parts_(parts) {}

  std::size_t operator()(std::size_t element) {
    if (element - block_.begin < block_.size()) return owner_;
    owner_ = plan::owner_of(elements_, parts_, element);
    block_ = plan::block_of(elements_, parts_, owner_);
    return owner_;
  }

 private:
  std::size_t elements_, parts_, owner_ = 0;
  plan::block block_;
};

/// Iterations that a rank runs of a pattern that all ranks have.
enum class share_of_rank : std::uint8_t {
  block,     ///< iterations that follow each other, with as many subscripts as those of any other rank
  touching,  ///< all that touch its block of the elements: those at its border run on other ranks as well
};

/// A rank's share of a pattern that is the same on all ranks. Kept as long as the pattern is the same.
/// Memory: of the iterations that the rank runs.
class pattern_share {
 public:
  /// O(subscripts of the pattern) for another version of it, else O(1).
  void take(pattern const& of, share_of_rank which, std::size_t ranks, std::size_t rank);

  pattern const& part() const { return part_; }
  /// The number in the whole pattern of an iteration of the part.
  std::size_t iteration(std::size_t of_part) const { return numbers_.empty() ? first_ + of_part : numbers_[of_part]; }
  /// pattern::content() of the whole pattern.
  std::uint64_t content() const { return content_; }

 private:
  std::uint64_t version_ = 0;
  share_of_rank which_{};
  std::size_t ranks_ = 0, rank_ = 0;
  pattern part_;
  std::size_t first_ = 0;
  std::vector<std::size_t> numbers_;
  std::uint64_t content_ = 0;
};

}  // namespace skel::runtime::reduction
