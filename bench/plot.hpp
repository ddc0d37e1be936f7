#pragma once

#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/chart.hpp>
#include <skel/detail/base/output_file.hpp>

namespace bench {

/// How the values of an axis are spread.
enum class scale { linear, logarithmic };

struct axis {
  std::string label;
  scale spread = scale::linear;
};

/// One line of a plot; points are joined in the order given, unless they are only a cloud.
struct series {
  std::string name;
  std::vector<std::pair<double, double>> points;
  bool joined = true;
};

/// Lines over two axes, written as SVG: nothing but text, so that plots can be compared and kept in a repository.
class plot {
 public:
  plot(std::string title, axis const& x, axis const& y)
      : chart_{.title = std::move(title),
               .x = {.label = x.label, .logarithmic = x.spread == scale::logarithmic},
               .y = {.label = y.label, .logarithmic = y.spread == scale::logarithmic}} {}

  void add(series line) {
    chart_.lines.push_back({.name = std::move(line.name), .points = std::move(line.points), .joined = line.joined});
  }

  std::string svg() const { return skel::svg_file({skel::drawn(chart_)}); }

  /// Throws skel::error when the file cannot be written.
  void write(std::string const& file) const {
    skel::output_file out(file);
    out.write(svg());
    out.finish();
  }

 private:
  skel::chart chart_;
};

}  // namespace bench
