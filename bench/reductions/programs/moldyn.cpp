#include "moldyn.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "neighbour_list.hpp"

namespace bench::reductions {

namespace {

constexpr double swing = 0.05;     ///< of the cut-off, relative
constexpr double lindemann = 0.1;  ///< displacement / distance of neighbours
constexpr double memory = 0.8;     ///< of a displacement, from phase to phase
/// Of a pair: 3 differences, each with its nearest image (9), square of the distance (5), its inverse (1), sixth power
/// (2), force of Lennard-Jones (4), its components (3).
constexpr double flops = 27;

class crystal {
 public:
  crystal(moldyn_input const& input, std::array<std::size_t, 3> cells, double density, std::uint64_t seed)
      : input_(input), cells_(cells), random_(seed), side_(std::cbrt(4 / density)) {
    moved_.resize(12 * cells[0] * cells[1] * cells[2]);
    for (double& one : moved_) one = draw();
    std::vector<std::size_t> steps(input.phases, 1);
    for (std::size_t k = input.phases; k < input.steps; ++k) ++steps[random_() % input.phases];
    steps_ = std::move(steps);
  }

  std::size_t phase() const { return phase_; }
  std::size_t steps() const { return steps_[phase_ - 1]; }

  /// The pairs of the next phase.
  skel::mesh next() {
    double const turn = 2 * std::numbers::pi * static_cast<double>(phase_) / static_cast<double>(input_.phases);
    if (phase_ > 0)
      for (double& one : moved_) one = memory * one + std::sqrt(1 - memory * memory) * draw();
    ++phase_;
    return pairs_within(now(), input_.cut_off * (1 + swing * std::sin(turn)));
  }

 private:
  molecules now() const {
    constexpr double basis[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    // The distance of neighbours is side / sqrt(2); a third of the mean square is along each axis.
    double const width = lindemann * side_ / std::sqrt(2.0) / std::sqrt(3.0);
    molecules all;
    for (std::size_t d = 0; d < 3; ++d) all.box[d] = side_ * static_cast<double>(cells_[d]);
    all.where.reserve(moved_.size());
    for (std::size_t z = 0; z < cells_[2]; ++z)
      for (std::size_t y = 0; y < cells_[1]; ++y)
        for (std::size_t x = 0; x < cells_[0]; ++x)
          for (auto const& corner : basis) {
            std::array<std::size_t, 3> const at{x, y, z};
            for (std::size_t d = 0; d < 3; ++d) {
              double const place = (static_cast<double>(at[d]) + corner[d]) * side_ + width * moved_[all.where.size()];
              all.where.push_back(place - all.box[d] * std::floor(place / all.box[d]));
            }
          }
    return all;
  }

  double draw() { return normal_(random_); }

  moldyn_input input_;
  std::array<std::size_t, 3> cells_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  double side_;
  std::vector<double> moved_;  ///< from the places on the lattice, in standard deviations
  std::vector<std::size_t> steps_;
  std::size_t phase_ = 0;
};

/// The lattice of a run: `scale` times the molecules, but at least twice the cut-off wide.
std::array<std::size_t, 3> scaled(moldyn_input const& input, double scale, double density) {
  std::array<std::size_t, 3> cells{};
  double const least = std::ceil(2 * (1 + swing) * input.cut_off / std::cbrt(4 / density));
  for (std::size_t d = 0; d < 3; ++d)
    cells[d] =
        static_cast<std::size_t>(std::max(least, std::round(static_cast<double>(input.cells[d]) * std::cbrt(scale))));
  return cells;
}

double mean_connectivity(moldyn_input const& input, double density, std::size_t molecules, std::uint64_t seed) {
  double const all = static_cast<double>(4 * input.cells[0] * input.cells[1] * input.cells[2]);
  crystal run(input, scaled(input, static_cast<double>(molecules) / all, density), density, seed);
  double sum = 0;
  for (std::size_t p = 0; p < input.phases; ++p) {
    auto const pairs = run.next();
    sum += static_cast<double>(pairs.cells()) / static_cast<double>(pairs.nodes());
  }
  return sum / static_cast<double>(input.phases);
}

}  // namespace

std::array<moldyn_input, 5> const moldyn_inputs{{{"23328 4.0", {18, 18, 18}, 4.0, 157, 60, 23, 1.156},
                                                 {"186624 2.5", {36, 36, 36}, 2.5, 37.6, 60, 23, 1.171},
                                                 {"100800 2.0", {28, 30, 30}, 2.0, 21.8, 60, 21, 1.245},
                                                 {"186624 1.5", {36, 36, 36}, 1.5, 6.6, 60, 21, 1.005},
                                                 {"186624 1.2", {36, 36, 36}, 1.2, 5.4, 60, 21, 1.158}}};

double moldyn_density(moldyn_input const& input, std::size_t molecules, std::uint64_t seed) {
  // In a gas of the same density half of a ball around each molecule gives the connectivity; a crystal is not far from
  // it.
  double const gas = input.connectivity / (2.0 / 3 * std::numbers::pi * std::pow(input.cut_off, 3));
  double low = gas / 2, high = gas * 2;
  for (int k = 0; k < 14; ++k) {  // to 1e-4 of the density
    double const middle = (low + high) / 2;
    (mean_connectivity(input, middle, molecules, seed) < input.connectivity ? low : high) = middle;
  }
  return (low + high) / 2;
}

program moldyn(moldyn_input const& input, options const& how) {
  auto run = std::make_shared<crystal>(input, scaled(input, how.scale, input.density), input.density, how.seed);
  return {"moldyn",
          input.name,
          value_kind::vec3,
          flops,
          how.seed,
          input.phases,
          [run, input, how]() -> std::optional<phase> {
            if (run->phase() == input.phases) return std::nullopt;
            auto pairs = pattern_of(skel::renumber(run->next(), how.nodes, how.cells, how.seed));
            return phase{std::move(pairs), run->steps()};
          }};
}

}  // namespace bench::reductions
