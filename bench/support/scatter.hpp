#pragma once

#include <string>
#include <vector>

namespace bench {

/// Points of one colour.
struct point_series {
  std::string name, colour;
  std::vector<double> x, y;
};

/// An SVG of points on two equal logarithmic axes, with the line y = x and a band of +-`band` (0.05: 5 %) around it.
/// All coordinates positive. O(points).
std::string scatter_svg(std::string const& title, std::string const& x_label, std::string const& y_label,
                        std::vector<point_series> const& series, double band);

}  // namespace bench
