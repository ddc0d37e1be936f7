#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <skel/detail/runtime/bsp/errors.hpp>
#include <skel/detail/runtime/bsp/superstep.hpp>
#include <skel/detail/runtime/gathered_values.hpp>

namespace skel::runtime::bsp {

/// What a function gives of each process, on its way to all ranks.
template <class Value>
class gathered_results : public gathered_values<Value> {
 public:
  explicit gathered_results(std::size_t processes) : gathered_values<Value>(processes) {}

  /// Appends what it gives of the processes of a typed_group.
  template <class Group, class Of>
  static std::optional<process_failure> write(Group& group, Of const& of, std::string& to) {
    std::size_t now = 0;
    try {
      group.for_each_state([&](std::size_t process, auto& state) {
        now = process;
        gathered_values<Value>::write(static_cast<process_number>(process), of(process, state), to);
      });
      return std::nullopt;
    } catch (...) {
      return describe({process_failure::kind::result, now});
    }
  }
};

}  // namespace skel::runtime::bsp
