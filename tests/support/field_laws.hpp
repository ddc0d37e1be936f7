#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/base/fields.hpp>

/// Gives a field, and all fields inside it, a value that is not its default. Types that are not known here stay.
template <class T>
void fill(T& value) {
  if constexpr (skel::has_fields<T>)
    skel::for_each_field(value, [](std::string_view, auto& field) { fill(field); });
  else if constexpr (std::is_same_v<T, bool>)
    value = !value;
  else if constexpr (std::is_arithmetic_v<T>)
    value += static_cast<T>(3);
  else if constexpr (std::is_same_v<T, std::string>)
    value += "text";
  else if constexpr (requires { value.emplace_back(); })
    value.emplace_back(), fill(value.back());
  else if constexpr (requires { value.emplace().operator=(value.value()); })
    fill(value.emplace());
}

/// Laws of structs that name their fields: names differ and there is one for each field. An archive has every field,
/// and reads back what it wrote. write(value) gives text, read(text) a value.
template <skel::has_fields T, class Write, class Read>
void check_field_laws(Write write, Read read) {
  T value{};
  std::set<std::string> names;
  std::size_t fields = 0;
  skel::for_each_field(value, [&](std::string_view name, auto& field) {
    ++fields;
    EXPECT_FALSE(name.empty());
    EXPECT_EQ(name.find_first_of(" ,."), std::string_view::npos) << name;
    names.emplace(name);
    auto const before = write(value);
    fill(field);
    if constexpr (!std::is_enum_v<std::remove_reference_t<decltype(field)>>) {
      EXPECT_NE(write(value), before) << name << " is not written";
    }
  });
  EXPECT_EQ(names.size(), fields);
  EXPECT_EQ(write(read(write(value))), write(value)) << T::field_names;
}
