#include "time_chart.hpp"

#include <algorithm>
#include <cmath>

#include <skel/detail/base/html_text.hpp>
#include <skel/detail/base/shown.hpp>

#include "figure_text.hpp"

namespace skel {

namespace {

/// Of the drawing, in its own units: a page shows it as wide as there is room for.
constexpr double plot_left = 64, plot_width = 640, small_width = 300, plot_margin = 16, plot_top = 26,
                 plot_height = 130, picture_height = 220, axis_height = 24;
constexpr double row_height = 18, name_width = 180;
constexpr std::size_t longest_row_name = 28;

/// 0 and values at round numbers up to this one, five of them at most. Precondition: high is more than 0.
std::vector<double> ticks(double high) {
  double const power = std::pow(10.0, std::floor(std::log10(high)));
  double step = power;
  for (double const part : {0.2, 0.5, 1.0, 2.0}) {
    step = part * power;
    if (high / step <= 5) break;
  }
  std::vector<double> out;
  for (int k = 0; k * step <= high * (1 + 1e-9); ++k) out.push_back(k * step);
  return out;
}

/// From time and value to the drawing.
struct frame {
  double begin, end, seconds, most, bottom;

  double x(double at) const { return begin + (end - begin) * std::clamp(at / seconds, 0.0, 1.0); }
  double y(double value) const { return bottom - (bottom - plot_top) * std::clamp(value / most, 0.0, 1.0); }
};

std::string opening(std::string const& title, double end, double tall) {
  return print("<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\">", end + plot_margin, tall) + "<title>" + in_html(title) +
         "</title><text class=\"title\" x=\"4\" y=\"15\">" + in_html(title) + "</text>\n";
}

std::string time_axis(frame const& in, std::string const& unit) {
  std::string out;
  for (double const at : ticks(in.seconds))
    out += print("<line class=\"rule\" x1=\"%.1f\" y1=\"%.0f\" x2=\"%.1f\" y2=\"%.1f\"/>", in.x(at), plot_top, in.x(at),
                 in.bottom) +
           print("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.5g", in.x(at), in.bottom + 15, at) +
           in_html(unit) + "</text>\n";
  return out;
}

std::string drawn(std::vector<chart_mark> const& marks, frame const& in) {
  std::string out;
  for (auto const& mark : marks)
    out += "<g class=\"mark " + in_html(mark.kind) + "\"><title>" + in_html(mark.says) + "</title>" +
           print("<line x1=\"%.1f\" y1=\"%.0f\" x2=\"%.1f\" y2=\"%.1f\"/>", in.x(mark.at), plot_top, in.x(mark.at),
                 in.bottom) +
           print("<circle cx=\"%.1f\" cy=\"%.0f\" r=\"4\"/></g>\n", in.x(mark.at), plot_top);
  return out;
}

std::string drawn(chart_line const& line, frame const& in) {
  std::string points;
  std::size_t count = 0;
  for (auto const& [at, value] : line.points) {
    if (!std::isfinite(at) || !std::isfinite(value)) continue;
    points += print("%.1f,%.1f ", in.x(at), in.y(value));
    ++count;
  }
  if (count == 0) return "";
  if (count == 1) points += points;  // so that its end is seen
  return "<polyline class=\"" + in_html(line.kind) + "\" points=\"" + points + "\"><title>" + in_html(line.name) +
         "</title></polyline>\n";
}

/// The value at the top. Where something was measured that says it, and what was expected is drawn as far as there is
/// room: up to twice as much, so that a forecast that is off by a factor leaves of the measurements more than a line at
/// the bottom.
double top_of(time_chart const& chart) {
  double measured = chart.most, expected = 0;
  for (auto const& line : chart.lines)
    for (auto const& [at, value] : line.points)
      if (double& most = line.kind == "measured" ? measured : expected; std::isfinite(value))
        most = std::max(most, value);
  for (auto const& band : chart.bands)
    if (std::isfinite(band.high)) expected = std::max(expected, band.high);
  return measured > 0 ? std::max(measured, std::min(expected, 2 * measured)) : expected;
}

}  // namespace

std::string to_svg(time_chart const& chart) {
  double const most = top_of(chart);
  double const end = plot_left + (chart.small ? small_width : plot_width);
  frame const in{plot_left, end, chart.seconds > 0 ? chart.seconds : 1, most > 0 ? most : 1, plot_top + plot_height};
  std::string out = opening(chart.title, end, plot_top + plot_height + axis_height);
  for (double const value : ticks(in.most))
    out +=
        print("<line class=\"rule\" x1=\"%.0f\" y1=\"%.1f\" x2=\"%.0f\" y2=\"%.1f\"/>", plot_left, in.y(value), end,
              in.y(value)) +
        print("<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n", plot_left - 6, in.y(value) + 4, value);
  out += time_axis(in, chart.unit);
  for (auto const& band : chart.bands) {
    if (!std::isfinite(band.low) || !std::isfinite(band.high)) continue;
    out += print("<rect class=\"band\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", in.x(band.from),
                 in.y(band.high), std::max(0.0, in.x(band.to) - in.x(band.from)),
                 std::max(0.0, in.y(band.low) - in.y(band.high)));
  }
  for (auto const& line : chart.lines) out += drawn(line, in);
  return out + drawn(chart.marks, in) + "</svg>\n";
}

std::string to_svg(std::string const& title, double seconds, std::vector<chart_row> const& rows,
                   std::vector<chart_mark> const& marks) {
  double const bottom = plot_top + row_height * static_cast<double>(rows.size());
  frame const in{name_width, plot_left + plot_width, seconds > 0 ? seconds : 1, 1, bottom};
  std::string out = opening(title, in.end, bottom + axis_height) + time_axis(in, " s");
  double y = plot_top;
  for (auto const& row : rows) {
    out += "<g><title>" + in_html(row.name) + "</title>" +
           print("<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">", name_width - 6, y + 13) +
           in_html(printable(row.name, longest_row_name)) + "</text></g>\n";
    for (auto const& bar : row.bars)
      out += "<rect class=\"" + in_html(bar.kind) + "\" " +
             print("x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\"><title>", in.x(bar.from), y + 2,
                   std::max(1.0, in.x(bar.to) - in.x(bar.from)), row_height - 4) +
             in_html(row.name + ": " + bar.says) + "</title></rect>\n";
    y += row_height;
  }
  return out + drawn(marks, in) + "</svg>\n";
}

std::string to_svg(picture_chart const& chart) {
  frame const in{plot_left, plot_left + plot_width, chart.supersteps > 0 ? chart.supersteps : 1, 1,
                 plot_top + picture_height};
  std::string out = opening(chart.title, in.end, in.bottom + axis_height) + time_axis(in, "");
  double const rows = static_cast<double>(std::max<std::size_t>(1, chart.rows));
  for (double const row : ticks(rows)) {
    double const y = plot_top + picture_height * row / rows;
    out += print("<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%.5g</text>\n", plot_left - 6, y + 4, row);
  }
  out += print("<image class=\"picture\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" ", plot_left, plot_top,
               in.x(chart.shown) - plot_left, picture_height) +
         "preserveAspectRatio=\"none\" href=\"" + in_html(chart.address) + "\"/>\n";
  return out + drawn(chart.marks, in) + "</svg>\n";
}

}  // namespace skel
