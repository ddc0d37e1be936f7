#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <skel/detail/runtime/bytes.hpp>
#include <skel/detail/runtime/transferable.hpp>

namespace skel::runtime {

/// Values of numbered things, as processes or elements, on their way from the ranks that have made them to all ranks.
template <class Value>
class gathered_values {
  static_assert(check_transferable<Value>::value);

 public:
  /// For things with numbers from 0 to count - 1.
  explicit gathered_values(std::size_t count) : all_(count) {}

  /// Appends the value of a thing. Throws what the author's serializer throws.
  static void write(std::uint32_t number, Value const& value, std::string& to) {
    put_number(to, number);
    put_value<Value>(to, value);
  }
  /// Appends of(number, thing) for each thing of a group on this rank (`for_each`). If that throws, returns
  /// failed(number), called while the exception is being handled.
  template <class Group, class Of, class Failed>
  static std::optional<std::invoke_result_t<Failed const&, std::uint32_t>> write(Group& group, Of const& of,
                                                                                 std::string& to,
                                                                                 Failed const& failed) {
    std::uint32_t now = 0;
    try {
      group.for_each([&](std::size_t number, auto& thing) {
        now = static_cast<std::uint32_t>(number);
        write(now, of(number, thing), to);
      });
      return std::nullopt;
    } catch (...) {
      return failed(now);
    }
  }
  /// Takes the bytes that a rank has written, once for each rank. Throws what the author's serializer throws.
  void read(std::span<std::byte const> bytes) {
    if (bytes.empty()) return;
    for (; !bytes.empty(); ++come_) {
      auto const number = take_number<std::uint32_t>(bytes);
      all_.at(number).emplace(take_value<Value>(bytes));
    }
    if (come_ < all_.size()) return;
    values_.reserve(all_.size());
    for (auto& one : all_) values_.push_back(*std::move(one));
  }
  /// In the order of their numbers, when all have come. Takes no memory.
  std::vector<Value> take() { return std::move(values_); }

 private:
  std::vector<std::optional<Value>> all_;
  std::size_t come_ = 0;
  std::vector<Value> values_;
};

}  // namespace skel::runtime
