#include <skel/detail/pattern/volumes.hpp>

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace {

using skel::cell_kind;

TEST(Volumes, AreSignedByOrientation) {
  std::vector<double> const where{1, 1, 1, 3, 1, 1, 1, 4, 1, 1, 1, 5};
  EXPECT_DOUBLE_EQ(volume_of(skel::mesh(4, cell_kind::tet, {0, 1, 2, 3}, {3, where}), 0), 4);
  EXPECT_DOUBLE_EQ(volume_of(skel::mesh(4, cell_kind::tet, {0, 2, 1, 3}, {3, where}), 0), -4);
}

TEST(Volumes, OfFlatTetsAreThoseThatRoundingMayHaveMade) {
  using point = std::vector<double>;
  // In the plane x + y + z = 1, but for the rounding of its numbers.
  point const a{0.1, 0.2, 0.7}, b{0.3, 0.3, 0.4}, c{0.6, 0.1, 0.3}, d{0.15, 0.15, 0.7};
  EXPECT_TRUE(skel::is_flat(a, b, c, d));
  EXPECT_TRUE(skel::is_flat(a, b, c, c));
  EXPECT_FALSE(skel::is_flat(a, b, c, point{0.15, 0.15, 0.7 + 1e-12}));
  EXPECT_TRUE(skel::is_flat(a, b, c, point{0.15, 0.15, std::numeric_limits<double>::quiet_NaN()}));
  // A tet of size 1e-9 is none where it is at the origin, and one far away.
  auto const tiny = [](double at) {
    constexpr double e = 1e-9;
    return skel::is_flat(point{at, at, at}, point{at + e, at, at}, point{at, at + e, at}, point{at, at, at + e});
  };
  EXPECT_FALSE(tiny(0));
  EXPECT_FALSE(tiny(1));
  EXPECT_TRUE(tiny(1e7));
}

}  // namespace
