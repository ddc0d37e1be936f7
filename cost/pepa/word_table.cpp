#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "explorer.hpp"

namespace skel::cost::pepa::detail {
namespace {

constexpr std::uint32_t empty = ~std::uint32_t{0};

bool are_equal(std::span<std::uint32_t const> a, std::span<std::uint32_t const> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)  // few: a call of memcmp would take longer
    if (a[k] != b[k]) return false;
  return true;
}

}  // namespace

/// The address, or the place where the search for words begins. Multiplies and folds each word; the constants are odd
/// and random. States found one after the other often differ only in the last bits of the last word. They are then
/// neighbours in the table, and so in the cache.
std::size_t word_table::place_of(std::span<std::uint32_t const> words) const {
  if (is_address(words)) return std::size_t{words.front()} * count_ + (words.back() - low_);
  constexpr std::uint32_t neighbours = 8;
  std::uint64_t h = 0x9e3779b97f4a7c15u;
  auto const mix = [&](std::uint32_t word) {
    h = (h ^ word) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  };
  if (words.empty()) return 0;
  for (std::uint32_t const word : words.first(words.size() - 1)) mix(word);
  mix(words.back() / neighbours);
  return (static_cast<std::size_t>(h) + words.back() % neighbours) & (slots_.size() - 1);
}

std::uint32_t word_table::insert(std::span<std::uint32_t const> words) {
  if (is_address(words)) {
    std::size_t const at = place_of(words);
    if (at >= slots_.size()) slots_.resize(std::max(at + 1, slots_.size() * 3 / 2), empty);
    return slots_[at] == empty ? slots_[at] = add(words) : slots_[at];
  }
  if (slots_.empty() || size() * 2 >= slots_.size()) grow();
  std::size_t const mask = slots_.size() - 1;
  for (std::size_t at = place_of(words);; at = (at + 1) & mask) {
    if (slots_[at] == empty) return slots_[at] = add(words);
    if (are_equal(this->words(slots_[at]), words)) return slots_[at];
  }
}

void word_table::expect(std::span<std::uint32_t const> words) const {
  if (slots_.empty()) return;
  if (std::size_t const at = place_of(words); at < slots_.size()) __builtin_prefetch(&slots_[at]);
}

void word_table::expect_more(std::span<std::uint32_t const> words) const {
  if (is_address(words) || slots_.empty()) return;
  if (auto const number = slots_[place_of(words)]; number != empty) __builtin_prefetch(this->words(number).data());
}

std::uint32_t word_table::add(std::span<std::uint32_t const> words) {
  if (size_ == 0) width_ = words.size();
  if (first_.empty() && words.size() != width_)
    for (std::size_t k = 0; k <= size_; ++k) first_.push_back(k * width_);
  words_.insert(words_.end(), words.begin(), words.end());
  if (!first_.empty()) first_.push_back(words_.size());
  return static_cast<std::uint32_t>(size_++);
}

void word_table::grow() {
  std::size_t const mask = std::max<std::size_t>(16, slots_.size() * 2) - 1;
  slots_.assign(mask + 1, empty);
  for (std::size_t number = 0; number < size(); ++number) {
    std::size_t at = place_of(words(static_cast<std::uint32_t>(number)));
    while (slots_[at] != empty) at = (at + 1) & mask;
    slots_[at] = static_cast<std::uint32_t>(number);
  }
}

}  // namespace skel::cost::pepa::detail
