#include <skel/detail/mapping/partition_choice.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "liars.hpp"
#include "mapping/partition/price_refinement.hpp"

namespace {

using namespace skel;
using namespace skel::mapping;
using namespace skel::test;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A fast cluster of four hosts and a slow one of four, 1 ms apart.
platform::description fast_and_slow(double memory = infinity) {
  std::vector<platform::cluster> clusters{
      {.name = "fast", .hosts = 4, .speed = 4, .inside = {0, 1e8}, .uplink = 1e7, .memory = memory},
      {.name = "slow", .hosts = 4, .speed = 1, .inside = {0, 1e7}, .uplink = 1e7, .memory = memory}};
  return {0, std::move(clusters), {{0, 1, {1e-3, 1}, {}}, {1, 0, {1e-3, 1}, {}}}};
}
record::mesh_app app() {
  return {.elements = 1,
          .phases = {{"E", true, {{"fast", 1e-6}, {"slow", 4e-6}}}, {"H", false, {{"fast", 2e-6}, {"slow", 8e-6}}}}};
}
std::vector<std::size_t> const all_parts{0, 0, 0, 0, 1, 1, 1, 1};
cost::mesh::part_hosts hosts(double memory = infinity, record::mesh_app const& of = app()) {
  return cost::mesh::hosts_of_parts(fast_and_slow(memory), of, all_parts);
}

TEST(ProblemOf, SharesAreBySpeedInAllPhases) {
  auto const graph = cube(4);
  auto const of = problem_of({.graph = &graph}, hosts());
  EXPECT_EQ(of.constraints, 1) << "all cells weigh the same in both";
  EXPECT_DOUBLE_EQ(of.target(0, 0), 0.2);
  EXPECT_DOUBLE_EQ(of.target(7, 0), 0.05);
  auto equal = app();
  equal.partition = record::mesh_shares::equal;
  EXPECT_DOUBLE_EQ(problem_of({.graph = &graph}, hosts(infinity, equal)).target(7, 0), 0.125);
}

TEST(ProblemOf, PhasesOfOtherCellsAreConstraintsOfTheirOwn) {
  auto const graph = cube(4);
  mesh_to_part mesh{.graph = &graph};
  for (std::size_t c = 0; c < 64; ++c) mesh.weights.push_back(1), mesh.weights.push_back(c < 20 ? 3 : 0);
  auto const of = problem_of(mesh, hosts());
  EXPECT_EQ(of.constraints, 2);
  EXPECT_EQ(of.weight(0, 1), 3);
  EXPECT_DOUBLE_EQ(of.target(0, 1), 0.2);
  for (std::size_t c = 0; c < 64; ++c) mesh.weights[2 * c + 1] = 2;
  EXPECT_EQ(problem_of(mesh, hosts()).constraints, 1) << "the same proportions";
}

TEST(ChoosePartition, TakesNoMoreThanAnyMethod) {
  auto const graph = cube(10);
  for (bool const coordinates : {false, true}) {
    mesh_to_part mesh{.graph = &graph};
    if (coordinates) mesh.centres = centres_of_cube(10);
    auto const on = hosts();
    auto const made = choose_partition(mesh, on);
    auto const problem = problem_of(mesh, on);
    for (auto const& method : partition_methods())
      for (double const tolerance : {0.03, 0.01}) {
        auto const alone = plan::figures_of(graph, {8, method.parts_of(problem, tolerance), {}},
                                            {2, std::vector<double>(2000, 1.0)}, on.cluster_of);
        EXPECT_LE(made.time.seconds, cost::mesh::time_of(on, alone).seconds) << method.name;
      }
    EXPECT_EQ(why_broken(problem, made.best.part_of), "");
    EXPECT_EQ(made.time.seconds, made.candidates.front().seconds);
    EXPECT_EQ(made.time.seconds, cost::mesh::time_of(on, made.figures).seconds);
    EXPECT_THAT(made.best.method, HasSubstr("the best of 15 partitions"));
    EXPECT_EQ(choose_partition(mesh, on).best, made.best) << "the same again";
  }
}

TEST(ChoosePartition, CatchesLiarsToo) {
  auto const graph = cube(8);
  auto methods = liars();
  methods.push_back(bisection());
  auto const made = choose_partition({.graph = &graph}, hosts(), {.tolerances = {0.03}, .methods = methods});
  EXPECT_EQ(why_broken(problem_of({.graph = &graph}, hosts()), made.best.part_of), "");
  EXPECT_THAT(made.best.method, AllOf(HasSubstr("bisection, 3 %"), HasSubstr("one, 3 %: part 1 of 8 is empty")));
  EXPECT_EQ(made.candidates.back().seconds, infinity);
}

TEST(ChoosePartition, TriesNoMethodThatCannotPay) {
  auto const graph = cube(8);
  auto dear = bisection();
  dear.name = "dear", dear.seconds_per_entry = 1;
  std::vector<partition_method> const methods{bisection(), dear};
  auto const tried = [&](double iterations) {
    return choose_partition({.graph = &graph}, hosts(),
                            {.iterations = iterations, .tolerances = {0.03}, .methods = methods})
        .candidates.size();
  };
  EXPECT_EQ(tried(1), 2);
  EXPECT_EQ(tried(1e12), 4);
}

TEST(ChoosePartition, OfOnePart) {
  auto const graph = path(5);
  auto const on = cost::mesh::hosts_of_parts(fast_and_slow(), app(), std::vector<std::size_t>{0});
  auto const made = choose_partition({.graph = &graph}, on, {.methods = liars()});
  EXPECT_EQ(made.best.method, "one part");
  EXPECT_DOUBLE_EQ(made.time.seconds, 5 * 3e-6);
}

TEST(ChoosePartition, SaysWhatDoesNotFit) {
  auto const graph = cube(8);
  auto large = app();
  large.bytes_per_element = 100;
  try {
    choose_partition({.graph = &graph}, hosts(5000, large));
    FAIL();
  } catch (error const& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("no iteration is possible"), HasSubstr("memory for 50"))) << e.what();
  }
}

