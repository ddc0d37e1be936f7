#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <skel/detail/pattern/operators.hpp>
#include <skel/detail/runtime/bsp/superstep.hpp>

/// Contributions are combined along a tree over the numbers of the processes: whoever has all processes of a block of
/// 2^k combines its contributions, and what others do with the result gives the same bits.
namespace skel::runtime::bsp {

/// Of the least block from process 0 on that has them all: the logarithm of its length.
inline std::uint32_t tree_height(std::size_t processes) {
  return static_cast<std::uint32_t>(std::bit_width(processes - 1));
}

/// Where the second half of a block begins in what is sorted by `first`.
template <class Item, class First>
std::size_t second_half(std::span<Item> of, std::uint64_t begin, std::uint32_t level, First first) {
  std::uint64_t const middle = begin + (std::uint64_t{1} << (level - 1));
  return static_cast<std::size_t>(
      std::ranges::partition_point(of, [&](auto const& one) { return first(one) < middle; }) - of.begin());
}

/// Combines the contributions of a block, sorted, which are moved from. O(contributions).
template <class Value, class Operator>
std::optional<Value> fold_block(std::span<contribution<Value>> values, std::uint64_t begin, std::uint32_t level,
                                Operator const& combine) {
  if (values.empty()) return std::nullopt;
  if (values.size() == 1) return std::move(values[0].value);
  auto const half = second_half(values, begin, level, [](auto const& one) { return one.first; });
  auto sum = fold_block(values.first(half), begin, level - 1, combine);
  auto second = fold_block(values.subspan(half), begin + (std::uint64_t{1} << (level - 1)), level - 1, combine);
  if (second) fold_into(sum, *std::move(second), combine);
  return sum;
}

/// Combines the contributions of the processes `here`, of `processes` in all, as far as they can be without those of
/// others: one for each largest block whose processes are all here, if any of them has contributed.
/// O(contributions + blocks * log(processes)).
template <class Value, class Operator>
void fold_here(std::span<contribution<Value>> values, std::span<process_number const> here, std::size_t processes,
               std::uint64_t begin, std::uint32_t level, Operator const& combine,
               std::vector<contribution<Value>>& to) {
  if (values.empty()) return;
  if (here.size() == std::min<std::uint64_t>(processes, begin + (std::uint64_t{1} << level)) - begin) {
    to.push_back({static_cast<process_number>(begin), level, *fold_block(values, begin, level, combine)});
    return;
  }
  auto const half = second_half(values, begin, level, [](auto const& one) { return one.first; });
  auto const here_half = second_half(here, begin, level, [](process_number one) { return one; });
  fold_here(values.first(half), here.first(here_half), processes, begin, level - 1, combine, to);
  fold_here(values.subspan(half), here.subspan(here_half), processes, begin + (std::uint64_t{1} << (level - 1)),
            level - 1, combine, to);
}

}  // namespace skel::runtime::bsp
