#pragma once

/// A grid with refinements that come and go: the kernel `amr` of the Parallel Research Kernels. Source: Van der
/// Wijngaart, Georganas, Mattson, Wissink 2017, A new parallel research kernel to expand research on dynamic
/// load-balancing capabilities, ISC High Performance, LNCS 10266:256-274. Every iteration applies a stencil that adds
/// up differences. In each period one of four refinements, in the corners, is interpolated from the background, and
/// updated some times per iteration as long as it lasts. Inputs are linear in x and y and grow by one in each update,
/// so the mean of every grid is known.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/tiles.hpp"

namespace kernels {

/// Points that the stencil reaches in each direction: the kernel's usual choice.
constexpr long radius = 2;
/// Floating-point operations of one update of a point, and of interpolating in one direction, as the kernel counts
/// them.
constexpr double stencil_flops = 2 * (4 * radius + 1) + 1, interpolation_flops = 3;

/// A problem. Lengths are in points.
struct mesh {
  long iterations = 40;  ///< after a first one
  long side = 400;       ///< of the background
  long refined = 100;    ///< side of refinements, in points of the background
  int level = 1;         ///< of refinements: 2^level points for one
  long period = 10, duration = 6, sub_iterations = 3;

  long expand() const { return 1L << level; }
  long fine_side() const { return (refined - 1) * expand() + 1; }
  /// Place of refinement g on the background: corners at the lower left, upper right, upper left, lower right.
  long left(int g) const { return g == 1 || g == 3 ? side - refined : 0; }
  long bottom(int g) const { return g == 1 || g == 2 ? side - refined : 0; }
};

/// A superstep. The first one only sends. An iteration has one superstep, or as many as updates of a refinement.
struct moment {
  long iteration = -1, update = 0;
  bool refined = false;  ///< a refinement is there
  int which = 0;         ///< this one
};
inline moment moment_of(mesh const& of, std::uint64_t superstep) {
  if (superstep < 2) return {};
  long const at = static_cast<long>(superstep) - 2, busy = of.duration * of.sub_iterations,
             length = busy + of.period - of.duration, period = at / length, rest = at % length;
  auto const which = static_cast<int>(period % 4);
  if (rest < busy) return {period * of.period + rest / of.sub_iterations, rest % of.sub_iterations, true, which};
  return {period * of.period + of.duration + rest - busy, 0, false, which};
}
/// Supersteps of all iterations, with the first one that only sends.
inline std::uint64_t supersteps_of(mesh const& of) {
  long const all = of.iterations + 1, periods = all / of.period, rest = all % of.period,
             busy = periods * of.duration + std::min(rest, of.duration);
  return static_cast<std::uint64_t>(1 + all + busy * (of.sub_iterations - 1));
}

/// A rectangle of points.
struct area {
  range x, y;

  long size() const { return x.size() * y.size(); }
};
inline area common(area const& a, area const& b) {
  return {common(a.x, b.x), common(a.y, b.y)};
}

/// Process 5 t is tile t of the background, and 5 t + 1 + g that of refinement g. So the tiles that exist at a time are
/// spread over all ranks.
constexpr std::size_t grids = 5;
inline std::size_t process_of(std::size_t tile, int grid) {
  return grids * tile + static_cast<std::size_t>(grid);
}
/// Points of a process on its own grid; grid 0 is the background, g + 1 refinement g.
inline area area_of(mesh const& of, tiling const& tiles, std::size_t tile, int grid) {
  long const side = grid == 0 ? of.side : of.fine_side();
  return {part_of(side, tiles.columns, tiles.column(tile)), part_of(side, tiles.rows, tiles.row(tile))};
}
/// Points of the background for interpolating a tile of a refinement, with the points that its stencil reads around it.
inline area background_of(mesh const& of, area const& fine, int g) {
  long const expand = of.expand(), last = of.fine_side() - 1;
  auto const coarse = [&](range one, long shift) {
    long const first = std::max(0L, one.begin - radius), end = std::min(last, one.end - 1 + radius);
    return range{shift + first / expand, shift + (end + expand - 1) / expand + 1};
  };
  return {coarse(fine.x, of.left(g)), coarse(fine.y, of.bottom(g))};
}

/// Points of a tile, with a border that the stencil reads.
class field {
 public:
  field() = default;
  field(area const& own, long side)
      : own_(own),
        side_(side),
        in_(static_cast<std::size_t>((own.x.size() + 2 * radius) * (own.y.size() + 2 * radius))),
        out_(static_cast<std::size_t>(own.size())) {}

  area const& own() const { return own_; }
  double& in(long x, long y) { return in_[index(x, y)]; }

  std::vector<double> cut(area const& from) const {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(from.size()));
    for (long y = from.y.begin; y < from.y.end; ++y) {
      auto const row = in_.begin() + static_cast<std::ptrdiff_t>(index(from.x.begin, y));
      values.insert(values.end(), row, row + from.x.size());
    }
    return values;
  }
  void paste(area const& to, std::vector<double> const& values) {
    auto next = values.begin();
    for (long y = to.y.begin; y < to.y.end; ++y, next += to.x.size())
      std::copy(next, next + to.x.size(), in_.begin() + static_cast<std::ptrdiff_t>(index(to.x.begin, y)));
  }

