#include <skel/detail/base/chart.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>

#include "chart_style_text.hpp"

namespace skel {

namespace {

/// Of the drawing, in its own units: a page shows it as wide as there is room for.
constexpr double plot_left = 64, names_right = 180, plot_right = 704, small_right = 364, margin = 16, names_width = 200,
                 title_height = 26, label_height = 16, axis_height = 24, row_height = 18, key_width = 190;
constexpr double height_of_lines = 130, height_of_named_lines = 280, height_of_image = 220;
constexpr std::size_t longest_row_name = 28;

std::string element(std::string const& tag, std::string const& says) {
  return tag +
         (says.empty() ? "/>\n" : "><title>" + in_html(says) + "</title></" + tag.substr(1, tag.find(' ') - 1) + ">\n");
}

std::string kind_of(std::string const& kind) {
  return kind.empty() ? "" : " class=\"" + in_html(kind) + "\"";
}

/// Of an axis, or of the exponents of a logarithmic one.
struct scale {
  double low = 0, high = 1;
  bool logarithmic = false;

  bool shows(double value) const { return std::isfinite(value) && (!logarithmic || value > 0); }
  double part(double value) const {
    return std::clamp(((logarithmic ? std::log10(value) : value) - low) / (high - low), 0.0, 1.0);
  }
  /// At round numbers, five of them at most on a linear axis.
  std::vector<double> ticks() const {
    std::vector<double> out;
    if (logarithmic) {
      for (double exponent = low; exponent <= high; ++exponent) out.push_back(std::pow(10, exponent));
      return out;
    }
    double const power = std::pow(10, std::floor(std::log10(high - low)));
    double step = power;
    for (double const part : {0.2, 0.5, 1.0, 2.0}) {
      step = part * power;
      if ((high - low) / step <= 5) break;
    }
    for (double k = std::ceil(low / step); k * step <= high + 1e-9 * step; ++k) out.push_back(k * step);
    return out;
  }
};

struct extent {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  void take(double value) { least = std::min(least, value), most = std::max(most, value); }
};

scale scale_of(chart_axis const& axis, extent of) {
  if (axis.most > 0) of.take(axis.most);
  if (!axis.logarithmic) of.take(0);
  if (!(of.least <= of.most)) return {0, 1, axis.logarithmic};
  if (axis.logarithmic) of = {std::floor(std::log10(of.least)), std::ceil(std::log10(of.most))};
  return {of.least, of.most > of.least ? of.most : of.least + 1, axis.logarithmic};
}

/// From values to the drawing.
struct frame {
  double left, right, top, bottom;
  scale across, up;

