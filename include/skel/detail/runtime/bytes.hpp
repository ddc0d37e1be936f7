#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/runtime/codec.hpp>
#include <skel/detail/runtime/transferable.hpp>
#include <skel/detail/runtime/value_bytes.hpp>

/// Values behind each other in messages.
namespace skel::runtime {

/// Appends the bytes of a number.
template <class Number>
void put_number(std::string& to, Number value) {
  to.append(reinterpret_cast<char const*>(&value), sizeof value);
}
template <class Number>
void put_number_at(std::string& to, std::size_t at, Number value) {
  std::memcpy(to.data() + at, &value, sizeof value);
}

inline std::span<std::byte const> bytes_of(std::string const& text) {
  return std::as_bytes(std::span(text));
}

/// Takes `size` bytes off the front. Throws skel::error if there are fewer.
inline std::span<std::byte const> take_bytes(std::span<std::byte const>& from, std::uint64_t size) {
  if (size > from.size()) throw error("a message between ranks is shorter than the values that are read from it");
  auto const front = from.first(size);
  from = from.subspan(size);
  return front;
}
inline std::string take_text(std::span<std::byte const>& from, std::uint64_t size) {
  auto const bytes = take_bytes(from, size);
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}
template <class Number>
Number take_number(std::span<std::byte const>& from) {
  Number value;
  std::memcpy(&value, take_bytes(from, sizeof value).data(), sizeof value);
  return value;
}

/// Appends plain values behind their number.
template <class T>
void put_range(std::string& to, std::vector<T> const& what) {
  put_number(to, std::uint64_t{what.size()});
  to.append(reinterpret_cast<char const*>(what.data()), what.size() * sizeof(T));
}
template <class T>
std::vector<T> take_range(std::span<std::byte const>& from) {
  auto const count = take_number<std::uint64_t>(from);
  if (count > from.size() / sizeof(T))
    throw error("a message between ranks is shorter than the values that are read from it");
  auto const bytes = take_bytes(from, count * sizeof(T));
  std::vector<T> out(count);
  if (count > 0) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

/// Appends a value of a type that travels. Throws what the author's serializer throws.
template <class T>
void put_value(std::string& to, T const& value) {
  if constexpr (plain<T>) {
    to.append(reinterpret_cast<char const*>(std::addressof(value)), sizeof value);
  } else {
    std::size_t const front = to.size();
    put_number(to, std::uint64_t{0});
    if constexpr (is_byte_range<T>) {
      to.append(reinterpret_cast<char const*>(value.data()), value.size() * sizeof(typename T::value_type));
    } else {
      packer<required<T>> archive(to);
      archive(value);
    }
    put_number_at(to, front, std::uint64_t{to.size() - front - sizeof(std::uint64_t)});
  }
}
template <class T>
T take_value(std::span<std::byte const>& from) {
  if constexpr (plain<T>)
    return value_of<T>(take_bytes(from, sizeof(T)));
  else
    return value_of<T>(take_bytes(from, take_number<std::uint64_t>(from)));
}

/// Appends the state of a process. Its author's functions write it whatever its type, like the state of a stage. Throws
/// what they throw.
template <class T>
void put_state(std::string& to, T const& state) {
  std::size_t const front = to.size();
  put_number(to, std::uint64_t{0});
  packer<kept<required<T>>> archive(to);
  archive(state);
  put_number_at(to, front, std::uint64_t{to.size() - front - sizeof(std::uint64_t)});
}
template <class T>
T take_state(std::span<std::byte const>& from) {
  unpacker<kept<required<T>>> archive(take_bytes(from, take_number<std::uint64_t>(from)));
  T state = archive.template get<T>();
  archive.expect_end();
  return state;
}

/// Bytes that a state holds, or takes if its author's functions write it. As item_bytes().
template <class T>
std::size_t state_bytes(T const& state) {
  if constexpr ((plain<T> || is_byte_range<T>)&&travel<T>::by_author) {
    packer<kept<required<T>>> counter;
    try {
      counter(state);
    } catch (...) {  // it throws again where the process moves
    }
    return sizeof(T) + counter.written();
  } else {
    return item_bytes(state);
  }
}

}  // namespace skel::runtime
