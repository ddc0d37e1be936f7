#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>

/// Plots of results, as text.
namespace skel::plots {

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
  plot(std::string title, axis x, axis y) : title_(std::move(title)), x_(std::move(x)), y_(std::move(y)) {}

  /// Points that a logarithmic axis cannot show are left out.
  void add(series line) {
    std::erase_if(line.points, [&](auto const& p) {
      return (x_.spread == scale::logarithmic && !(p.first > 0)) ||
             (y_.spread == scale::logarithmic && !(p.second > 0));
    });
    if (!line.points.empty()) lines_.push_back(std::move(line));
  }

  std::string svg() const {
    auto const [left, right] = range(x_, [](auto const& p) { return p.first; });
    auto const [low, high] = range(y_, [](auto const& p) { return p.second; });
    auto const across = [&, l = left, r = right](double v) { return 70 + 420 * (at(x_, v) - l) / (r - l); };
    auto const up = [&, l = low, h = high](double v) { return 350 - 300 * (at(y_, v) - l) / (h - l); };
    std::string out =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 400\" font-family=\"sans-serif\" "
        "font-size=\"12\">\n"
        "<rect class=\"paper\" width=\"680\" height=\"400\" fill=\"white\"/>\n";
    out += text(280, 25, title_, "middle") + text(280, 390, x_.label, "middle");
    out += "<g transform=\"rotate(-90 18 200)\">" + text(18, 200, y_.label, "middle") + "</g>\n";
    for (double v : ticks(x_, left, right))
      out += segment(across(v), 50, across(v), 350, "#ddd") + text(across(v), 367, number(v), "middle");
    for (double v : ticks(y_, low, high))
      out += segment(70, up(v), 490, up(v), "#ddd") + text(64, up(v) + 4, number(v), "end");
    out += segment(70, 350, 490, 350, "black") + segment(70, 50, 70, 350, "black");
    static constexpr char const* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                              "#e69f00", "#56b4e9", "#000000", "#999999"};
    for (std::size_t k = 0; k < lines_.size(); ++k) {
      std::string const colour = colours[k % std::size(colours)];
      std::string path, dots;
      for (auto const& [a, b] : lines_[k].points) {
        path += number(across(a)) + "," + number(up(b)) + " ";
        dots +=
            "<circle cx=\"" + number(across(a)) + "\" cy=\"" + number(up(b)) + "\" r=\"3\" fill=\"" + colour + "\"/>\n";
      }
      if (lines_[k].joined)
        out += "<polyline fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"1.5\" points=\"" + path + "\"/>\n";
      out += dots;
      double const row = 60 + 18 * static_cast<double>(k);
      out += segment(500, row, 520, row, colour) + text(526, row + 4, lines_[k].name, "start");
    }
    return out + "</svg>\n";
  }

  /// Throws skel::error when the file cannot be written.
  void write(std::string const& file) const {
    std::ofstream out(file);
    out << svg();
    if (!out.flush()) throw error(file + ": cannot be written; choose a folder that exists");
  }

 private:
  static double at(axis const& a, double v) { return a.spread == scale::logarithmic ? std::log10(v) : v; }

  template <class Coordinate>
  std::pair<double, double> range(axis const& a, Coordinate coordinate) const {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (auto const& line : lines_)
      for (auto const& p : line.points)
        low = std::min(low, at(a, coordinate(p))), high = std::max(high, at(a, coordinate(p)));
    if (low > high) return {0, 1};
    if (a.spread == scale::logarithmic) low = std::floor(low), high = std::ceil(high);
    return {low, high > low ? high : low + 1};
  }

  static std::vector<double> ticks(axis const& a, double low, double high) {
    std::vector<double> result;
    if (a.spread == scale::logarithmic) {
      for (double e = low; e <= high + 1e-9; ++e) result.push_back(std::pow(10.0, e));
      return result;
    }
    double step = std::pow(10.0, std::floor(std::log10(high - low)));
    if ((high - low) / step < 4) step /= 2;
    for (double v = std::ceil(low / step) * step; v <= high + 1e-9 * step; v += step) result.push_back(v);
    return result;
  }

  static std::string number(double v) { return shown(v, 5); }
  static std::string text(double x, double y, std::string const& what, char const* anchor) {
    std::string safe;
    for (char c : what) safe += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
    return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\">" + safe + "</text>\n";
  }
  static std::string segment(double x1, double y1, double x2, double y2, std::string const& colour) {
    return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
           "\" stroke=\"" + colour + "\"" + kind_of(colour) + "/>\n";
  }
  /// What a page gives colours of its own.
  static std::string kind_of(std::string const& colour) {
    return colour == "#ddd" ? " class=\"rule\"" : colour == "black" ? " class=\"axis\"" : "";
  }

  std::string title_;
  axis x_, y_;
  std::vector<series> lines_;
};

}  // namespace skel::plots
