#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "explorer.hpp"

namespace skel::cost::pepa::detail {
namespace {

constexpr std::uint32_t empty = ~std::uint32_t{0};

/// Multiplies and folds each word; the constants are odd and random.
std::size_t hash(std::span<std::uint32_t const> words) {
  std::uint64_t h = 0x9e3779b97f4a7c15u;
  for (std::uint32_t const word : words) {
    h = (h ^ word) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return static_cast<std::size_t>(h);
}

}  // namespace

std::uint32_t word_table::insert(std::span<std::uint32_t const> words) {
  if (slots_.empty() || size() * 2 >= slots_.size()) grow();
  std::size_t const mask = slots_.size() - 1;
  for (std::size_t at = hash(words) & mask;; at = (at + 1) & mask) {
    if (slots_[at] == empty) {
      slots_[at] = static_cast<std::uint32_t>(size());
      words_.insert(words_.end(), words.begin(), words.end());
      first_.push_back(words_.size());
      return slots_[at];
    }
    if (std::ranges::equal(this->words(slots_[at]), words)) return slots_[at];
  }
}

void word_table::grow() {
  std::size_t const mask = std::max<std::size_t>(16, slots_.size() * 2) - 1;
  slots_.assign(mask + 1, empty);
  for (std::size_t number = 0; number < size(); ++number) {
    std::size_t at = hash(words(static_cast<std::uint32_t>(number))) & mask;
    while (slots_[at] != empty) at = (at + 1) & mask;
    slots_[at] = static_cast<std::uint32_t>(number);
  }
}

}  // namespace skel::cost::pepa::detail
