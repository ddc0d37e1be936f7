#include <skel/detail/base/scaled.hpp>

#include <algorithm>
#include <cmath>

#include <skel/detail/base/number.hpp>

namespace skel {

std::string scaled(double value, char const* unit) {
  if (!(value > 0)) return "-";
  static constexpr char const* prefixes[] = {"n", "u", "m", "", "k", "M", "G"};
  int step = static_cast<int>(std::floor(std::log10(value) / 3));
  step = std::clamp(step, -3, 3);
  return shown(value / std::pow(1000.0, step), 3) + " " + prefixes[step + 3] + unit;
}

}  // namespace skel
