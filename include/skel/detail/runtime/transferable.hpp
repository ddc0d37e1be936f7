#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <cereal/cereal.hpp>

#include <skel/detail/base/error.hpp>

namespace skel {

/// Carries a type across ranks that is not plain bytes, a standard container or known to cereal, or that has no default
/// constructor. Specialise it with
///   `template <class Archive> static void save(Archive& archive, T const& value) { archive(value.a, value.b); }`
///   `template <class Archive> static T load(Archive& archive);`
/// and, for values that own memory, perhaps `static std::size_t bytes(T const&)`: the bytes owned. It is for types
/// whose save() takes too long to be counted for each item, or writes much less than is owned. A serializer goes before
/// skel's own ways, also inside containers and members. Types that travel without one: docs/types.md.
template <class T>
struct serializer;

namespace runtime {

/// The archives that items are written to and read from. Root is the type of the items; a written value may be a part
/// of one.
template <class Root>
class packer;
template <class Root>
class unpacker;

template <class T>
concept has_serializer = requires(packer<T>& out, unpacker<T>& in, T const& value) {
  serializer<T>::save(out, value);
  { serializer<T>::load(in) } -> std::same_as<T>;
};

/// Types that only point at what they mean: a copy in another process would point at nothing.
template <class T>
inline constexpr bool is_borrowed = std::is_pointer_v<T> || std::is_reference_v<T>;
template <class T>
inline constexpr bool is_borrowed<std::reference_wrapper<T>> = true;
template <std::ranges::view T>
requires std::ranges::borrowed_range<T>
inline constexpr bool is_borrowed<T> = true;

/// A class with functions for cereal that can be called with skel's archives.
template <class T>
concept cereal_serializable = std::is_class_v<T> && cereal::traits::is_output_serializable<T, packer<T>>::value &&
    cereal::traits::is_input_serializable<T, unpacker<T>>::value;

template <class T>
struct travel;
template <class T>
inline constexpr bool travels = has_serializer<std::remove_const_t<T>> || travel<std::remove_const_t<T>>::value;

/// Types whose items can be sent to another rank; standard containers are looked through, to any depth. Stages that
/// exchange items of other types stay together. Types that a serialize() for cereal names are not known here;
/// codec_of() and check_transferable look there too.
/// Limits: a struct with pointers or views inside is trivially copyable, and only its author knows that it cannot
/// travel.
template <class T>
concept transferable = travels<T>;

/// A value whose bytes are all there is of it, and equally many for all values of the type.
template <class T>
concept plain =
    std::is_trivially_copyable_v<T> && std::is_move_constructible_v<T> && !has_serializer<T> && travel<T>::parts_plain;

/// Traits of a type that is no standard one. `standard`: skel writes it itself, part by part; `parts_plain`: it points
/// nowhere; `by_author`: it has functions for cereal, or a part of it has.
template <class T>
struct travel {
  static constexpr bool standard = false;
  static constexpr bool by_author = cereal_serializable<T>;
  static constexpr bool parts_plain = !is_borrowed<T>;
  static constexpr bool value =
      !is_borrowed<T> && std::is_move_constructible_v<T> &&
      (std::is_trivially_copyable_v<T> || (std::default_initializable<T> && cereal_serializable<T>));
};

/// Traits of a standard type that consists of values of types Ts, and of nothing else if Whole is true.
template <bool Whole, class... Ts>
struct travel_of_parts {
  static constexpr bool standard = true;
  static constexpr bool by_author = (travel<std::remove_const_t<Ts>>::by_author || ...);
  static constexpr bool parts_plain = Whole && (plain<std::remove_const_t<Ts>> && ...);
  static constexpr bool value = Whole && (travels<Ts> && ...);
};

/// Comparators and hashes that are made anew where a container arrives.
template <class... Fs>
inline constexpr bool stateless = ((std::is_empty_v<Fs> && std::default_initializable<Fs>)&&...);

template <class U, class A>
struct travel<std::vector<U, A>> : travel_of_parts<true, U> {};
template <class U, class A>
struct travel<std::deque<U, A>> : travel_of_parts<true, U> {};
template <class U, class A>
struct travel<std::list<U, A>> : travel_of_parts<true, U> {};
template <class C, class Tr, class A>
struct travel<std::basic_string<C, Tr, A>> : travel_of_parts<true, C> {};
template <class K, class C, class A>
struct travel<std::set<K, C, A>> : travel_of_parts<stateless<C>, K> {};
template <class K, class C, class A>
struct travel<std::multiset<K, C, A>> : travel_of_parts<stateless<C>, K> {};
template <class K, class V, class C, class A>
struct travel<std::map<K, V, C, A>> : travel_of_parts<stateless<C>, K, V> {};
template <class K, class V, class C, class A>
struct travel<std::multimap<K, V, C, A>> : travel_of_parts<stateless<C>, K, V> {};
template <class K, class H, class E, class A>
struct travel<std::unordered_set<K, H, E, A>> : travel_of_parts<stateless<H, E>, K> {};
template <class K, class H, class E, class A>
struct travel<std::unordered_multiset<K, H, E, A>> : travel_of_parts<stateless<H, E>, K> {};
template <class K, class V, class H, class E, class A>
struct travel<std::unordered_map<K, V, H, E, A>> : travel_of_parts<stateless<H, E>, K, V> {};
template <class K, class V, class H, class E, class A>
struct travel<std::unordered_multimap<K, V, H, E, A>> : travel_of_parts<stateless<H, E>, K, V> {};
template <class U, class V>
struct travel<std::pair<U, V>> : travel_of_parts<true, U, V> {};
template <class... Ts>
struct travel<std::tuple<Ts...>> : travel_of_parts<true, Ts...> {};
template <class U, std::size_t N>
struct travel<std::array<U, N>> : travel_of_parts<true, U> {};
template <class U, std::size_t N>
struct travel<U[N]> : travel_of_parts<true, U> {};
template <class U>
struct travel<std::optional<U>> : travel_of_parts<true, U> {};
template <class... Ts>
struct travel<std::variant<Ts...>> : travel_of_parts<true, Ts...> {};

/// The target of an owning pointer travels as a copy, if its type is the pointer's and not a derived class.
template <class U>
struct travel_of_pointee {
  static constexpr bool standard = true;
  static constexpr bool by_author = true;
  static constexpr bool parts_plain = false;
  static constexpr bool value = [] {
    if constexpr (std::is_object_v<U> && !std::is_array_v<U>)
      return (!std::is_polymorphic_v<U> || std::is_final_v<U>)&&travels<U>;
    else
      return false;
  }();
};
template <class U>
struct travel<std::unique_ptr<U>> : travel_of_pointee<U> {};
template <class U>
struct travel<std::shared_ptr<U>> : travel_of_pointee<U> {};

/// A std::vector or std::basic_string of plain elements: travels as its bytes.
template <class T>
inline constexpr bool is_byte_range = false;
template <class U, class A>
inline constexpr bool is_byte_range<std::vector<U, A>> =
    plain<U>&& std::default_initializable<U> && !std::same_as<U, bool>;
template <class C, class Tr, class A>
inline constexpr bool is_byte_range<std::basic_string<C, Tr, A>> = plain<C>;

/// Instantiated for a type that has to travel; it appears in the compiler's message.
template <class T>
struct check_transferable {
  static constexpr bool value = transferable<T>;
  static_assert(
      value,
      "skel: values of this type cannot be sent to another rank (named in check_transferable<Type>): say how, "
      "with a skel::serializer<Type>. Without one travel: plain bytes (trivially copyable, neither pointer nor "
      "view), standard containers and owning pointers of what travels, and types with a serialize() for cereal "
      "and a default constructor");
};

/// Instantiated for a type that its author's functions for cereal have to read.
template <class T>
struct check_readable {
  static constexpr bool value =
      has_serializer<T> || travel<T>::standard || !cereal_serializable<T> || std::default_initializable<T>;
  static_assert(value,
                "skel: values of this type cannot be read on another rank (named in check_readable<Type>): what its "
                "serialize() or load() reads goes into a value that is there, which takes a default constructor. Give "
                "it one, or a skel::serializer<Type>, whose load() makes the value");
};

/// The root of values that have to travel: a type in their serialize() that cannot is an error, not a reason to stay.
template <class T>
struct required {};

/// A type that Root's items name in a serialize() for cereal and that cannot travel; so they cannot either. nullptr:
/// there is none. Set before main, for every type that the instantiated serialize() functions name.
template <class Root>
inline std::type_info const* hindrance = nullptr;

/// The root of a function object's state. Its author says which of it means anything elsewhere. So functions for cereal
/// are called also of classes whose bytes could be sent. kept<required<F>>: it has to travel.
template <class F>
struct kept {};

namespace transfer_detail {

template <class Root, class Part>
struct hinders {
  inline static bool const noted = (hindrance<Root> = &typeid(Part), true);
};
template <class T, class Part>
struct hinders<required<T>, Part> {
  static constexpr bool noted = check_transferable<Part>::value;
};
template <class T, class Part>
struct hinders<kept<required<T>>, Part> {
  static constexpr bool noted = check_transferable<Part>::value && check_readable<Part>::value;
};

/// cereal's marks around the values that a serialize() names.
template <class T>
inline constexpr bool is_name_value = false;
template <class T>
inline constexpr bool is_name_value<cereal::NameValuePair<T>> = true;
template <class T>
inline constexpr bool is_size_tag = false;
template <class T>
inline constexpr bool is_size_tag<cereal::SizeTag<T>> = true;
template <class T>
inline constexpr bool is_binary_data = false;
template <class T>
inline constexpr bool is_binary_data<cereal::BinaryData<T>> = true;
template <class Root>
inline constexpr bool is_kept = false;
template <class F>
inline constexpr bool is_kept<kept<F>> = true;

/// Types that are left to cereal: a member that is loaded where it is needs no default constructor.
template <class Root, class T>
inline constexpr bool is_passed_on =
    !travel<T>::standard && (is_kept<Root> || !std::is_trivially_copyable_v<T>)&&cereal_serializable<T>;
template <class Root, class T>
inline constexpr bool is_passed_on<Root, cereal::base_class<T>> = true;
template <class Root, class T>
inline constexpr bool is_passed_on<Root, cereal::virtual_base_class<T>> = true;
template <class Root, class T>
inline constexpr bool is_passed_on<Root, cereal::DeferredData<T>> = true;

/// Types that are written as their bytes.
template <class Root, class T>
inline constexpr bool is_bytes = plain<T> && !(is_kept<Root> && travel<T>::by_author);
template <class Root, class T>
inline constexpr bool is_range_of_bytes = is_byte_range<T> && !(is_kept<Root> && travel<T>::by_author);

/// A base that skel writes itself.
template <class T>
inline constexpr bool is_own_base = false;
template <class T>
inline constexpr bool is_own_base<cereal::base_class<T>> = has_serializer<T> || travel<T>::standard;

template <class T>
inline constexpr bool is_pointer = false;
template <class U>
inline constexpr bool is_pointer<std::unique_ptr<U>> = true;
template <class T>
inline constexpr bool is_shared = false;
template <class U>
inline constexpr bool is_shared<std::shared_ptr<U>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class U>
inline constexpr bool is_optional<std::optional<U>> = true;
template <class T>
inline constexpr bool is_variant = false;
template <class... Ts>
inline constexpr bool is_variant<std::variant<Ts...>> = true;

template <class T>
inline constexpr bool is_std_array = false;
template <class U, std::size_t N>
inline constexpr bool is_std_array<std::array<U, N>> = true;
/// std::pair, std::tuple, std::array
template <class T>
concept product = travel<T>::standard && requires {
  std::tuple_size<T>::value;
};

/// The element type to fill a container with: keys of maps are not const then.
template <class T>
struct filling {
  using type = T;
};
template <class K, class V>
struct filling<std::pair<K const, V>> {
  using type = std::pair<K, V>;
};

}  // namespace transfer_detail

/// Writes values behind each other, without types. Everything that a type's serialize() for cereal names comes here.
template <class Root>
class packer : public cereal::OutputArchive<packer<Root>, cereal::AllowEmptyClassElision> {
  using base = cereal::OutputArchive<packer<Root>, cereal::AllowEmptyClassElision>;

