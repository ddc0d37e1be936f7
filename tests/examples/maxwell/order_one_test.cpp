#include "maxwell/order_one.hpp"

#include <array>
#include <cstddef>

#include <gtest/gtest.h>

#include "examples/maxwell/random_cavity.hpp"

namespace maxwell {
namespace {

using testing::behind;

void expect_equal(field<1> const& found, field<1> const& expected) {
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[a][i], expected[a][i], 1e-11);  // of hundreds
}

TEST(OrderOne, GivesWhatTheGeneralFormulasGive) {
  domain const box = testing::random_domain(3, 21, {wall::electric, wall::magnetic, wall::open});
  auto const at = testing::elements_of(box);
  auto const E = testing::random_fields<1>(at.size(), 22), H = testing::random_fields<1>(at.size(), 23);
  for (std::size_t c = 0; c < at.size(); ++c) {
    auto const around_E = behind(box, c, E), around_H = behind(box, c, H);
    for (auto const which : {part::H, part::E})
      expect_equal(order_one::curl_with_means(at[c], E[c], around_E, which),
                   curl_with_means<1>(at[c], E[c], around_E, which));
    std::array<double, 4> const impedances{0.7, 1.3, 2.1, 1};
    auto const found = order_one::upwind_curls(at[c], E[c], H[c], around_E, around_H, impedances);
    auto const expected = upwind_curls<1>(at[c], E[c], H[c], around_E, around_H, impedances);
    expect_equal(found.of_E, expected.of_E);
    expect_equal(found.of_H, expected.of_H);
  }
}

}  // namespace
}  // namespace maxwell
