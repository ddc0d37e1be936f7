#include "maxwell/reference_element.hpp"

#include <array>
#include <cstddef>
#include <numeric>

#include <gtest/gtest.h>

namespace maxwell {
namespace {

template <std::size_t Order>
void check_polynomials() {
  using reference = reference_element<Order>;
  for (std::size_t i = 0; i < reference::nodes; ++i) {
    auto const values = reference::values_at(reference::points[i]);
    for (std::size_t j = 0; j < reference::nodes; ++j) EXPECT_NEAR(values[j], i == j ? 1 : 0, 1e-14) << i << " " << j;
  }
  double volume = 0;
  for (auto const& row : reference::mass.values) volume = std::accumulate(row.begin(), row.end(), volume);
  EXPECT_NEAR(volume, 1.0 / 6, 1e-15);
  for (std::size_t f = 0; f < 4; ++f)
    for (auto const node : reference::on_face[f]) EXPECT_EQ(reference::points[node][f], Order > 0 ? 0 : 0.25);
}

TEST(ReferenceElement, PolynomialsAreOneAtTheirNodesAndAddUpToOne) {
  check_polynomials<0>();
  check_polynomials<1>();
  check_polynomials<2>();
}

TEST(ReferenceElement, DerivativesAreThoseOfPolynomialsOfTheOrder) {
  using reference = reference_element<2>;
  // f = 3 x^2 - x y + 2 z, with df/dx = 6 x - y, df/dy = -x, df/dz = 2
  std::array<double, 10> f{};
  for (std::size_t i = 0; i < 10; ++i) {
    auto const [l, x, y, z] = reference::points[i];
    f[i] = 3 * x * x - x * y + 2 * z + 0 * l;
  }
  for (std::size_t i = 0; i < 10; ++i) {
    std::array<double, 3> found{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::size_t j = 0; j < 10; ++j) found[axis] += reference::derivative[axis](i, j) * f[j];
    auto const& at = reference::points[i];
    EXPECT_NEAR(found[0], 6 * at[1] - at[2], 1e-13);
    EXPECT_NEAR(found[1], -at[1], 1e-13);
    EXPECT_NEAR(found[2], 2, 1e-13);
  }
}

TEST(ReferenceElement, LiftOfOrderOneIsWhatTheClosedFormSays) {
  using reference = reference_element<1>;
  for (std::size_t f = 0; f < 4; ++f)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(reference::lift[f](i, j),
                    i == f                          ? -4
                    : i == reference::on_face[f][j] ? 6
                                                    : 1,
                    1e-13)
            << f << " " << i << " " << j;
}

TEST(ReferenceElement, LiftOfOrderZeroSpreadsAFaceOverTheVolume) {
  for (std::size_t f = 0; f < 4; ++f) EXPECT_NEAR(reference_element<0>::lift[f](0, 0), 3, 1e-15);
}

template <std::size_t Order>
void check_nodes_behind() {
  using reference = reference_element<Order>;
  auto const orders = maxwell::reference::permutations();
  for (std::size_t p = 0; p < orders.size(); ++p)
    for (std::size_t f = 0; f < 4; ++f)
      for (std::size_t j = 0; j < reference::face_nodes; ++j)
        for (std::size_t v = 0; v < 4; ++v)
          EXPECT_EQ(reference::points[reference::on_face[f][j]][v],
                    reference::points[reference::behind_face[p][f][j]][orders[p][v]]);
}

TEST(ReferenceElement, NodesBehindAFaceAreTheSamePoints) {
  EXPECT_EQ(reference::permutations()[0], (std::array<std::uint8_t, 4>{0, 1, 2, 3}));
  check_nodes_behind<0>();
  check_nodes_behind<1>();
  check_nodes_behind<2>();
}

}  // namespace
}  // namespace maxwell