 public:
  /// Appends to a text.
  explicit packer(std::string& to) : base(this), to_(&to) {}
  /// Writes nothing, but counts.
  packer() : base(this) {}

  template <class... Ts>
  packer& operator()(Ts&&... values) {
    (put(values), ...);
    return *this;
  }
  template <class T>
  packer& operator&(T&& value) {
    return (*this)(value);
  }
  template <class T>
  packer& operator<<(T&& value) {
    return (*this)(value);
  }

  void saveBinary(void const* from, std::size_t size) {
    written_ += size;
    if (to_ != nullptr) to_->append(static_cast<char const*>(from), size);
  }
  /// Bytes so far.
  std::size_t written() const { return written_; }
  /// True if it only counts; exceptions of a save() are then ignored.
  bool counts() const { return to_ == nullptr; }

 private:
  void put_count(std::uint64_t count) { saveBinary(&count, sizeof count); }

  template <class T>
  void put(T const& value) {
    using namespace transfer_detail;
    if constexpr (has_serializer<T>) {
      serializer<T>::save(*this, value);
    } else if constexpr (is_name_value<T>) {
      put(value.value);
    } else if constexpr (is_size_tag<T>) {
      put_count(value.size);
    } else if constexpr (is_binary_data<T>) {
      saveBinary(value.data, value.size);
    } else if constexpr (is_own_base<T>) {
      put(*value.base_ptr);
    } else if constexpr (is_passed_on<Root, T>) {
      base::operator()(value);
    } else if constexpr (!transferable<T>) {
      static_cast<void>(&hinders<Root, T>::noted);
    } else if constexpr (is_bytes<Root, T>) {
      saveBinary(std::addressof(value), sizeof(T));
    } else if constexpr (is_shared<T>) {
      put_shared(value);
    } else if constexpr (is_pointer<T> || is_optional<T>) {
      put(static_cast<bool>(value));
      if (value) put(*value);
    } else if constexpr (is_variant<T>) {
      if (value.valueless_by_exception())
        throw error("a std::variant that is valueless cannot be sent to another rank");
      put_count(value.index());
      std::visit([&](auto const& alternative) { put(alternative); }, value);
    } else if constexpr (is_range_of_bytes<Root, T>) {
      put_count(value.size());
      saveBinary(value.data(), value.size() * sizeof(typename T::value_type));
    } else if constexpr (std::is_array_v<T>) {
      for (auto const& element : value) put(element);
    } else if constexpr (product<T>) {
      std::apply([&](auto const&... part) { (put(part), ...); }, value);
    } else {
      put_count(value.size());
      for (typename T::value_type const& element : value) put(element);
    }
  }

