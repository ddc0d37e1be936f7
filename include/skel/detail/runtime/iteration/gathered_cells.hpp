#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <skel/detail/runtime/gathered_values.hpp>
#include <skel/detail/runtime/iteration/errors.hpp>

namespace skel::runtime::iteration {

/// What a function gives of the cell of each element, on its way to all ranks.
template <class Value>
class gathered_cells : public gathered_values<Value> {
 public:
  explicit gathered_cells(std::size_t elements) : gathered_values<Value>(elements) {}

  /// Appends what it gives of the cells of a typed_part.
  template <class Part, class Of>
  static std::optional<mesh_failure> write(Part const& part, Of const& of, std::string& to) {
    std::size_t now = 0;
    try {
      part.for_each_cell([&](std::size_t element, auto const& cell) {
        now = element;
        gathered_values<Value>::write(static_cast<std::uint32_t>(element), of(cell), to);
      });
      return std::nullopt;
    } catch (...) {
      return describe({.during = mesh_failure::kind::result, .element = now});
    }
  }
};

}  // namespace skel::runtime::iteration
