#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/runtime/bsp/errors.hpp>
#include <skel/detail/runtime/bsp/superstep.hpp>
#include <skel/detail/runtime/bytes.hpp>
#include <skel/detail/runtime/transferable.hpp>

namespace skel::runtime::bsp {

/// What a function gives of each process, on its way to all ranks.
template <class Value>
class gathered_results {
  static_assert(check_transferable<Value>::value);

 public:
  explicit gathered_results(std::size_t processes) : all_(processes) {}

  /// Appends what it gives of the processes of a typed_group.
  template <class Group, class Of>
  static std::optional<process_failure> write(Group& group, Of const& of, std::string& to) {
    std::size_t now = 0;
    try {
      group.for_each_state([&](std::size_t process, auto& state) {
        now = process;
        put_number(to, static_cast<process_number>(process));
        put_value<Value>(to, of(process, state));
      });
      return std::nullopt;
    } catch (...) {
      return describe({process_failure::kind::result, now});
    }
  }
  /// Takes what a rank has written, once of each rank. Throws what the author's serializer throws.
  void read(std::span<std::byte const> bytes) {
    if (bytes.empty()) return;
    for (; !bytes.empty(); ++come_) {
      auto const process = take_number<process_number>(bytes);
      all_.at(process).emplace(take_value<Value>(bytes));
    }
    if (come_ < all_.size()) return;
    values_.reserve(all_.size());
    for (auto& one : all_) values_.push_back(*std::move(one));
  }
  /// In the order of the processes, when all have come. Takes no memory.
  std::vector<Value> take() { return std::move(values_); }

 private:
  std::vector<std::optional<Value>> all_;
  std::size_t come_ = 0;
  std::vector<Value> values_;
};

}  // namespace skel::runtime::bsp
