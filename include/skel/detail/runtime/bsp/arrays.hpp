#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/runtime/transferable.hpp>

namespace skel {

namespace runtime::bsp {

using process_number = std::uint32_t;

/// State and element types behind a pointer to a member that is an array.
template <class Pointer>
struct array_member;
template <class State, class Element, class Allocator>
struct array_member<std::vector<Element, Allocator> State::*> {
  using state = State;
  using element = Element;
};

/// An array that can be registered. Elements that are got lie in memory of the default alignment.
template <auto Array>
concept registrable = requires {
  typename array_member<std::remove_const_t<decltype(Array)>>::element;
  requires plain<typename array_member<std::remove_const_t<decltype(Array)>>::element>;
  requires !std::same_as<typename array_member<std::remove_const_t<decltype(Array)>>::element, bool>;
  requires alignof(typename array_member<std::remove_const_t<decltype(Array)>>::element) <=
      __STDCPP_DEFAULT_NEW_ALIGNMENT__;
};
template <auto Array>
using element_of = typename array_member<std::remove_const_t<decltype(Array)>>::element;

template <auto Array>
struct check_array {
  static constexpr bool value = registrable<Array>;
  static_assert(value,
                "skel: this is no array that processes can put to and get from. Accepted: a pointer to a member of the "
                "state that is a std::vector of plain elements, as in skel::registered<&state::u>; not "
                "of bool, and not of a type that is aligned to more than memory is by default (16 bytes on x86-64)");
};

/// Its address stands for an array.
template <auto Array>
inline constexpr char array_tag = 0;

/// Elements of an array of another process, to be written or read.
struct array_access {
  process_number from = 0, to = 0;  ///< the process that wants it, the owner of the array
  std::uint32_t array = 0;          ///< number of the array in the program's list
  std::uint32_t which = 0;          ///< get: number among those of `from` in the superstep
  std::uint64_t at = 0, count = 0;  ///< elements
};

/// An index for messages. Beyond the signed numbers, the program computed a negative one.
inline std::string as_computed(std::size_t number) {
  return std::to_string(static_cast<std::ptrdiff_t>(number));
}

/// A registered array.
struct array_entry {
  void const* tag = nullptr;
  std::size_t element = 0;                                  ///< bytes
  std::span<std::byte> (*bytes_of)(void* state) = nullptr;  ///< of all elements
};

/// Puts and gets, in the order in which processes called them.
struct array_traffic {
  std::vector<array_access> puts, gets;
  std::vector<std::byte> values;  ///< of the puts, behind each other

  void clear() {
    puts.clear();
    gets.clear();
    values.clear();
  }
  std::size_t size() const { return puts.size() + gets.size(); }
};

/// The answer to a get.
struct array_answer {
  std::uint32_t array = 0;
  std::vector<std::byte> values{};
};

/// The elements of an access. Throws skel::error if the array has fewer.
inline std::span<std::byte> accessed(array_access const& what, array_entry const& array, void* state) {
  auto const all = array.bytes_of(state);
  std::uint64_t const there = all.size() / array.element;
  if (what.at > there || what.count > there - what.at)
    throw error("elements " + as_computed(what.at) + " to " + as_computed(what.at + what.count) +
                " (not included) of array " + std::to_string(what.array) + " of process " + std::to_string(what.to) +
                " are put or got, which has " + std::to_string(there));
  return all.subspan(what.at * array.element, what.count * array.element);
}

}  // namespace runtime::bsp

/// Members of the state of a BSP program that other processes may put to and get from. Each is a std::vector of plain
/// elements: skel::registered<&state::u, &state::v>.
template <auto... Arrays>
struct registered {
  static constexpr bool value = (runtime::bsp::check_array<Arrays>::value && ...);

  /// In the order of the list.
  static std::span<runtime::bsp::array_entry const> entries() {
    if constexpr (sizeof...(Arrays) == 0) {
      return {};
    } else {
      static runtime::bsp::array_entry const all[] = {entry<Arrays>()...};
      return all;
    }
  }

 private:
  template <auto Array>
  static runtime::bsp::array_entry entry() {
    using member = runtime::bsp::array_member<std::remove_const_t<decltype(Array)>>;
    return {&runtime::bsp::array_tag<Array>, sizeof(typename member::element), [](void* state) {
              auto& all = static_cast<typename member::state*>(state)->*Array;
              return std::as_writable_bytes(std::span(all.data(), all.size()));
            }};
  }
};

namespace runtime::bsp {
template <class T>
inline constexpr bool is_registered = false;
template <auto... Arrays>
inline constexpr bool is_registered<registered<Arrays...>> = true;
}  // namespace runtime::bsp

}  // namespace skel
