#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <skel/detail/plan/block.hpp>

namespace skel::runtime {

/// Things dealt out to P parts. Each part takes its block in pieces from the front. A part that has done its own takes
/// pieces over from the back of the block with most left. So all end together although threads begin late, are held up,
/// or run on cores of unequal speed.
class dealt_pieces {
 public:
  /// Best time of a piece [s], for a block that takes so long. Taking n pieces costs n c, and in the end the others
  /// wait for half a piece, T / 2n: least for pieces of sqrt(2 c T).
  static double best_piece(double block_seconds);
  /// Best number of things in a piece, of n in P blocks, if each takes at least so long [s].
  static std::size_t best_grain(std::size_t things, std::size_t parts, double seconds_each);

  /// Deals anew: things 0 to n, block_of(n, parts, p) to each part (blocks of whole units from 2^32 things on), in
  /// pieces of `grain`. Nobody may be taking.
  void deal(std::size_t things, std::size_t parts, std::size_t grain, bool takes_over);

  /// The next piece for a part; nothing when all have been taken. Of one part by one thread at a time. O(1) for pieces
  /// of its own, O(P) for others.
  std::optional<plan::block> next(std::size_t part) {
    if (auto const own = take(part, true)) return own;
    if (!takes_over_) return std::nullopt;
    for (;;) {
      std::size_t fullest = part, most = 0;
      for (std::size_t k = 0; k < parts_; ++k) {
        std::uint64_t const left = blocks_[k].left.load(std::memory_order_relaxed);
        if (std::size_t const count = end_of(left) - begin_of(left); count > most) most = count, fullest = k;
      }
      if (most == 0) return std::nullopt;
      if (auto const other = take(fullest, false)) return other;
    }
  }

 private:
  /// The pieces of a block that nobody has taken, in one word: no part finds it half changed. In a line of its own.
  struct alignas(64) place {
    std::atomic<std::uint64_t> left{0};
  };
  static constexpr double take_seconds = 20e-9;  // taking a piece and beginning a loop (docs/decisions/19)

  static std::uint64_t packed(std::size_t begin, std::size_t end) { return std::uint64_t{begin} << 32 | end; }
  static std::size_t begin_of(std::uint64_t left) { return left >> 32; }
  static std::size_t end_of(std::uint64_t left) { return left & 0xffffffff; }

  std::optional<plan::block> take(std::size_t part, bool from_front) {
    auto& here = blocks_[part].left;
    std::uint64_t left = here.load(std::memory_order_relaxed);
    for (;;) {
      std::size_t begin = begin_of(left), end = end_of(left);
      if (begin == end) return std::nullopt;
      std::size_t const count = std::min(grain_, end - begin), first = from_front ? begin : end - count;
      (from_front ? begin : end) = from_front ? begin + count : first;
      // Relaxed: that a piece is taken once is all that is agreed on here.
      if (here.compare_exchange_weak(left, packed(begin, end), std::memory_order_relaxed))
        return plan::block{first * unit_, std::min(things_, (first + count) * unit_)};
    }
  }

  std::size_t things_ = 0, parts_ = 0;
  std::size_t unit_ = 1;   // things: more than one where there are 2^32 of them
  std::size_t grain_ = 1;  // units of a piece
  bool takes_over_ = false;
  std::vector<place> blocks_;
};

}  // namespace skel::runtime
