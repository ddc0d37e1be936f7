#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skel {

/// Shapes as SVG, with their width and height.
struct drawing {
  std::string title{};
  double width = 0, height = 0;
  std::string shapes{};
};

/// For a page that has chart_style(). Any text may be the title. O(shapes).
std::string to_svg(drawing const& of);

/// A file of its own, one drawing above the other.
std::string svg_file(std::vector<drawing> const& all);

/// The style sheet that gives shapes their colours by their kinds, on light and on dark paper.
std::string_view chart_style();

// Shapes. `kind` is their class in chart_style(). Any text may be in `says`, which appears under the pointer.
std::string line_shape(double x1, double y1, double x2, double y2, std::string const& kind,
                       std::string const& says = {});
std::string box_shape(double x, double y, double width, double height, std::string const& kind,
                      std::string const& says = {});
/// `anchor`: "start", "middle" or "end".
std::string text_shape(double x, double y, std::string const& anchor, std::string const& text,
                       std::string const& kind = {});

/// One line of a chart. Without a kind it has a colour of its own, dots, and its name beside the chart.
struct chart_line {
  std::string name;
  std::string kind{};                             ///< "measured", "part" or "forecast"
  std::vector<std::pair<double, double>> points;  ///< without those that the axes cannot show
  bool joined = true;                             ///< else it is a cloud
};

/// The expected range of a value between two places of the axis.
struct chart_band {
  double from = 0, to = 0;
  double low = 0, high = 0;
};

/// Something that happened.
struct chart_mark {
  double at = 0;
  std::string kind;  ///< "moved" or "refused"
  std::string says;
};

/// A state from one place of the axis to another one.
struct chart_bar {
  double from = 0, to = 0;
  std::string says;
  std::string kind = "bar";  ///< from dark to light: "bar", "ghosts", "reduced"
};
struct chart_row {
  std::string name;
  std::vector<chart_bar> bars;
};

/// Points from left to right, in rows from above.
struct chart_image {
  std::string address;  ///< "data:image/png;base64,..."
  double from = 0, until = 0;  ///< on the axis
  double rows = 0;      ///< that its height stands for
};

struct chart_axis {
  std::string label{};
  std::string unit{};  ///< stands behind each number
  double most = 0;     ///< it reaches at least so far
  bool logarithmic = false;
};

/// Lines, rows of bars or an image over one axis, with marks over all of it. Linear axes have the 0.
struct chart {
  std::string title{};
  chart_axis x{}, y{};
  bool small = false;  ///< half as wide, to stand beside others
  std::vector<chart_line> lines{};
  std::vector<chart_band> bands{};
  std::vector<chart_row> rows{};
  chart_image image{};
  std::vector<std::pair<std::string, std::string>> keys{};  ///< kinds of bars, and what they mean
  std::vector<chart_mark> marks{};
};

/// Measured values decide how high a chart is. Expected ones add at most as much again. Any text may be in it.
/// O(points).
drawing drawn(chart const& of);

}  // namespace skel
