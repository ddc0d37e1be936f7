#pragma once

#include <cmath>
#include <random>

namespace bench {

/// A random number between two positive ones, log-uniform.
inline double draw_log(std::mt19937& random, double low, double high) {
  return std::exp(std::uniform_real_distribution(std::log(low), std::log(high))(random));
}

}  // namespace bench