TEST(MoveByPrice, MakesNoIterationLongerAndNoPartEmpty) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    random_problem const one(seed);
    if (one.of.parts() < 8) continue;
    bench::dice random(seed);
    auto of = app();
    if (random.one_in(2)) of.mode = record::update_mode::asynchronous;
    auto const on = hosts(infinity, of);
    std::vector<std::uint32_t> parts(one.graph.cells());
    for (std::uint32_t c = 0; c < parts.size(); ++c) parts[c] = static_cast<std::uint32_t>(c < 8 ? c : random.below(8));
    std::vector<double> weights;
    for (std::size_t k = 0; k < 2 * parts.size(); ++k) weights.push_back(static_cast<double>(random.below(4)));
    plan::cell_weights const all{2, weights};
    auto const seconds = [&] {
      return cost::mesh::time_of(on, plan::figures_of(one.graph, {8, parts, {}}, all, on.cluster_of)).seconds;
    };
    double const before = seconds();
    partitioning::move_by_price(one.graph, all, on, parts);
    EXPECT_LE(seconds(), before) << seed;
    EXPECT_EQ(plan::figures_of(one.graph, {8, parts, {}}).empty_parts(), 0) << seed;
  }
}

TEST(MoveByPrice, MovesWorkToTheHostThatIsFast) {
  // A path in halves, the second of which is on a host that is four times as slow.
  auto const graph = path(1000);
  auto of = app();
  of.updates = 0, of.allreduces = 0;
  auto const on = cost::mesh::hosts_of_parts(fast_and_slow(), of, std::vector<std::size_t>{0, 1});
  std::vector<std::uint32_t> parts(1000, 0);
  for (std::size_t c = 500; c < 1000; ++c) parts[c] = 1;
  partitioning::move_by_price(graph, {2, {}}, on, parts);
  auto const made = plan::figures_of(graph, {2, parts, {}});
  EXPECT_NEAR(static_cast<double>(made.cells[0]), 800, 4) << "as right as the norm of 256";
}

}  // namespace
