#pragma once

#include <algorithm>
#include <cmath>

namespace skel::cost {

/// Of counts and shares, which may be 0.
inline double log2_of(double x) {
  return std::log2(std::max(x, 1e-6));
}

}  // namespace skel::cost
