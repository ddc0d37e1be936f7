#pragma once
#include <optional>

#include <skel/detail/pattern/compose.hpp>

namespace skel::test {

/// A source of the whole numbers from 0 to below n.
inline auto count_to(int n) {
  return source("count",
                [n, i = 0]() mutable -> std::optional<int> { return i < n ? std::optional(i++) : std::nullopt; });
}

}  // namespace skel::test
