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

std::string off_by(double ratio, char const* of) {
  if (!(ratio > 0)) return "nothing " + std::string(of);
  if (ratio < 10 && ratio > 0.1) return print("%+.1f %%", 100 * (ratio - 1));
  if (ratio < 10 || ratio >= 1e6) return print("x %.2g ", ratio) + of;
  double const unit = std::pow(10, std::floor(std::log10(ratio)) - 1);
  return print("x %.0f ", std::round(ratio / unit) * unit) + of;
}

std::string rated(double per_second, char const* things) {
  static constexpr double seldom = 0.1, minute = 60, hour = 3600;
  std::string const of = things;
  if (!(per_second > 0)) return "-";
  if (per_second >= 1) return scaled(per_second, (of + "/s").c_str());
  if (per_second >= seldom) return print("%.3g %s/s", per_second, things);
  if (per_second * minute >= seldom) return print("%.3g %s/min", per_second * minute, things);
  return print("%.3g %s/h", per_second * hour, things);
}

std::string share_text(double share) {
  return std::isfinite(share) ? print("%.0f %%", 100 * share) : "-";
}

}  // namespace skel
