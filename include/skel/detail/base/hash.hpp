#pragma once

#include <cstdint>
#include <string_view>

namespace skel {

/// A hash that is the same on every host and in every run.
/// Source: Fowler, Noll, Vo and Eastlake, The FNV non-cryptographic hash algorithm (IETF draft): FNV-1a of 64 bits.
class fnv1a {
 public:
  fnv1a& add(std::string_view text) {
    for (char const letter : text) value_ = (value_ ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
    return *this;
  }
  /// As eight bytes, the lowest first.
  fnv1a& add(std::uint64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8) value_ = (value_ ^ (number >> shift & 0xff)) * 0x100000001b3;
    return *this;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

/// Spreads differences in a few bits over all bits.
/// Source: Steele, Lea and Flood 2014, Fast splittable pseudorandom number generators, OOPSLA: the finaliser of
/// SplitMix.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace skel
