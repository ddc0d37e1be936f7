#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/pattern/operators.hpp>

/// Contributions have numbers, those of processes, items or elements, and are combined along a tree over these. A block
/// of 2^k numbers from a multiple of 2^k on is its first half combined with its second half. Ranks and threads combine
/// the blocks that they have all of. The result has the same bits wherever that was, and in whatever order.
namespace skel::runtime {

/// The combined contributions of a block: of the numbers from `first` on.
template <class Value, class Number = std::uint32_t>
struct contribution {
  Number first;
  std::uint32_t level;  ///< of these 2^level numbers at most
  Value value;
};

/// Level of the least block from number 0 on with so many numbers: the logarithm of its length.
inline std::uint32_t tree_height(std::size_t numbers) {
  return static_cast<std::uint32_t>(std::bit_width(numbers - 1));
}

/// Index of the second half of a block in a span that is sorted by `first`.
template <class Item, class First>
std::size_t second_half(std::span<Item> of, std::uint64_t begin, std::uint32_t level, First first) {
  std::uint64_t const middle = begin + (std::uint64_t{1} << (level - 1));
  return static_cast<std::size_t>(
      std::ranges::partition_point(of, [&](auto const& one) { return first(one) < middle; }) - of.begin());
}

/// Combines the contributions of a block, sorted, which are moved from. O(contributions).
template <class Value, class Number, class Operator>
std::optional<Value> fold_block(std::span<contribution<Value, Number>> values, std::uint64_t begin, std::uint32_t level,
                                Operator const& combine) {
  if (values.empty()) return std::nullopt;
  if (values.size() == 1) return std::move(values[0].value);
  auto const half = second_half(values, begin, level, [](auto const& one) { return one.first; });
  auto sum = fold_block(values.first(half), begin, level - 1, combine);
  auto second = fold_block(values.subspan(half), begin + (std::uint64_t{1} << (level - 1)), level - 1, combine);
  if (second) fold_into(sum, *std::move(second), combine);
  return sum;
}

/// Combines the contributions of the numbers `here`, of `numbers` in all, as far as possible without others. Gives one
/// for each largest block whose numbers are all here, if any of them has contributed.
/// O(contributions + blocks * log(numbers)).
template <class Value, class Number, class Operator>
void fold_here(std::span<contribution<Value, Number>> values, std::span<Number const> here, std::size_t numbers,
               std::uint64_t begin, std::uint32_t level, Operator const& combine,
               std::vector<contribution<Value, Number>>& to) {
  if (values.empty()) return;
  if (here.size() == std::min<std::uint64_t>(numbers, begin + (std::uint64_t{1} << level)) - begin) {
    to.push_back({static_cast<Number>(begin), level, *fold_block(values, begin, level, combine)});
    return;
  }
  auto const half = second_half(values, begin, level, [](auto const& one) { return one.first; });
  auto const here_half = second_half(here, begin, level, [](Number one) { return one; });
  fold_here(values.first(half), here.first(here_half), numbers, begin, level - 1, combine, to);
  fold_here(values.subspan(half), here.subspan(here_half), numbers, begin + (std::uint64_t{1} << (level - 1)),
            level - 1, combine, to);
}

/// The first of the largest blocks that the numbers from `begin` to `end` consist of: its level. Precondition: begin <
/// end.
constexpr std::uint32_t first_block(std::uint64_t begin, std::uint64_t end) {
  auto const longest = static_cast<std::uint32_t>(std::bit_width(end - begin)) - 1;
  return std::min(longest, static_cast<std::uint32_t>(std::countr_zero(begin)));
}

/// Mean number of largest blocks of n successive numbers, over all places where they may begin. Of level k there are
/// (n - 2^k + 1) / 2^k, and each one of level k + 1 has two of them. O(log n).
constexpr double mean_blocks(double n) {
  double blocks = n;
  for (double length = 2; length <= n; length *= 2) blocks -= (n - length + 1) / length;
  return blocks;
}

/// Contributions that come one after the other, where every number contributes once: combined as soon as both halves of
/// a block are there.
template <class Value, class Number>
class block_fold {
 public:
  using block = contribution<Value, Number>;

  /// Precondition: no number of the block has contributed. O(1) in the mean if numbers rise, otherwise O(blocks that
  /// are later).
  template <class Operator>
  void add(Number first, std::uint32_t level, Value&& value, Operator const& combine) {
    if (blocks_.empty() || blocks_.back().first < first) return push(first, level, std::move(value), combine);
    std::vector<block> later;
    for (; !blocks_.empty() && blocks_.back().first > first; blocks_.pop_back())
      later.push_back(std::move(blocks_.back()));
    push(first, level, std::move(value), combine);
    for (; !later.empty(); later.pop_back())
      push(later.back().first, later.back().level, std::move(later.back().value), combine);
  }

  bool empty() const { return blocks_.empty(); }
  std::span<block const> all() const { return blocks_; }
  /// The blocks that could not be combined yet, rising.
  std::vector<block> take() { return std::exchange(blocks_, {}); }

  /// All, also where numbers between them have not contributed. Nothing has been added afterwards.
  template <class Operator>
  std::optional<Value> result(Operator const& combine) {
    auto all = take();
    if (all.empty()) return std::nullopt;
    std::uint64_t const last = all.back().first + ((std::uint64_t{1} << all.back().level) - 1);
    return fold_block(std::span(all), 0, static_cast<std::uint32_t>(std::bit_width(last)), combine);
  }

 private:
  /// Behind all that are there.
  template <class Operator>
  void push(Number first, std::uint32_t level, Value&& value, Operator const& combine) {
    Number const length = Number{1} << level;
    SKEL_EXPECTS(blocks_.empty() || (first - blocks_.back().first) >> blocks_.back().level > 0);
    if (blocks_.empty() || (first & length) == 0 || blocks_.back().level != level ||
        blocks_.back().first != first - length) {
      blocks_.push_back({first, level, std::move(value)});
      return;
    }
    std::optional<Value> both(std::move(blocks_.back().value));
    blocks_.pop_back();
    fold_into(both, std::move(value), combine);
    push(static_cast<Number>(first - length), level + 1, *std::move(both), combine);
  }

  std::vector<block> blocks_;
};

}  // namespace skel::runtime