  double x(double at) const { return left + (right - left) * across.part(at); }
  double y(double value) const { return bottom - (bottom - top) * up.part(value); }
};

std::pair<scale, scale> scales_of(chart const& of) {
  scale const any_x{.logarithmic = of.x.logarithmic}, any_y{.logarithmic = of.y.logarithmic};
  extent across, measured, expected;
  for (auto const& line : of.lines)
    for (auto const& [x, y] : line.points)
      if (any_x.shows(x) && any_y.shows(y)) across.take(x), (line.kind == "forecast" ? expected : measured).take(y);
  for (auto const& band : of.bands)
    if (any_y.shows(band.high)) expected.take(band.high);
  // A forecast that is off by a factor leaves of the measurements more than a line at the bottom.
  if (expected.most > 0)
    measured.take(std::max(measured.most, of.y.most) > 0
                      ? std::min(expected.most, 2 * std::max(measured.most, of.y.most))
                      : expected.most);
  return {scale_of(of.x, of.x.most > 0 && !of.x.logarithmic ? extent{} : across), scale_of(of.y, measured)};
}

std::string points_of(chart_line const& line, frame const& in, std::string const& colour, std::size_t named) {
  std::string points, dots;
  std::size_t count = 0;
  for (auto const& [x, y] : line.points) {
    if (!in.across.shows(x) || !in.up.shows(y)) continue;
    points += print("%.1f,%.1f ", in.x(x), in.y(y));
    dots += line.kind.empty()
                ? print("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" ", in.x(x), in.y(y)) + "fill=\"" + colour + "\"/>\n"
                : "";
    ++count;
  }
  if (count == 0) return "";
  if (count == 1) points += points;  // so that its end is seen
  std::string const stroke = line.kind.empty() ? " stroke=\"" + colour + "\"" : kind_of(line.kind);
  std::string out = line.joined ? element("<polyline" + stroke + " points=\"" + points + "\"", line.name) : "";
  if (!line.kind.empty()) return out;
  double const x = in.right + margin, y = in.top + 10 + row_height * static_cast<double>(named);
  return out + dots + print("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" ", x, y) + "fill=\"" + colour + "\"/>\n" +
         text_shape(x + 10, y + 4, "start", line.name);
}

std::string lines_of(chart const& of, frame const& in) {
  static constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#7f7f7f", "#b0b0b0"};
  std::string out;
  for (double const value : in.up.ticks())
    out += line_shape(in.left, in.y(value), in.right, in.y(value), "rule") +
           text_shape(in.left - 6, in.y(value) + 4, "end", print("%.4g", value) + of.y.unit);
  for (auto const& band : of.bands)
    if (std::isfinite(band.low) && std::isfinite(band.high))
      out += box_shape(in.x(band.from), in.y(band.high), std::max(0.0, in.x(band.to) - in.x(band.from)),
                       std::max(0.0, in.y(band.low) - in.y(band.high)), "band");
  std::size_t named = 0;
  for (auto const& line : of.lines) {
    auto const shapes = points_of(line, in, colours[named % colours.size()], named);
    if (line.kind.empty() && !shapes.empty()) ++named;
    out += shapes;
  }
  return out;
}

std::string rows_of(chart const& of, frame const& in) {
  std::string out;
  double y = in.top;
  for (auto const& row : of.rows) {
    out += "<g><title>" + in_html(row.name) + "</title>" +
           text_shape(in.left - 6, y + 13, "end", printable(row.name, longest_row_name)) + "</g>\n";
    for (auto const& bar : row.bars)
      out += box_shape(in.x(bar.from), y + 2, std::max(1.0, in.x(bar.to) - in.x(bar.from)), row_height - 4, bar.kind,
                       row.name + ": " + bar.says);
    y += row_height;
  }
  double x = in.left;
  for (auto const& [kind, means] : of.keys) {
    out += box_shape(x, in.bottom + axis_height, 10, 10, kind) +
           text_shape(x + 15, in.bottom + axis_height + 9, "start", means);
    x += key_width;
  }
  return out;
}

std::string image_of(chart const& of, frame const& in) {
  std::string out;
  scale const rows = scale_of({.most = of.image.rows}, {});
  for (double const row : rows.ticks())
    out += text_shape(in.left - 6, in.top + (in.bottom - in.top) * rows.part(row) + 4, "end", print("%.5g", row));
  return out +
         print("<image class=\"picture\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" ", in.x(of.image.from),
               in.top, in.x(of.image.until) - in.x(of.image.from), in.bottom - in.top) +
         "preserveAspectRatio=\"none\" href=\"" + in_html(of.image.address) + "\"/>\n";
}

}  // namespace

std::string line_shape(double x1, double y1, double x2, double y2, std::string const& kind, std::string const& says) {
  return element("<line" + kind_of(kind) + print(" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"", x1, y1, x2, y2),
                 says);
}

std::string box_shape(double x, double y, double width, double height, std::string const& kind,
                      std::string const& says) {
  return element(
      "<rect" + kind_of(kind) + print(" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", x, y, width, height),
      says);
}

std::string text_shape(double x, double y, std::string const& anchor, std::string const& text,
                       std::string const& kind) {
  return "<text" + kind_of(kind) + print(" x=\"%.1f\" y=\"%.1f\"", x, y) +
         (anchor == "start" ? "" : " text-anchor=\"" + anchor + "\"") + ">" + in_html(text) + "</text>\n";
}

std::string to_svg(drawing const& of) {
  return print("<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\">", of.width, of.height) + "<title>" + in_html(of.title) +
         "</title>" + of.shapes + "</svg>\n";
}

std::string svg_file(std::vector<drawing> const& all) {
  double width = 0, height = 0;
  std::string shapes;
  for (auto const& one : all) {
    shapes += print("<g transform=\"translate(0 %.0f)\">\n", height) + one.shapes + "</g>\n";
    width = std::max(width, one.width), height += one.height;
  }
  return print("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\">\n<style>\n", width, height) +
         std::string(chart_style_text()) + "</style>\n" + box_shape(0, 0, width, height, "paper") + shapes + "</svg>\n";
}

std::string_view chart_style() {
  return chart_style_text();
}

drawing drawn(chart const& of) {
  bool const named = std::ranges::any_of(of.lines, [](auto const&line) { return line.kind.empty(); }),
             image = !of.image.address.empty();
  double const top = title_height + (of.y.label.empty() ? 0 : label_height),
               right = of.small ? small_right
                       : named  ? plot_right - names_width
                                : plot_right,
               height = !of.rows.empty() ? row_height * static_cast<double>(of.rows.size())
                        : image          ? height_of_image
                        : named          ? height_of_named_lines
                                         : height_of_lines;
  auto const [across, up] = scales_of(of);
  frame const in{of.rows.empty() ? plot_left : names_right, right, top, top + height, across, up};
  std::string shapes = text_shape(4, 15, "start", of.title, "title");
  for (double const at : across.ticks())
    shapes += line_shape(in.x(at), top, in.x(at), in.bottom, "rule") +
              text_shape(in.x(at), in.bottom + 15, "middle", print("%.5g", at) + of.x.unit);
  if (!of.x.label.empty())
    shapes += text_shape((in.left + right) / 2, in.bottom + axis_height + 8, "middle", of.x.label);
  if (!of.y.label.empty()) shapes += text_shape(4, title_height + 8, "start", of.y.label);
  shapes += !of.rows.empty() ? rows_of(of, in) : image ? image_of(of, in) : lines_of(of, in);
  for (auto const& mark : of.marks)
    shapes += "<g class=\"mark " + in_html(mark.kind) + "\"><title>" + in_html(mark.says) + "</title>" +
              line_shape(in.x(mark.at), top, in.x(mark.at), in.bottom, "") +
              print("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/></g>\n", in.x(mark.at), top);
  return {of.title, named ? plot_right + margin : right + margin,
          in.bottom + axis_height + (of.x.label.empty() && of.keys.empty() ? 0 : label_height), std::move(shapes)};
}

}  // namespace skel
