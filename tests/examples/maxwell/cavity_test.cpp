#include "maxwell/cavity.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "examples/maxwell/random_cavity.hpp"
#include "maxwell/comparison.hpp"
#include "maxwell/oscillation.hpp"

namespace maxwell {
namespace {

cavity_mode const mode({1, 1, 1});

struct errors {
  double frequency, decay, field;
};

/// Five periods of the mode in a cube.
template <class Cell>
errors errors_in(std::uint32_t n, flux how) {
  domain const box = cube(n);
  cavity<Cell> fields(box, mode, how);
  auto const at_first = all_E(fields);
  double const whole = projection(fields, at_first);
  std::vector<double> samples{1};
  while (fields.time() * mode.frequency() < 10 * std::numbers::pi) {
    fields.advance();
    samples.push_back(projection(fields, at_first) / whole);
  }
  auto const found = fitted(samples, fields.step(), mode.frequency()).value();
  return {std::abs(found.frequency / mode.frequency() - 1), found.decay, error_of(fields, box, mode)};
}

double order_of(double coarse, double fine) {
  return std::log2(coarse / fine);
}

TEST(Cavity, FrequencyOfOrderOneConvergesWithOrderTwo) {
  auto const coarse = errors_in<cell<1>>(3, flux::central), fine = errors_in<cell<1>>(6, flux::central);
  EXPECT_GT(order_of(coarse.frequency, fine.frequency), 1.8);
  EXPECT_LT(fine.frequency, 0.02);
}

TEST(Cavity, UpwindFieldsOfOrderOneConvergeWithOrderTwo) {
  auto const coarse = errors_in<runge_kutta_cell<1>>(3, flux::upwind),
             fine = errors_in<runge_kutta_cell<1>>(6, flux::upwind);
  EXPECT_GT(order_of(coarse.field, fine.field), 1.8);
  EXPECT_GT(fine.decay, 0);
  EXPECT_LT(fine.decay, coarse.decay / 4);
}

TEST(Cavity, UpwindFieldsOfOrderTwoConvergeWithOrderThree) {
  auto const coarse = errors_in<runge_kutta_cell<2>>(2, flux::upwind),
             fine = errors_in<runge_kutta_cell<2>>(4, flux::upwind);
  EXPECT_GT(order_of(coarse.field, fine.field), 2.7);
}

TEST(Cavity, UpwindFrequencyOfConstantsConvergesWithOrderOne) {
  auto const coarse = errors_in<runge_kutta_cell<0>>(6, flux::upwind),
             fine = errors_in<runge_kutta_cell<0>>(12, flux::upwind);
  EXPECT_GT(order_of(coarse.decay, fine.decay), 0.7);
}

template <std::size_t Order>
void check_that_leap_frog_conserves(std::vector<wall> const& walls) {
  domain const box = testing::random_domain(2, 11, walls);
  cavity<cell<Order>> fields(box, mode, flux::central);  // with its longest step
  double const first = fields.advance_with_energy();
  for (int step = 0; step < 500; ++step) {
    double const now = fields.advance_with_energy();
    ASSERT_NEAR(now, first, 1e-12 * first) << "order " << Order << ", step " << step;
  }
  EXPECT_GT(first, 0);
  double most = 0;  // the fields themselves stay, as that energy is positive
  for (auto const& one : fields.cells())
    for (auto const& component : one.E)
      for (double const x : component) most = std::max(most, std::abs(x));
  EXPECT_LT(most, 10);
}

TEST(Cavity, LeapFrogConservesItsEnergyInAnyMatter) {
  check_that_leap_frog_conserves<0>({wall::electric, wall::magnetic});
  check_that_leap_frog_conserves<1>({wall::electric, wall::magnetic});
  check_that_leap_frog_conserves<2>({wall::electric, wall::magnetic});
}

template <std::size_t Order>
void check_that_upwind_takes_energy() {
  domain const box = testing::random_domain(2, 12, {wall::electric, wall::magnetic, wall::open});
  cavity<runge_kutta_cell<Order>> fields(box, mode, flux::upwind);
  double before = fields.energy();
  for (int step = 0; step < 100; ++step) {
    fields.advance();
    double const now = fields.energy();
    ASSERT_LT(now, before) << "order " << Order << ", step " << step;
    before = now;
  }
}

TEST(Cavity, UpwindTakesEnergyInEveryStep) {
  check_that_upwind_takes_energy<0>();
  check_that_upwind_takes_energy<1>();
  check_that_upwind_takes_energy<2>();
}

TEST(Cavity, RungeKuttaWithMeansNeverGainsEnergyAndLosesByItsOrderOnly) {
  domain const box = cube(3);
  auto const lost = [&](double part) {
    double const longest = cavity<runge_kutta_cell<1>>(box, mode, flux::central).step();
    cavity<runge_kutta_cell<1>> fields(box, mode, flux::central, longest * part);
    double const first = fields.energy();
    while (fields.time() < 1) fields.advance();
    return 1 - fields.energy() / first;
  };
  double const long_steps = lost(1), short_steps = lost(0.5);
  EXPECT_GT(long_steps, 0);
  EXPECT_GT(order_of(long_steps, short_steps), 4);
}

template <class Cell>
void check_that_names_do_not_matter(flux how) {
  domain const box = cube(2);
  std::mt19937 random(5);
  domain const other(testing::renamed(box.mesh, random));
  cavity<Cell> one(box, mode, how), two(other, mode, how, one.step());
  for (int step = 0; step < 50; ++step) one.advance(), two.advance();
  for (std::size_t c = 0; c < box.mesh.cells(); ++c) {
    auto const here = node_positions<Cell::order>(box.corners(c)),
               there = node_positions<Cell::order>(other.corners(c));
    for (std::size_t i = 0; i < here.size(); ++i)
      for (std::size_t j = 0; j < there.size(); ++j)
        if (std::hypot(here[i][0] - there[j][0], here[i][1] - there[j][1], here[i][2] - there[j][2]) < 1e-9)
          for (std::size_t a = 0; a < 3; ++a) {
            ASSERT_NEAR(one.cells()[c].E[a][i], two.cells()[c].E[a][j], 1e-12);
            ASSERT_NEAR(one.cells()[c].H[a][i], two.cells()[c].H[a][j], 1e-12);
          }
  }
}

TEST(Cavity, OrdersOfCornersDoNotMatter) {
  check_that_names_do_not_matter<cell<0>>(flux::central);
  check_that_names_do_not_matter<cell<1>>(flux::central);
  check_that_names_do_not_matter<cell<2>>(flux::central);
  check_that_names_do_not_matter<runge_kutta_cell<1>>(flux::upwind);
  check_that_names_do_not_matter<runge_kutta_cell<2>>(flux::upwind);
}

TEST(Cavity, LightIsSlowerInADielectric) {
  material const glass{.permittivity = 2.25, .permeability = 1.5};
  cavity_mode const slow({1, 1, 0}, glass);
  domain const box = cube(4, [&](point const&) { return glass; });
  cavity<runge_kutta_cell<2>> fields(box, slow, flux::upwind);
  auto const at_first = all_E(fields);
  double const whole = projection(fields, at_first);
  std::vector<double> samples{1};
  while (fields.time() * slow.frequency() < 9 * std::numbers::pi)
    fields.advance(), samples.push_back(projection(fields, at_first) / whole);
  EXPECT_NEAR(fitted(samples, fields.step(), slow.frequency())->frequency, slow.frequency(), 1e-3 * slow.frequency());
}

/// A mode of half the cube, of which the whole has the double with a plane of symmetry: H has no tangential part where
/// x is 1, as cos(pi x / 2) is 0 there.
TEST(Cavity, AMagneticWallIsAPlaneOfSymmetry) {
  auto marked = skel::box_of_tetrahedra({3, 3, 3});
  filling with;
  skel::face_neighbours const faces = skel::neighbours_by_faces(marked.cells);
  auto const sets = skel::sets_of_faces(marked, faces);
  for (std::size_t c = 0; c < marked.cells.cells(); ++c)
    for (std::size_t f = 0; auto& one : with.walls.emplace_back())
      if (sets[4 * c + f++] == 2) one = wall::magnetic;  // "x+"
  domain const box(std::move(marked.cells), std::move(with));
  cavity_mode const whole({1, 1, 0}, {}, {{0, 0, 0}, {2, 1, 1}});
  cavity<runge_kutta_cell<2>> fields(box, whole, flux::upwind);
  double const period = 2 * std::numbers::pi / whole.frequency();
  while (fields.time() < period) fields.advance();
  EXPECT_LT(error_of(fields, box, whole), 0.03);
}

/// A plane wave that comes to an open wall at a right angle leaves; between two metal walls and two of symmetry.
TEST(Cavity, AnOpenWallTakesWhatComesToItAtARightAngle) {
  auto marked = skel::box_of_tetrahedra({10, 1, 1}, {5, 0.5, 0.5});
  filling with;
  skel::face_neighbours const faces = skel::neighbours_by_faces(marked.cells);
  auto const sets = skel::sets_of_faces(marked, faces);
  for (std::size_t c = 0; c < marked.cells.cells(); ++c)
    for (std::size_t f = 0; auto& one : with.walls.emplace_back()) {
      auto const set = sets[4 * c + f++];
      one = set == 1 || set == 2 ? wall::open : set == 3 || set == 4 ? wall::electric : wall::magnetic;
    }
  domain const box(std::move(marked.cells), std::move(with));
  // E along y goes to x+, with H along z: both walls y- and y+ have E at a right angle.
  auto const shape = [](point const& x) { return std::exp(-4 * (x[0] - 2.5) * (x[0] - 2.5)); };
  cavity<runge_kutta_cell<2>> fields(
      box,
      [&](point const& x) {
        return point{0, shape(x), 0};
      },
      [&](point const& x) {
        return point{0, 0, shape(x)};
      },
      flux::upwind);
  double const first = fields.energy();
  while (fields.time() < 1.5) fields.advance();
  EXPECT_GT(fields.energy(), 0.95 * first);  // before it is there
  while (fields.time() < 6) fields.advance();
  EXPECT_LT(fields.energy(), 1e-4 * first);
}

TEST(Cavity, OpenWallsAreForTheUpwindFlux) {
  EXPECT_THROW(cavity<cell<1>>(testing::random_domain(1, 3, {wall::open}), mode, flux::central), skel::error);
}

TEST(Cavity, LeapFrogRefusesTheUpwindFlux) {
  EXPECT_THROW(cavity<cell<1>>(cube(1), mode, flux::upwind), skel::error);
}

}  // namespace
}  // namespace maxwell
