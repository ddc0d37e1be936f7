#pragma once

#include <optional>

namespace skel::platform::detail {

/// The lesser of two bounds, of which either may be absent.
inline void tighten(std::optional<double>& bound, std::optional<double> other) {
  if (other && (!bound || *other < *bound)) bound = other;
}

}  // namespace skel::platform::detail
