#pragma once

#include <cstddef>
#include <cstring>
#include <istream>
#include <new>
#include <ostream>
#include <span>
#include <type_traits>
#include <vector>

#include <cereal/archives/binary.hpp>

#include <skel/base/error.hpp>
#include <skel/runtime/codec.hpp>

namespace skel::runtime {

/// A value whose bytes are all there is of it, and equally many for all values of the type.
template <class T>
concept plain = std::is_trivially_copyable_v<T> && !is_borrowed<T>;

/// A value as bytes from which value_of() makes an equal one on another rank. O(bytes).
template <transferable T>
std::vector<std::byte> bytes_of_value(T const& value) {
  if constexpr (plain<T>) {
    auto const* const bytes = reinterpret_cast<std::byte const*>(&value);
    return {bytes, bytes + sizeof(T)};
  } else if constexpr (is_byte_range<T>) {
    auto const bytes = std::as_bytes(std::span(value.data(), value.size()));
    return {bytes.begin(), bytes.end()};
  } else {
    std::vector<char> text;
    {
      codec_detail::append_buffer buffer(text);
      std::ostream stream(&buffer);
      cereal::BinaryOutputArchive archive(stream);
      if constexpr (has_serializer<T>)
        serializer<T>::save(archive, value);
      else
        archive(value);
    }
    auto const bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
  }
}

/// The value that bytes_of_value() has written. Throws skel::error or cereal::Exception when it was of another type.
template <transferable T>
T value_of(std::span<std::byte const> bytes) {
  if constexpr (plain<T>) {
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
    codec_detail::view_buffer buffer(bytes);
    std::istream stream(&buffer);
    cereal::BinaryInputArchive archive(stream);
    if constexpr (has_serializer<T>) {
      return serializer<T>::load(archive);
    } else {
      T value;
      archive(value);
      return value;
    }
  }
}

}  // namespace skel::runtime