  template <class U>
  void put_shared(std::shared_ptr<U> const& pointer) {
    if (!pointer) return put_count(0);
    auto const [found, first] =
        shared_.try_emplace({pointer.get(), typeid(U)}, shared_entry{shared_.size() + 1, pointer});
    put_count(found->second.number);
    if (first) put(*pointer);
  }

  struct shared_entry {
    std::uint64_t number;
    std::shared_ptr<void const> keep;  // so that no other object takes its address meanwhile
  };

  std::string* to_ = nullptr;
  std::size_t written_ = 0;
  std::map<std::pair<void const*, std::type_index>, shared_entry> shared_;
};

/// Reads the values that a packer has written. Throws skel::error if they end too early.
template <class Root>
class unpacker : public cereal::InputArchive<unpacker<Root>, cereal::AllowEmptyClassElision> {
  using base = cereal::InputArchive<unpacker<Root>, cereal::AllowEmptyClassElision>;

 public:
  explicit unpacker(std::span<std::byte const> from) : base(this), rest_(from) {}

  template <class... Ts>
  unpacker& operator()(Ts&&... values) {
    (fill(values), ...);
    return *this;
  }
  template <class T>
  unpacker& operator&(T&& value) {
    return (*this)(value);
  }
  template <class T>
  unpacker& operator>>(T&& value) {
    return (*this)(value);
  }

