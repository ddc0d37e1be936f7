#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace skel {

/// One line over time; `kind` is the class of its colour: "measured" or "forecast".
struct chart_line {
  std::string name;
  std::string kind;
  std::vector<std::pair<double, double>> points;  ///< [s], value; those that are not finite are left out
};

/// Where something is expected to be between two moments.
struct chart_band {
  double from = 0, to = 0;  ///< [s]
  double low = 0, high = 0;
};

/// Something that happened; `kind` is the class of its colour: "moved", "refused" or "stayed".
struct chart_mark {
  double at = 0;  ///< [s]
  std::string kind;
  std::string says;
};

/// A bar of a row: what was so from then to then; `kind` is the class of its colour: "bar", "ghosts" or "reduced".
struct chart_bar {
  double from = 0, to = 0;  ///< [s]
  std::string says;
  std::string kind = "bar";
};
struct chart_row {
  std::string name;
  std::vector<chart_bar> bars;
};

/// Lines, or rows of bars, over the time of a run.
struct time_chart {
  std::string title;        ///< with the unit of the values
  double seconds = 0;       ///< to the end of the time axis [s]
  std::string unit = " s";  ///< of the time axis, behind its numbers; empty: it counts supersteps, as all times here do
  double most = 0;          ///< that the value axis reaches at least
  bool small = false;       ///< half as wide, to stand beside others
  std::vector<chart_line> lines{};
  std::vector<chart_band> bands{};
  std::vector<chart_mark> marks{};
};

/// A picture over the supersteps of a run: points from left to right, and rows from above.
struct picture_chart {
  std::string title;
  double supersteps = 0;  ///< to the end of the axis
  double shown = 0;       ///< of these the picture has the first so many
  std::size_t rows = 0;   ///< that the upper edge to the lower one stand for: 0 to rows
  std::string address;    ///< of the image, as png_address() says it
  std::vector<chart_mark> marks{};
};

/// As SVG for a page whose style names the classes: what is said of lines, bands and marks appears under the pointer.
/// Any text may be in it. O(points).
std::string to_svg(time_chart const& chart);

/// Rows of bars, which say what there was and when, with marks over all of them.
std::string to_svg(std::string const& title, double seconds, std::vector<chart_row> const& rows,
                   std::vector<chart_mark> const& marks);

/// The picture with its axes, which are as wide as those of a time_chart.
std::string to_svg(picture_chart const& chart);

}  // namespace skel
