#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>

#include <skel/detail/base/error.hpp>
#include <skel/detail/runtime/codec.hpp>

namespace skel::runtime {

/// A value as bytes from which value_of() makes an equal one on another rank. O(bytes).
template <class T>
std::string bytes_of_value(T const& value) {
  if constexpr (!check_transferable<T>::value) {
    return {};
  } else if constexpr (plain<T>) {
    return {reinterpret_cast<char const*>(std::addressof(value)), sizeof(T)};
  } else if constexpr (is_byte_range<T>) {
    return {reinterpret_cast<char const*>(value.data()), value.size() * sizeof(typename T::value_type)};
  } else {
    std::string bytes;
    packer<required<T>> archive(bytes);
    archive(value);
    return bytes;
  }
}

/// The value that bytes_of_value() has written. Throws skel::error when it was of another type.
template <class T>
T value_of(std::span<std::byte const> bytes) {
  if constexpr (!check_transferable<T>::value) {
    throw error("a value of a type that cannot be sent");
  } else if constexpr (plain<T>) {
    if (bytes.size() != sizeof(T)) throw error("a value between ranks has another size than its type");
    alignas(T) std::byte place[sizeof(T)];
    std::memcpy(place, bytes.data(), sizeof(T));
    return *std::launder(reinterpret_cast<T*>(place));
  } else if constexpr (is_byte_range<T>) {
    using element = typename T::value_type;
    if (bytes.size() % sizeof(element) != 0) throw error("a range between ranks is not of whole elements");
    T range(bytes.size() / sizeof(element), element{});
    if (!bytes.empty()) std::memcpy(range.data(), bytes.data(), bytes.size());
    return range;
  } else {
    unpacker<required<T>> archive(bytes);
    T value = archive.template get<T>();
    archive.expect_end();
    return value;
  }
}

}  // namespace skel::runtime