  void loadBinary(void* to, std::size_t size) {
    if (size > rest_.size()) throw error(too_short);
    if (size > 0) std::memcpy(to, rest_.data(), size);
    rest_ = rest_.subspan(size);
  }

  /// Expects that nothing is left. Throws skel::error otherwise.
  void expect_end() const {
    if (!rest_.empty())
      throw error("a message between ranks has " + std::to_string(rest_.size()) +
                  " B more than were read: save() and load() of a type differ");
  }

  /// The next value, made from its bytes: it needs no default constructor.
  template <class T>
  T get() {
    using namespace transfer_detail;
    if constexpr (has_serializer<T>) {
      return serializer<T>::load(*this);
    } else if constexpr (is_bytes<Root, T>) {
      alignas(T) std::byte place[sizeof(T)];
      loadBinary(place, sizeof(T));
      return *std::launder(reinterpret_cast<T*>(place));
    } else if constexpr (is_passed_on<Root, T>) {
      if constexpr (std::default_initializable<T>) {
        T value;
        base::operator()(value);
        return value;
      } else {
        static_cast<void>(&hinders<Root, T>::noted);
        throw error("a value without default constructor came in a message between ranks");
      }
    } else if constexpr (is_shared<T>) {
      return get_shared<typename T::element_type>();
    } else if constexpr (is_pointer<T>) {
      using pointee = typename T::element_type;
      return get<bool>() ? T(new pointee(get<std::remove_const_t<pointee>>())) : nullptr;
    } else if constexpr (is_optional<T>) {
      return get<bool>() ? T(get<std::remove_const_t<typename T::value_type>>()) : std::nullopt;
    } else if constexpr (is_variant<T>) {
      return get_variant<T, 0>(get<std::uint64_t>());
    } else if constexpr (is_range_of_bytes<Root, T>) {
      T range(count_of(sizeof(typename T::value_type)), typename T::value_type{});
      loadBinary(range.data(), range.size() * sizeof(typename T::value_type));
      return range;
    } else if constexpr (product<T>) {
      return get_product<T>(std::make_index_sequence<std::tuple_size_v<T>>{});
    } else {
      T range;
      for (std::uint64_t count = get<std::uint64_t>(); count > 0; --count) append(range);
      return range;
    }
  }

