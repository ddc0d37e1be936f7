#pragma once

/// Particles on a grid of charges: the kernel `pic` of the Parallel Research Kernels. Source: Georganas, Van der
/// Wijngaart, Mattson 2016, Design and Implementation of a Parallel Research Kernel for Assessing Dynamic
/// Load-Balancing Capabilities, IPDPS, 73-82. The charges of vertices alternate by column. Those of particles move each
/// by 2 k + 1 cells to the right and m cells up in every step. So the final place of each is known.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "kernels/tiles.hpp"

namespace kernels {

/// Initial numbers of particles in cells: fewer by a factor from column to column; as a square of a cosine; fewer by a
/// constant; the same in a rectangle and none elsewhere.
enum class distribution { geometric, sinusoidal, linear, patch };

inline char const* name_of(distribution kind) {
  switch (kind) {
    case distribution::geometric:
      return "geometric";
    case distribution::sinusoidal:
      return "sinusoidal";
    case distribution::linear:
      return "linear";
    case distribution::patch:
      return "patch";
  }
  return "";
}

/// A problem. Lengths are in cells, of a periodic square grid.
struct cloud {
  long side = 1000;                  ///< even
  std::uint64_t particles = 100000;  ///< wanted; the actual number is drawn at random
  std::uint64_t steps = 100;         ///< after a first one
  long k = 0, m = 1;
  distribution kind = distribution::geometric;
  double factor = 0.99;          ///< geometric
  double slope = 1, offset = 3;  ///< linear: offset - slope x for x from 0 to 1 over the columns
  range columns{}, rows{};       ///< patch
};

struct particle {
  double x, y, vx, vy, charge;
  double x0, y0;         ///< its beginning
  std::uint64_t number;  ///< from 1
};

/// The random numbers of the kernels: s -> a s + c modulo 2^64, with the multiplier of Knuth's MMIX.
class draws {
 public:
  /// The next number, 0 .. bound - 1.
  std::uint64_t next(std::uint64_t bound) { return (state_ = multiplier * state_ + increment) % bound; }

  /// As if `count` numbers had been drawn since the beginning: the map s -> a s + c is applied count times by squaring.
  /// O(log count). Source: Brown 1994, Random number generation with arbitrary strides, Trans. Am. Nucl. Soc. 71:202.
  void skip_to(std::uint64_t count) {
    std::uint64_t a = multiplier, c = increment, all_a = 1, all_c = 0;
    for (; count > 0; count >>= 1) {
      if (count & 1) all_a *= a, all_c = a * all_c + c;
      c *= a + 1, a *= a;
    }
    state_ = all_a * seed + all_c;
  }

  /// A whole number with this mean. From a mean of 1 on it is normal with 15 % of it as deviation, otherwise 0 or 1.
  /// Draws two numbers.
  std::uint64_t around(double mean) {
    if (mean >= 1) {
      constexpr auto most = std::numeric_limits<std::uint64_t>::max();
      constexpr double unit = 1.0 / static_cast<double>(most);
      double const u = static_cast<double>(next(most)) * unit, v = static_cast<double>(next(most)) * unit;
      double const normal = std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
      return static_cast<std::uint64_t>(std::max(0.0, normal * (mean * 0.15) + mean + 0.5));
    }
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    next(most);  // so that every cell draws two
    return next(most) <= static_cast<std::uint64_t>(mean * static_cast<double>(most)) ? 1 : 0;
  }

