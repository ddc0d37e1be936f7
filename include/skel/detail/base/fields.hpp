#pragma once

#include <string_view>
#include <type_traits>
#include <utility>

/// Names fields of its struct, in their order: SKEL_FIELDS(name, hosts, speed); Archives between ranks have these
/// fields, and blocks of parameters in JSON have them under these names. Other fields stay on their rank. The struct
/// stays an aggregate, with its defaults and comments.
#define SKEL_FIELDS(...)             \
  template <class Archive>           \
  void serialize(Archive& archive) { \
    archive(__VA_ARGS__);            \
  }                                  \
  [[maybe_unused]] static constexpr char const* field_names = #__VA_ARGS__

namespace skel {

/// A struct that names its fields.
template <class T>
concept has_fields = requires {
  std::remove_const_t<T>::field_names;
};

/// Removes the first of some names and returns it. The last "_" of a name is not part of it: or_ is "or".
constexpr std::string_view take_field_name(std::string_view& names) {
  std::size_t const end = names.find(',');
  std::string_view name = names.substr(0, end);
  names.remove_prefix(end == std::string_view::npos ? names.size() : end + 2);
  if (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

/// Calls visit(name, field) for each of them, in their order.
template <has_fields T, class Visit>
void for_each_field(T& value, Visit visit) {
  using writable = std::remove_const_t<T>;
  std::string_view names = writable::field_names;
  auto const each = [&]<class... Fields>(Fields&... fields) {
    (visit(take_field_name(names), static_cast<std::conditional_t<std::is_const_v<T>, Fields const, Fields>&>(fields)),
     ...);
  };
  const_cast<writable&>(value).serialize(each);  // which only passes them on
}

}  // namespace skel
