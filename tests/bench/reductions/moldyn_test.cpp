#include <reductions/programs/moldyn.hpp>

#include <cstddef>
#include <set>

#include <gtest/gtest.h>

namespace {

using namespace bench::reductions;

TEST(Moldyn, HasTheMoleculesOfTable6) {
  std::size_t const molecules[] = {23328, 186624, 100800, 186624, 186624};
  for (std::size_t k = 0; k < 5; ++k) {
    auto const& cells = moldyn_inputs[k].cells;
    EXPECT_EQ(4 * cells[0] * cells[1] * cells[2], molecules[k]);
  }
}

TEST(Moldyn, HasTheDensitiesThatGiveTheConnectivitiesOfTable6) {
  for (auto const& input : moldyn_inputs)
    EXPECT_NEAR(moldyn_density(input, 900, 1), input.density, 0.01 * input.density) << input.name;
}

TEST(Moldyn, HasTheConnectivityStepsAndPhasesOfTable6) {
  for (auto const& input : moldyn_inputs) {
    options how;
    how.scale = 1e-2;
    auto run = moldyn(input, how);
    std::size_t phases = 0, steps = 0;
    double connectivity = 0;
    std::set<std::size_t> reuses, sizes;
    while (auto const now = run.next()) {
      ++phases;
      steps += now->steps;
      reuses.insert(now->steps);
      sizes.insert(now->pattern.iterations());
      connectivity += static_cast<double>(now->pattern.iterations()) / static_cast<double>(now->pattern.elements());
    }
    EXPECT_EQ(phases, input.phases);
    EXPECT_EQ(phases, run.phases);
    EXPECT_EQ(steps, input.steps);
    EXPECT_GT(reuses.size(), 1u);         // phases differ in length,
    EXPECT_GT(sizes.size(), phases / 2);  // and in their pairs
    EXPECT_NEAR(connectivity / static_cast<double>(phases), input.connectivity, 0.03 * input.connectivity)
        << input.name;
  }
}

}  // namespace