  /// Adds to each output of points with `radius` neighbours in each direction, in x and in y,
  ///   sum over d = 1 .. radius of (in at +d - in at -d) / (2 d radius h).
  /// Here h is the distance of points. Then adds 1 to each input.
  void update(double h) {
    std::array<double, 2 * radius + 1> weight{};
    for (long d = 1; d <= radius; ++d) {
      weight[static_cast<std::size_t>(radius + d)] = 1 / (2.0 * static_cast<double>(d * radius) * h);
      weight[static_cast<std::size_t>(radius - d)] = -weight[static_cast<std::size_t>(radius + d)];
    }
    area const inner = interior();
    auto const line = static_cast<std::ptrdiff_t>(own_.x.size() + 2 * radius);
    for (long y = inner.y.begin; y < inner.y.end; ++y) {
      double const* const in = &in_[index(inner.x.begin, y)];
      double* const out =
          &out_[static_cast<std::size_t>((y - own_.y.begin) * own_.x.size() + inner.x.begin - own_.x.begin)];
      for (long i = 0; i < inner.x.size(); ++i) {
        double sum = out[i];
        for (std::ptrdiff_t d = -radius; d <= radius; ++d)
          sum += weight[static_cast<std::size_t>(radius + d)] * in[i + d * line];
        for (std::ptrdiff_t d = -radius; d <= radius; ++d)
          if (d != 0) sum += weight[static_cast<std::size_t>(radius + d)] * in[i + d];
        out[i] = sum;
      }
    }
    for (long y = own_.y.begin; y < own_.y.end; ++y)
      for (long x = own_.x.begin; x < own_.x.end; ++x) in(x, y) += 1;
  }

  /// Sums of the magnitudes of outputs and of inputs.
  double output_sum() const {
    double sum = 0;
    for (double const one : out_) sum += std::abs(one);
    return sum;
  }
  double input_sum() const {
    double sum = 0;
    for (double const one : cut(own_)) sum += std::abs(one);
    return sum;
  }
  double bytes() const { return static_cast<double>((in_.size() + out_.size()) * sizeof(double)); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(own_, side_, in_, out_);
  }

 private:
  /// The points with outputs.
  area interior() const {
    range const inner{radius, side_ - radius};
    return common(own_, {inner, inner});
  }
  std::size_t index(long x, long y) const {
    return static_cast<std::size_t>((y - own_.y.begin + radius) * (own_.x.size() + 2 * radius) + x - own_.x.begin +
                                    radius);
  }

  area own_{};
  long side_ = 0;  // of the whole grid
  std::vector<double> in_, out_;
};

/// Inputs of a tile of a refinement, with its border, from the background: bilinear, first in x and then in y. In units
/// of the background, its points are whole numbers, those of refinements multiples of 1 / expand.
inline void interpolate(mesh const& of, int g, area const& coarse, std::vector<double> const& background, field& to) {
  long const expand = of.expand(), side = of.fine_side(), width = coarse.x.size();
  area const own = to.own();
  range const whole{0, side};
  area const fine = common(area{{own.x.begin - radius, own.x.end + radius}, {own.y.begin - radius, own.y.end + radius}},
                           area{whole, whole});
  double const h = 1 / static_cast<double>(expand);
  auto const at = [&](long x, long y) {
    return background[static_cast<std::size_t>((y + of.bottom(g) - coarse.y.begin) * width + x + of.left(g) -
                                               coarse.x.begin)];
  };
  auto const in_x = [&](long fx, long y) {
    long const x = fx / expand;
    double const part = static_cast<double>(fx % expand) * h;
    return part == 0 ? at(x, y) : at(x + 1, y) * part + at(x, y) * (1 - part);
  };
  for (long fy = fine.y.begin; fy < fine.y.end; ++fy) {
    long const y = fy / expand;
    double const part = static_cast<double>(fy % expand) * h;
    for (long fx = fine.x.begin; fx < fine.x.end; ++fx)
      to.in(fx, fy) = part == 0 ? in_x(fx, y) : in_x(fx, y + 1) * part + in_x(fx, y) * (1 - part);
  }
}

/// Final means of outputs and of inputs of a grid.
struct means {
  double output = 0, input = 0;
};
inline means expected_background(mesh const& of) {
  auto const times = static_cast<double>(of.iterations + 1);
  return {2 * times, static_cast<double>(of.side - 1) + times};
}
inline means expected_refinement(mesh const& of, int g) {
  long const all = of.iterations + 1, cycle = 4 * of.period, cycles = all / cycle, rest = all % cycle,
             in_last = std::clamp(rest - g * of.period, 0L, of.duration);
  long const updates = of.sub_iterations * (cycles * of.duration + in_last);
  if (updates == 0) return {};
  // It was last interpolated at the beginning of its last turn: in this cycle, or else in the one before.
  long born = (cycles * 4 + g) * of.period, since = in_last * of.sub_iterations;
  if (born > of.iterations) born -= cycle, since = of.sub_iterations * of.duration;
  return {2.0 * static_cast<double>(updates),
          static_cast<double>(of.left(g) + of.bottom(g) + of.refined - 1 + born + since)};
}

}  // namespace kernels
