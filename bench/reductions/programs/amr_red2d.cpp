#include "amr_red2d.hpp"

#include <memory>
#include <utility>

#include "adaptive_mesh.hpp"
#include "edges_by_rows.hpp"
#include "lattices.hpp"

namespace bench::reductions {

namespace {

constexpr double first_square = 0.75;   ///< of the side
constexpr std::size_t upper_limit = 6;  ///< of the first number of nodes
constexpr std::size_t coarsening_phases = 3;
constexpr double flops = 4;  ///< difference of the ends, weight, mean: 2 + 1 + 1

/// The mesh, and what changes it.
class amr_run {
 public:
  explicit amr_run(amr_input const& input, double scale)
      : input_(input), side_(side_of(static_cast<double>(input.side * input.side), scale, 2)), mesh_(side_, side_) {}

  std::size_t phase() const { return phase_; }

  skel::mesh next() {
    if (phase_++ > 0) adapt();
    return edges_by_rows(mesh_.triangles_of_now());
  }

 private:
  void adapt() {
    auto const everywhere = [](double, double) { return true; };
    if (mesh_.nodes() >= upper_limit * side_ * side_) {
      coarsening_ = coarsening_phases;
      square_ = first_square;
    }
    if (coarsening_ > 0) {
      --coarsening_;
      mesh_.coarsen(everywhere);
      return;
    }
    auto const inside = [this](double x, double y) { return x < square_ && y < square_; };
    auto const outside = [&](double x, double y) { return !inside(x, y); };
    mesh_.coarsen(outside);
    mesh_.refine(inside);
    square_ *= input_.keeps;
  }

  amr_input input_;
  std::size_t side_;
  adaptive_mesh mesh_;
  std::size_t phase_ = 0, coarsening_ = 0;
  double square_ = first_square;
};

}  // namespace

amr_input const amr_inputs[2] = {{"50x50", 50, 600, 20, 0.85}, {"300x300", 300, 300, 15, 0.9}};

program amr_red2d(amr_input const& input, options const& how) {
  std::size_t const phases = input.steps / input.steps_of_a_phase;
  auto run = std::make_shared<amr_run>(input, how.scale);
  return {
      "amr_red2d",
      input.name,
      value_kind::real,
      flops,
      how.seed,
      phases,
      [run, phases, input, how]() -> std::optional<phase> {
        if (run->phase() == phases) return std::nullopt;
        return phase{pattern_of(skel::renumber(run->next(), how.nodes, how.cells, how.seed)), input.steps_of_a_phase};
      }};
}

}  // namespace bench::reductions