 private:
  static constexpr std::uint64_t multiplier = 6364136223846793005U, increment = 1442695040888963407U,
                                 seed = 27182818285U;
  std::uint64_t state_ = seed;
};

/// The mean of particles in cells of a column.
inline double density(cloud const& of, long column) {
  auto const wanted = static_cast<double>(of.particles), side = static_cast<double>(of.side),
             x = static_cast<double>(column);
  switch (of.kind) {
    case distribution::geometric:
      return wanted * ((1 - of.factor) / (1 - std::pow(of.factor, side))) / side * std::pow(of.factor, x);
    case distribution::sinusoidal: {
      double const wave = std::cos(x * (std::numbers::pi / side));
      return 2 * wave * wave * wanted / (side * side);
    }
    case distribution::linear: {  // as in MPI1/PIC-static of the kernels; SERIAL/PIC has 1 / side as its step
      double const step = 1 / (side - 1), all = of.offset * side - of.slope * 0.5 * step * side * (side - 1);
      return wanted * ((of.offset - of.slope * step * x) / all) / side;
    }
    case distribution::patch:
      break;
  }
  return wanted / static_cast<double>(of.columns.size() * of.rows.size());
}

/// Calls f(x, y, particles) for the cells of a rectangle, column by column. Each column has its own place in the random
/// numbers, so the cut of the grid does not matter. O(cells).
template <class F>
void for_each_cell(cloud const& of, range columns, range rows, F f) {
  draws random;
  for (long x = columns.begin; x < columns.end; ++x) {
    random.skip_to(2 * static_cast<std::uint64_t>(rows.begin + x * of.side));
    double const mean = density(of, x);
    for (long y = rows.begin; y < rows.end; ++y) {
      std::uint64_t const many = random.around(mean);
      bool const empty = of.kind == distribution::patch && !(of.columns.contains(x) && of.rows.contains(y));
      f(x, y, empty ? 0 : many);
    }
  }
}

/// The particles that begin in a rectangle: each in the middle of its cell, with the charge for its moves. They have no
/// numbers yet.
inline std::vector<particle> particles_in(cloud const& of, range columns, range rows) {
  // The force of the four charges of a cell on a charge 1 in its middle, along x: 2 (cos a / r^2 + cos b / r^2). One
  // half of it moves the charge in a step of time 1.
  double const square = 0.5, cosine = 0.5 / std::sqrt(square);
  double const charge = static_cast<double>(2 * of.k + 1) / (cosine / square + cosine / square);
  std::vector<particle> all;
  for_each_cell(of, columns, rows, [&](long x, long y, std::uint64_t many) {
    double const at_x = static_cast<double>(x) + 0.5, at_y = static_cast<double>(y) + 0.5;
    all.insert(all.end(), many,
               {at_x, at_y, 0, static_cast<double>(of.m), x % 2 == 0 ? charge : -charge, at_x, at_y, 0});
  });
  return all;
}

/// The charges of the vertices of a tile, column by column.
class charges {
 public:
  charges() = default;
  charges(range columns, range rows) : left_(columns.begin), bottom_(rows.begin), height_(rows.size() + 1) {
    for (long x = columns.begin; x <= columns.end; ++x)
      values_.insert(values_.end(), static_cast<std::size_t>(height_), x % 2 == 0 ? 1.0 : -1.0);
  }

  /// Moves a particle of this tile by one step of time 1, by Coulomb's law between it and the charges of its cell.
  void push(particle& one, double side) const {
    double const x = std::floor(one.x), y = std::floor(one.y), right = one.x - x, up = one.y - y;
    double const* const corner =
        &values_[static_cast<std::size_t>((static_cast<long>(x) - left_) * height_ + static_cast<long>(y) - bottom_)];
    double fx = 0, fy = 0;
    auto const add = [&](double dx, double dy, double charge, double sign_x, double sign_y) {
      double const square = dx * dx + dy * dy, distance = std::sqrt(square), force = one.charge * charge / square;
      fx += sign_x * (force * dx / distance), fy += sign_y * (force * dy / distance);
    };
    add(right, up, corner[0], 1, 1);
    add(right, 1 - up, corner[1], 1, -1);
    add(1 - right, up, corner[height_], -1, 1);
    add(1 - right, 1 - up, corner[height_ + 1], -1, -1);
    one.x = std::fmod(one.x + one.vx + 0.5 * fx + side, side);
    one.y = std::fmod(one.y + one.vy + 0.5 * fy + side, side);
    one.vx += fx, one.vy += fy;
  }

  std::size_t bytes() const { return values_.size() * sizeof(double); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(left_, bottom_, height_, values_);
  }

 private:
  long left_ = 0, bottom_ = 0, height_ = 1;
  std::vector<double> values_{};
};

/// A coordinate on the ring 0 .. side.
inline double on_ring(double at, double side) {
  double const rest = std::fmod(at, side);
  return rest < 0 ? rest + side : rest;
}

/// True if a particle is in its right place after all steps, within 1e-6 of a cell as the kernel demands it.
inline bool is_right(cloud const& of, particle const& one) {
  auto const side = static_cast<double>(of.side), times = static_cast<double>(of.steps + 1);
  double const x = on_ring(one.x0 + times * static_cast<double>(2 * of.k + 1), side),
               y = on_ring(one.y0 + times * static_cast<double>(of.m), side);
  return std::abs(one.x - x) <= 1e-6 && std::abs(one.y - y) <= 1e-6;
}

}  // namespace kernels
