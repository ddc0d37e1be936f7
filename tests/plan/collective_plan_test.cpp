#include <skel/detail/plan/collective_plan.hpp>

#include <algorithm>

#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

#include "interpreter.hpp"
#include "meaning.hpp"
#include "random_route.hpp"

namespace {

using namespace skel::plan;
using skel::testing_plan::buffer;
using skel::testing_plan::cell_of;
using skel::testing_plan::interpret;

schedule all_steps(collective_plan const& plan, collective_problem const& problem) {
  schedule all;
  for (std::size_t rank = 0; rank < problem.ranks; ++rank) all.ranks.push_back(steps_of(plan, problem, rank));
  return all;
}

TEST(CollectivePlan, RoutesOfBroadcastsBringEveryByteToEveryRank) {
  std::mt19937_64 random(5);
  for (int draw = 0; draw < 200; ++draw) {
    std::size_t const ranks = 1 + random() % 20;
    std::uint64_t const bytes = random() % 40;
    auto const plan = skel::testing_plan::random_route(collective::broadcast, ranks, bytes, random);
    collective_problem const problem{.ranks = ranks, .root = plan.route->trees.root, .bytes = bytes};
    std::vector<buffer> inputs(ranks);
    for (std::uint64_t i = 0; i < bytes; ++i) inputs[problem.root].push_back(cell_of(0, i));
    for (buffer const& out : interpret(all_steps(plan, problem), inputs, bytes)) EXPECT_EQ(out, inputs[problem.root]);
  }
}

TEST(CollectivePlan, RoutesOfReductionsTakeEveryOperandOnce) {
  std::mt19937_64 random(6);
  for (int draw = 0; draw < 300; ++draw) {
    std::size_t const ranks = 1 + random() % 20;
    std::uint64_t const bytes = random() % 40;
    auto const operation = draw % 2 == 0 ? collective::reduce : collective::allreduce;
    auto const plan = skel::testing_plan::random_route(operation, ranks, bytes, random);
    collective_problem const problem{.ranks = ranks, .root = plan.route->trees.root, .bytes = bytes};
    std::vector<buffer> inputs(ranks);
    skel::testing_plan::cell everybody;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      inputs[rank].assign(bytes, cell_of(rank, 0));
      everybody += cell_of(rank, 0);
    }
    auto outputs = interpret(all_steps(plan, problem), inputs, bytes);
    if (operation == collective::reduce) outputs = {outputs[problem.root]};
    for (buffer& out : outputs)
      for (auto& cell : out) {
        std::ranges::sort(cell);
        EXPECT_EQ(cell, everybody);
      }
  }
}

TEST(CollectivePlan, AllRanksGroupTheOperandsOfAnAllreductionAlike) {
  std::mt19937_64 random(7);
  for (int draw = 0; draw < 200; ++draw) {
    std::size_t const ranks = 1 + random() % 20;
    std::uint64_t const bytes = 1 + random() % 20;
    auto const plan = skel::testing_plan::random_route(collective::allreduce, ranks, bytes, random);
    collective_problem const problem{.ranks = ranks, .root = plan.route->trees.root, .bytes = bytes};
    std::vector<buffer> inputs(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) inputs[rank].assign(bytes, cell_of(rank, 0));
    auto const outputs = interpret(all_steps(plan, problem), inputs, bytes, true);
    for (buffer const& out : outputs) EXPECT_EQ(out, outputs.front());
  }
}

// So that nobody leaves before all have come: everybody's operand is in what everybody has.
TEST(CollectivePlan, ABarrierOnARouteSendsWhatAnAllreductionSendsWithoutOperands) {
  std::mt19937_64 random(8);
  for (int draw = 0; draw < 100; ++draw) {
    std::size_t const ranks = 1 + random() % 20;
    auto plan = skel::testing_plan::random_route(collective::allreduce, ranks, 1, random);
    auto const wanted = all_steps(plan, {.ranks = ranks, .root = plan.route->trees.root, .bytes = 1});
    plan.operation = collective::barrier;
    auto const made = all_steps(plan, {.ranks = ranks, .bytes = 12});
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      auto const messages = [&](schedule const& all) {
        std::vector<std::pair<step::action, std::uint32_t>> found;
        for (step const& one : all.ranks[rank].steps)
          if (one.what != step::action::merge) found.emplace_back(one.what, one.peer);
        return found;
      };
      EXPECT_EQ(messages(made), messages(wanted));
      for (step const& one : made.ranks[rank].steps) EXPECT_EQ(one.bytes, 0);
    }
  }
}

TEST(CollectivePlan, WithoutARouteItIsTheCatalogues) {
  collective_problem const problem{.ranks = 5, .root = 2, .bytes = 12, .segment = 4};
  collective_plan const plan{.operation = collective::broadcast, .algorithm = "pipeline", .segment = 4};
  auto const wanted = find_algorithm(collective::broadcast, "pipeline")->make(problem);
  for (std::size_t rank = 0; rank < 5; ++rank) {
    auto const mine = steps_of(plan, {.ranks = 5, .root = 2, .bytes = 12}, rank);
    EXPECT_EQ(mine.steps.size(), wanted.ranks[rank].steps.size());
    EXPECT_EQ(mine.ranges, wanted.ranks[rank].ranges);
  }
  EXPECT_EQ(operands_of(plan), order::any);
}

TEST(CollectivePlan, NamesAnAlgorithmThatThereIsNot) {
  try {
    steps_of({.operation = collective::reduce, .algorithm = "telepathy"}, {.ranks = 2}, 0);
    FAIL() << "accepted";
  } catch (skel::error const& refused) {
    EXPECT_NE(std::string(refused.what()).find("'telepathy' is no algorithm of reduce"), std::string::npos)
        << refused.what();
  }
}

}  // namespace
