#include <reductions/programs/static_programs.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/pattern/mesh.hpp>

namespace {

using namespace bench::reductions;

skel::pattern only_pattern(program one) {
  auto found = one.next();
  EXPECT_FALSE(one.next().has_value());
  return found ? found->pattern : skel::pattern{};
}

options small(double scale) {
  options how;
  how.scale = scale;
  return how;
}

double connectivity(skel::pattern const& of) {
  return static_cast<double>(of.iterations()) / static_cast<double>(of.elements());
}

TEST(Histogram, DrawsEveryKeyAlikeOrByItsRank) {
  auto const counts = [](char const* input) {
    auto const keys = only_pattern(histogram(input, small(0.02)));
    std::vector<double> result(keys.elements(), 0);
    for (auto const key : keys.index()) ++result[key];
    std::sort(result.rbegin(), result.rend());
    return result;
  };
  auto const uniform = counts("uniform"), zipf = counts("zipf");
  EXPECT_LT(uniform[0], 30);  // 4 expected; 30 has a probability of 1e-16
  double harmonic = 0;
  for (std::size_t k = 1; k <= zipf.size(); ++k) harmonic += 1 / static_cast<double>(k);
  double const all = 4 * static_cast<double>(zipf.size());
  EXPECT_NEAR(zipf[0], all / harmonic, 5 * std::sqrt(all / harmonic));
  EXPECT_NEAR(zipf[9], all / harmonic / 10, 5 * std::sqrt(all / harmonic / 10) + all / harmonic / 50);
}

TEST(Regular, TouchesEveryElementInEveryIteration) {
  auto const rows = only_pattern(regular("shorter", small(0.001)));
  EXPECT_EQ(rows.iterations(), 100u);
  for (std::size_t i = 0; i < rows.iterations(); ++i)
    EXPECT_THAT(rows.row(i), testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(Spark98, HasAnIterationForEachBlockAboveTheDiagonal) {
  skel::mesh const tets(5, skel::cell_kind::tet, {3, 2, 1, 0, 1, 2, 3, 4});
  auto const rows = only_pattern(spark98("two", tets, {}));
  EXPECT_EQ(rows.iterations(), 9u);
  EXPECT_THAT(rows.index(), testing::ElementsAre(0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 1, 4, 2, 3, 2, 4, 3, 4));
}

TEST(Charmm, HasMorePairsInItsClustersThanInItsSolvent) {
  auto const pairs = only_pattern(charmm("small", small(0.2)));
  std::vector<double> degree(pairs.elements(), 0);
  for (auto const one : pairs.index()) ++degree[one];
  auto const half = degree.begin() + static_cast<std::ptrdiff_t>(degree.size() / 2);
  EXPECT_GT(std::accumulate(degree.begin(), half, 0.0), 2 * std::accumulate(half, degree.end(), 0.0));
}

TEST(Nbf, HasTheConnectivityOfALiquid) {
  // Half of a ball of the cut-off around each molecule: 2/3 pi 0.85 r^3 = 14.2 and 48.1.
  EXPECT_NEAR(connectivity(only_pattern(nbf("near", small(0.01)))), 14.2, 1.4);
  EXPECT_NEAR(connectivity(only_pattern(nbf("far", small(0.05)))), 48.1, 4.8);
}

TEST(Irreg, HasTheConnectivitiesOfItsMeshes) {
  auto const foil = only_pattern(irreg("foil", small(0.05)));
  EXPECT_NEAR(connectivity(foil), 3, 0.1);  // a plane of triangles has three edges for each node,
  auto const wing = only_pattern(irreg("wing", small(0.05)));
  EXPECT_NEAR(connectivity(wing), 7, 0.7);  // Kuhn's subdivision seven, less at the boundary
  EXPECT_GT(connectivity(only_pattern(irreg("stencil", small(0.05)))), 20);
}

TEST(StaticPrograms, RefuseInputsThatTheyDoNotHave) {
  for (auto const make : {irreg, nbf, charmm, shells, histogram, regular}) {
    try {
      make("none", {});
      ADD_FAILURE() << "nothing was refused";
    } catch (skel::input_error const& refused) {
      EXPECT_THAT(refused.what(), testing::HasSubstr("there is no input 'none'; the inputs are: "));
    }
  }
}

}  // namespace
