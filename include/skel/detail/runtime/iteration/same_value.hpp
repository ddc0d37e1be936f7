#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace skel::runtime::iteration {

#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define SKEL_CLEARS_PADDING 1
#endif
#endif
#ifndef SKEL_CLEARS_PADDING
#define SKEL_CLEARS_PADDING 0
#endif

/// True if all that counts of a value is in bytes that are known. Clang cannot tell them for structs with
/// floating-point numbers.
template <class T>
inline constexpr bool has_bytes_that_count = std::is_trivially_copyable_v<T> &&
                                             (SKEL_CLEARS_PADDING != 0 || std::has_unique_object_representations_v<T> ||
                                              std::is_same_v<T, double> || std::is_same_v<T, float>);

/// True if same_value() can be asked.
template <class T>
inline constexpr bool comparable_values = has_bytes_that_count<T> || std::equality_comparable<T>;

/// The bytes of a plain value, with zeros where it has none of its own as far as the compiler can tell.
template <class T>
requires std::is_trivially_copyable_v<T>
struct bytes_that_count {
  explicit bytes_that_count(T const& of) {
    std::memcpy(bytes, &of, sizeof(T));
#if SKEL_CLEARS_PADDING
    __builtin_clear_padding(reinterpret_cast<T*>(bytes));
#endif
  }
  alignas(T) std::byte bytes[sizeof(T)];
};

/// True if two values have the same bits, or are equal by their author's operator==.
template <class T>
requires comparable_values<T>
bool same_value(T const& a, T const& b) {
  if constexpr (has_bytes_that_count<T>) {
    bytes_that_count<T> const one(a), other(b);
    if (std::memcmp(one.bytes, other.bytes, sizeof(T)) == 0) return true;
  }
  if constexpr (std::equality_comparable<T>)
    return a == b;
  else
    return false;
}

}  // namespace skel::runtime::iteration
