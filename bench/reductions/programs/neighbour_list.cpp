#include "neighbour_list.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>

namespace bench::reductions {

namespace {

/// The molecules of each cell of a grid whose cells are at least as wide as the cut-off.
class link_cells {
 public:
  link_cells(molecules const& of, double cut_off) : of_(of) {
    // More cells than molecules would only be empty.
    double const most = std::max(1.0, std::cbrt(static_cast<double>(of.size())));
    for (std::size_t d = 0; d < 3; ++d)
      cells_[d] = static_cast<std::size_t>(std::clamp(std::floor(of.box[d] / cut_off), 1.0, most));
    begin_.assign(cells_[0] * cells_[1] * cells_[2] + 1, 0);
    home_.resize(of.size());
    for (std::size_t i = 0; i < of.size(); ++i) {
      std::array<std::size_t, 3> at{};
      for (std::size_t d = 0; d < 3; ++d) {
        double const part = of.where[3 * i + d] / of.box[d] * static_cast<double>(cells_[d]);
        at[d] = static_cast<std::size_t>(std::clamp(part, 0.0, static_cast<double>(cells_[d] - 1)));
      }
      home_[i] = at;
      ++begin_[cell(at) + 1];
    }
    for (std::size_t c = 0; c + 1 < begin_.size(); ++c) begin_[c + 1] += begin_[c];
    inside_.resize(of.size());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t i = 0; i < of.size(); ++i) inside_[next[cell(home_[i])]++] = static_cast<skel::subscript>(i);
  }

  /// Calls visit(j) for every molecule j in the cell of a molecule and those around it.
  template <class Visit>
  void for_each_near(std::size_t i, Visit&& visit) const {
    std::array<std::array<std::size_t, 3>, 3> near{};
    std::array<std::size_t, 3> count{};
    for (std::size_t d = 0; d < 3; ++d) count[d] = around(home_[i][d], cells_[d], near[d]);
    for (std::size_t z = 0; z < count[2]; ++z)
      for (std::size_t y = 0; y < count[1]; ++y)
        for (std::size_t x = 0; x < count[0]; ++x) {
          std::size_t const c = cell({near[0][x], near[1][y], near[2][z]});
          for (std::size_t k = begin_[c]; k < begin_[c + 1]; ++k) visit(inside_[k]);
        }
  }

 private:
  std::size_t cell(std::array<std::size_t, 3> const& at) const {
    return at[0] + cells_[0] * (at[1] + cells_[1] * at[2]);
  }

  /// The different cells from one before to one behind; how many there are.
  std::size_t around(std::size_t at, std::size_t cells, std::array<std::size_t, 3>& near) const {
    std::size_t count = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bool const outside = (k == 0 && at == 0) || (k == 2 && at + 1 == cells);
      if (outside && !of_.periodic) continue;
      std::size_t const other = (at + cells + k - 1) % cells;
      if (std::find(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(count), other) ==
          near.begin() + static_cast<std::ptrdiff_t>(count))
        near[count++] = other;
    }
    return count;
  }

  molecules const& of_;
  std::array<std::size_t, 3> cells_{};
  std::vector<std::array<std::size_t, 3>> home_;
  std::vector<std::size_t> begin_;
  std::vector<skel::subscript> inside_;
};

}  // namespace

skel::mesh pairs_within(molecules const& of, double cut_off) {
  for (double const side : of.box)
    if (!(cut_off > 0) || (of.periodic && side < 2 * cut_off))
      throw skel::input_error("neighbour list", "",
                              "a periodic box " + std::to_string(side) + " wide has no pairs within " +
                                  std::to_string(cut_off) + "; take one at least twice as wide");
  link_cells const cells(of, cut_off);
  std::vector<skel::subscript> pairs;
  for (std::size_t i = 0; i < of.size(); ++i)
    cells.for_each_near(i, [&](skel::subscript j) {
      if (j <= i) return;
      double square = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        double gap = std::abs(of.where[3 * i + d] - of.where[3 * std::size_t{j} + d]);
        if (of.periodic && gap > of.box[d] / 2) gap = of.box[d] - gap;
        square += gap * gap;
      }
      if (square < cut_off * cut_off) pairs.insert(pairs.end(), {static_cast<skel::subscript>(i), j});
    });
  return {of.size(), skel::cell_kind::line, std::move(pairs), {3, of.where}};
}

}  // namespace bench::reductions
