#include "figure_text.hpp"

namespace skel {

std::string migration_price_text(double fixed, double per_byte) {
  if (!(per_byte > 0)) return scaled(fixed, "s");
  return (fixed > 0 ? scaled(fixed, "s") + " and " : std::string()) + scaled(per_byte, "s/B");
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

}  // namespace skel
