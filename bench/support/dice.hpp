#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace bench {

/// One number per number, scattered over all 64 bits (the finalizer of SplitMix64: Steele, Lea and Flood 2014, "Fast
/// splittable pseudorandom number generators", OOPSLA, 453-472).
constexpr std::uint64_t scatter(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// Draws that are the same for the same seed on every machine: those of the standard library's distributions are not.
class dice {
 public:
  explicit dice(std::uint64_t seed) : bits_(seed) {}
  std::uint64_t bits() { return bits_(); }
  /// From 0 to `count` - 1; 0 where count is 0.
  std::size_t below(std::size_t count) { return count == 0 ? 0 : static_cast<std::size_t>(bits_() % count); }
  /// From `least` to `most`.
  std::size_t between(std::size_t least, std::size_t most) { return least + below(most - least + 1); }
  template <class Values>
  auto const& one_of(Values const& values) {
    return values[below(values.size())];
  }
  bool one_in(std::size_t count) { return below(count) == 0; }
  /// A number of up to `digits` binary digits, each number of digits as often as any other.
  std::size_t some(std::size_t digits) { return static_cast<std::size_t>(bits_() >> 1 >> (63 - below(digits + 1))); }

 private:
  std::mt19937_64 bits_;
};

}  // namespace bench
