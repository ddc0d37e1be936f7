#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/runtime/bytes.hpp>
#include <skel/detail/runtime/iteration/errors.hpp>
#include <skel/detail/runtime/transferable.hpp>

namespace skel::runtime::iteration {

/// What a function gives of the cell of each element, on its way to all ranks.
template <class Value>
class gathered_cells {
  static_assert(check_transferable<Value>::value);

 public:
  explicit gathered_cells(std::size_t elements) : all_(elements) {}

  /// Appends what it gives of the cells of a typed_part.
  template <class Part, class Of>
  static std::optional<mesh_failure> write(Part const& part, Of const& of, std::string& to) {
    std::size_t now = 0;
    try {
      part.for_each_cell([&](std::size_t element, auto const& cell) {
        now = element;
        put_number(to, static_cast<std::uint32_t>(element));
        put_value<Value>(to, of(cell));
      });
      return std::nullopt;
    } catch (...) {
      return describe({.during = mesh_failure::kind::result, .element = now});
    }
  }
  /// Takes what a rank has written, once of each rank. Throws what the author's serializer throws.
  void read(std::span<std::byte const> bytes) {
    if (bytes.empty()) return;
    while (!bytes.empty()) {
      auto const element = take_number<std::uint32_t>(bytes);
      all_.at(element).emplace(take_value<Value>(bytes));
      ++come_;
    }
    if (come_ < all_.size()) return;
    values_.reserve(all_.size());
    for (auto& one : all_) values_.push_back(*std::move(one));
  }
  /// By the numbers of the elements, when all have come. Takes no memory.
  std::vector<Value> take() { return std::move(values_); }

 private:
  std::vector<std::optional<Value>> all_;
  std::size_t come_ = 0;
  std::vector<Value> values_;
};

}  // namespace skel::runtime::iteration
