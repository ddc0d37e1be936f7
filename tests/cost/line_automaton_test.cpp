#include "cost/line_automaton.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/line_solver.hpp>

namespace skel::cost::detail {
namespace {

/// One station of `width` workers of which the first `alike` have the same rate.
line farm(std::size_t width, std::size_t alike, std::size_t buffer, dispatch farms) {
  line model;
  model.farms = farms;
  model.moves = {1, 1};
  auto& one = model.stations.emplace_back(station{"farm", {}, buffer});
  for (std::size_t w = 0; w < width; ++w) one.workers.push_back({w < alike ? 1.0 : 1.0 + static_cast<double>(w), w});
  return model;
}

TEST(LineAutomaton, HasAsManyStatesAsAreCounted) {
  for (auto farms : {dispatch::on_demand, dispatch::round_robin})
    for (std::size_t width = 1; width <= 5; ++width)
      for (std::size_t alike = 1; alike <= width; ++alike)
        for (std::size_t buffer = 0; buffer <= 2; ++buffer) {
          auto const model = farm(width, alike, buffer, farms);
          auto const classes = classify(model);
          local_meaning meaning;
          auto const built = make_automaton(model, 0, classes, meaning, 1'000'000);
          EXPECT_EQ(count_local_states(model, 0, classes), static_cast<double>(built.size))
              << width << " workers, " << alike << " alike, buffer " << buffer
              << (farms == dispatch::on_demand ? ", on demand" : ", in turn");
        }
}

TEST(LineAutomaton, RefusesWhatIsTooLargeBeforeItIsBuilt) {
  auto const model = farm(40, 1, 0, dispatch::on_demand);  // 3^40 states
  auto const classes = classify(model);
  EXPECT_NEAR(count_local_states(model, 0, classes) / std::pow(3.0, 40), 1, 1e-12);
  local_meaning meaning;
  EXPECT_THROW(make_automaton(model, 0, classes, meaning, 1'000'000), error);
}

TEST(LineAutomaton, EndsWhenItIsStopped) {
  auto const model = farm(12, 1, 0, dispatch::on_demand);
  local_meaning meaning;
  EXPECT_THROW(
      make_automaton(model, 0, classify(model), meaning, 1'000'000, stop_condition(stop_condition::clock::now())),
      stopped);
}

}  // namespace
}  // namespace skel::cost::detail
