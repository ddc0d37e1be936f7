#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <skel/detail/pattern/pattern.hpp>

namespace skel::runtime::reduction {

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