 private:
  static constexpr char const* too_short =
      "a message between ranks is shorter than the values that are read from it: save() and load() of a type differ, "
      "or the message is damaged";

  /// Reads the values that a serialize() names, in place.
  template <class T>
  void fill(T& value) {
    using namespace transfer_detail;
    if constexpr (is_name_value<T>) {
      fill(value.value);
    } else if constexpr (is_size_tag<T>) {
      value.size = static_cast<std::remove_cvref_t<decltype(value.size)>>(get<std::uint64_t>());
    } else if constexpr (is_binary_data<T>) {
      loadBinary(value.data, value.size);
    } else if constexpr (is_own_base<T>) {
      fill(*value.base_ptr);
    } else if constexpr (!has_serializer<T> && is_passed_on<Root, T>) {
      base::operator()(value);
    } else if constexpr (!transferable<T>) {
      static_cast<void>(&hinders<Root, T>::noted);
    } else if constexpr (is_bytes<Root, T>) {
      loadBinary(std::addressof(value), sizeof(T));
    } else if constexpr (std::is_array_v<T> || is_std_array<T>) {
      for (auto& element : value) fill(element);
    } else {
      value = get<T>();
    }
  }

  /// A number of elements that take at least so many bytes each in the rest.
  std::size_t count_of(std::size_t element_bytes) {
    auto const count = get<std::uint64_t>();
    if (count > rest_.size() / element_bytes) throw error(too_short);
    return count;
  }

