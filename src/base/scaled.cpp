#include <skel/detail/base/scaled.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace skel {

std::string scaled(double value, char const* unit) {
  if (!(value > 0)) return "-";
  static constexpr char const* prefixes[] = {"n", "u", "m", "", "k", "M", "G"};
  int step = static_cast<int>(std::floor(std::log10(value) / 3));
  step = std::clamp(step, -3, 3);
  char text[64];
  std::snprintf(text, sizeof text, "%.3g %s%s", value / std::pow(1000.0, step), prefixes[step + 3], unit);
  return text;
}

}  // namespace skel
