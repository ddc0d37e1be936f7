#include "support/scatter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace bench {
namespace {

constexpr double size = 520, margin = 70;

/// From a value to its place on either axis, 0 to 1.
struct log_axis {
  double low, high;

  double place(double value) const { return std::log(value / low) / std::log(high / low); }
  double x(double value) const { return margin + size * place(value); }
  double y(double value) const { return margin + size * (1 - place(value)); }
};

log_axis axis_of(std::vector<point_series> const& series) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (auto const& each : series)
    for (auto const* values : {&each.x, &each.y})
      for (double value : *values) low = std::min(low, value), high = std::max(high, value);
  if (!(low < high)) return {low / 2, low * 2};
  return {low / 1.1, high * 1.1};
}

/// 1, 2 and 5 times powers of ten inside the axis; more of them where the axis is short.
std::vector<double> ticks_of(log_axis const& axis) {
  std::vector<double> ticks;
  bool const dense = axis.high / axis.low < 10;
  double const power = std::pow(10, std::floor(std::log10(axis.low)));
  for (double decade = power; decade <= axis.high; decade *= 10)
    for (double step : dense ? std::vector<double>{1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8} : std::vector<double>{1, 2, 5})
      if (decade * step >= axis.low && decade * step <= axis.high) ticks.push_back(decade * step);
  return ticks;
}

std::string line(log_axis const& axis, double factor, std::string const& style) {
  double const low = std::max(axis.low, axis.low / factor), high = std::min(axis.high, axis.high / factor);
  return fmt::format("<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' {}/>\n", axis.x(low), axis.y(low * factor),
                     axis.x(high), axis.y(high * factor), style);
}

}  // namespace

std::string scatter_svg(std::string const& title, std::string const& x_label, std::string const& y_label,
                        std::vector<point_series> const& series, double band) {
  auto const axis = axis_of(series);
  double const all = size + 2 * margin, middle = all / 2;
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {0}' font-family='sans-serif' font-size='13'>\n"
      "<rect width='{0}' height='{0}' fill='white'/>\n"
      "<rect x='{1}' y='{1}' width='{2}' height='{2}' fill='none' stroke='#444'/>\n"
      "<text x='{3}' y='32' text-anchor='middle' font-size='16'>{4}</text>\n"
      "<text x='{3}' y='{5}' text-anchor='middle'>{6}</text>\n"
      "<text x='18' y='{3}' text-anchor='middle' transform='rotate(-90 18 {3})'>{7}</text>\n",
      all, margin, size, middle, title, all - 18, x_label, y_label);
  for (double tick : ticks_of(axis))
    svg += fmt::format(
        "<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{:g}</text><text x='{:.1f}' y='{:.1f}' "
        "text-anchor='end'>{:g}</text>\n",
        axis.x(tick), all - margin + 18, tick, margin - 6, axis.y(tick) + 4, tick);
  svg += line(axis, 1, "stroke='#444'");
  for (double factor : {1 - band, 1 + band}) svg += line(axis, factor, "stroke='#999' stroke-dasharray='4 3'");
  double legend = margin + 20;
  for (auto const& each : series) {
    svg += fmt::format("<circle cx='{0}' cy='{1:.1f}' r='4' fill='{2}'/><text x='{3}' y='{4:.1f}'>{5}</text>\n",
                       margin + 14, legend, each.colour, margin + 24, legend + 4, each.name);
    legend += 18;
    for (std::size_t i = 0; i < each.x.size(); ++i)
      svg += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='4' fill='{}' fill-opacity='0.7'/>\n", axis.x(each.x[i]),
                         axis.y(each.y[i]), each.colour);
  }
  return svg + "</svg>\n";
}

}  // namespace bench