  template <class T>
  void append(T& range) {
    using value = typename transfer_detail::filling<typename T::value_type>::type;
    if constexpr (requires { range.emplace_back(get<value>()); })
      range.emplace_back(get<value>());
    else
      range.insert(range.end(), get<value>());
  }

  template <class T, std::size_t... Index>
  T get_product(std::index_sequence<Index...>) {
    if constexpr (transfer_detail::is_std_array<T> && std::default_initializable<T>) {
      T all;
      for (auto& element : all) fill(element);
      return all;
    } else
      return T{get<std::remove_const_t<std::tuple_element_t<Index, T>>>()...};  // in this order
  }

  template <class T, std::size_t Index>
  T get_variant(std::uint64_t index) {
    if constexpr (Index == std::variant_size_v<T>) {
      throw error("a message between ranks has an alternative that its std::variant does not have");
    } else {
      if (index != Index) return get_variant<T, Index + 1>(index);
      return T(std::in_place_index<Index>, get<std::remove_const_t<std::variant_alternative_t<Index, T>>>());
    }
  }

  template <class U>
  std::shared_ptr<U> get_shared() {
    using pointee = std::remove_const_t<U>;
    auto const number = get<std::uint64_t>();
    if (number == 0) return nullptr;
    if (number <= shared_.size()) {
      if (!shared_[number - 1])
        throw error("an object that holds a std::shared_ptr to itself needs a default constructor");
      return std::static_pointer_cast<U>(shared_[number - 1]);
    }
    if (number != shared_.size() + 1) throw error("a message between ranks has a std::shared_ptr to nothing");
    shared_.emplace_back();
    std::shared_ptr<pointee> made;
    if constexpr (!has_serializer<pointee> && transfer_detail::is_passed_on<Root, pointee>) {
      shared_[number - 1] = made = std::make_shared<pointee>();  // first, since it may hold a pointer to itself
      fill(*made);
    } else {
      shared_[number - 1] = made = std::make_shared<pointee>(get<pointee>());
    }
    return made;
  }

  std::span<std::byte const> rest_;
  std::vector<std::shared_ptr<void>> shared_;
};

/// For values that cereal writes itself: versions of classes, and results of save_minimal().
template <class Root, class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(packer<Root>& archive, cereal::NameValuePair<T>& named) {
  archive(named.value);
}
template <class Root, class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(unpacker<Root>& archive, cereal::NameValuePair<T>& named) {
  archive(named.value);
}
template <class Root, class T>
requires std::is_arithmetic_v<T>
void CEREAL_SAVE_FUNCTION_NAME(packer<Root>& archive, T const& value) {
  archive(value);
}
template <class Root, class T>
requires std::is_arithmetic_v<T>
void CEREAL_LOAD_FUNCTION_NAME(unpacker<Root>& archive, T& value) {
  archive(value);
}
template <class Root, class C, class Tr, class A>
void CEREAL_SAVE_FUNCTION_NAME(packer<Root>& archive, std::basic_string<C, Tr, A> const& value) {
  archive(value);
}
template <class Root, class C, class Tr, class A>
void CEREAL_LOAD_FUNCTION_NAME(unpacker<Root>& archive, std::basic_string<C, Tr, A>& value) {
  archive(value);
}

}  // namespace runtime
}  // namespace skel

namespace cereal::traits::detail {

template <class Root>
struct get_output_from_input<skel::runtime::unpacker<Root>> {
  using type = skel::runtime::packer<Root>;
};
template <class Root>
struct get_input_from_output<skel::runtime::packer<Root>> {
  using type = skel::runtime::unpacker<Root>;
};

}  // namespace cereal::traits::detail
