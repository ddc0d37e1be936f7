#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skel/plan/collective.hpp>

#include "plan/interpreter.hpp"

namespace {

using skel::plan::collective;
using skel::plan::collective_algorithm;
using skel::plan::collective_problem;
using skel::testing_plan::buffer;
using skel::testing_plan::interpret;

std::vector<collective_algorithm> all() {
  auto const catalogue = skel::plan::collective_algorithms();
  return {catalogue.begin(), catalogue.end()};
}

/// Byte i of rank r.
std::string cell(std::size_t rank, std::uint64_t i) {
  return std::to_string(rank) + ":" + std::to_string(i) + " ";
}

/// What the operation means: what each rank has, and what it is to have ("?": nothing in particular).
struct meaning {
  std::vector<buffer> inputs, outputs;
  std::size_t output_cells = 0;
};

/// `first`: the rank whose operand of a reduction comes first.
meaning mean(collective_problem const& p, collective operation, std::size_t first) {
  std::uint64_t const n = p.ranks, m = p.bytes;
  meaning result{std::vector<buffer>(n), std::vector<buffer>(n), 0};
  auto const fill = [&](std::uint64_t cells) {
    for (std::size_t r = 0; r < n; ++r)
      for (std::uint64_t i = 0; i < cells; ++i) result.inputs[r].push_back(cell(r, i));
  };
  auto const& in = result.inputs;
  auto& out = result.outputs;
  switch (operation) {
    case collective::broadcast:
      fill(m);
      result.output_cells = m;
      for (auto& b : out) b = in[p.root];
      break;
    case collective::reduce:
    case collective::allreduce:
      fill(m);
      result.output_cells = m;
      for (std::size_t r = 0; r < n; ++r)
        if (operation == collective::allreduce || r == p.root)
          for (std::uint64_t i = 0; i < m; ++i) {
            out[r].emplace_back();
            for (std::size_t q = 0; q < n; ++q) out[r].back() += in[(q + first) % n][i];
          }
      break;
    case collective::scatter:
      fill(n * m);
      result.output_cells = m;
      for (std::size_t r = 0; r < n; ++r)
        for (std::uint64_t i = 0; i < m; ++i) out[r].push_back(in[p.root][r * m + i]);
      break;
    case collective::gather:
    case collective::allgather:
      fill(m);
      result.output_cells = n * m;
      for (std::size_t r = 0; r < n; ++r)
        if (operation == collective::allgather || r == p.root)
          for (auto const& b : in) out[r].insert(out[r].end(), b.begin(), b.end());
      break;
    case collective::alltoall:
      fill(n * m);
      result.output_cells = n * m;
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t q = 0; q < n; ++q)
          for (std::uint64_t i = 0; i < m; ++i) out[r].push_back(in[q][r * m + i]);
      break;
    case collective::barrier:
      break;
  }
  return result;
}

/// The operands in each cell, sorted.
void in_any_order(std::vector<buffer>& buffers) {
  for (auto& b : buffers)
    for (auto& text : b) {
      std::istringstream words(text);
      std::vector<std::string> sorted{std::istream_iterator<std::string>(words), {}};
      std::sort(sorted.begin(), sorted.end());
      text.clear();
      for (auto const& word : sorted) text += word + " ";
    }
}

class EveryAlgorithm : public testing::TestWithParam<collective_algorithm> {};

TEST_P(EveryAlgorithm, GivesWhatTheOperationMeans) {
  collective_algorithm const& algorithm = GetParam();
  for (std::size_t n = 1; n <= 17; ++n)
    for (std::size_t root : {std::size_t{0}, n / 2, n - 1})
      for (std::uint64_t bytes : {0U, 1U, 5U, 24U})
        for (std::uint64_t segment : {0U, 1U, 7U, 100U})
          for (std::size_t radix : {2U, 3U, 5U}) {
            if (segment != 0 && !algorithm.segmented) continue;
            if (radix != 2 && algorithm.name.find("k_nomial") == std::string_view::npos) continue;
            collective_problem const problem{
                .ranks = n, .root = root, .bytes = bytes, .segment = segment, .unit = 1, .radix = radix};
            meaning expected =
                mean(problem, algorithm.operation, algorithm.operands == skel::plan::order::rotated ? root : 0);
            auto given = interpret(algorithm.make(problem), expected.inputs, expected.output_cells);
            if (algorithm.operands == skel::plan::order::shuffled) in_any_order(expected.outputs), in_any_order(given);
            for (std::size_t r = 0; r < n; ++r) {
              ASSERT_TRUE(expected.outputs[r].empty() || given[r] == expected.outputs[r])
                  << "rank " << r << " of " << n << ", root " << root << ", bytes " << bytes << ", segment " << segment
                  << ", radix " << radix;
            }
          }
}

TEST_P(EveryAlgorithm, NeverCutsAnElement) {
  collective_algorithm const& algorithm = GetParam();
  for (std::size_t n : {2U, 5U, 8U})
    for (std::uint64_t segment : {0U, 7U, 9U, 16U}) {
      auto const schedule =
          algorithm.make({.ranks = n, .bytes = 88, .segment = algorithm.segmented ? segment : 0, .unit = 8});
      for (auto const& mine : schedule.ranks) {
        for (auto const& range : mine.ranges) EXPECT_TRUE(range.first % 8 == 0 && range.bytes % 8 == 0);
        for (auto const& s : mine.steps) EXPECT_EQ(s.bytes % 8, 0);
      }
    }
}

TEST(Barrier, NobodyLeavesBeforeTheLastHasCome) {
  for (std::size_t n = 1; n <= 40; ++n) {
    auto const* const algorithm = skel::plan::find_algorithm(collective::barrier, "dissemination");
    auto const schedule = algorithm->make({.ranks = n});
    // In phase k everybody hears of all that the sender had heard of before.
    std::vector<std::set<std::size_t>> heard(n);
    for (std::size_t r = 0; r < n; ++r) heard[r] = {r};
    std::size_t const steps = schedule.ranks[0].steps.size();
    for (std::size_t i = 0; i < steps; i += 2) {
      auto const before = heard;
      for (std::size_t r = 0; r < n; ++r) {
        auto const& receive = schedule.ranks[r].steps[i + 1];
        ASSERT_EQ(schedule.ranks[receive.peer].steps[i].peer, r);
        heard[r].insert(before[receive.peer].begin(), before[receive.peer].end());
      }
    }
    for (auto const& all : heard) EXPECT_EQ(all.size(), n);
  }
}

TEST_P(EveryAlgorithm, IsFoundByItsName) {
  collective_algorithm const* const found = find_algorithm(GetParam().operation, GetParam().name);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->make, GetParam().make);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryAlgorithm, testing::ValuesIn(all()), [](auto const& one) {
  return std::string(name_of(one.param.operation)) + "_" + std::string(one.param.name);
});

TEST(Segmentation, CutsWholeUnits) {
  auto const even = skel::plan::cut({.ranks = 2, .bytes = 96, .segment = 32, .unit = 8});
  EXPECT_EQ(even.count, 3);
  EXPECT_EQ(even.last, 32);
  auto const rest = skel::plan::cut({.ranks = 2, .bytes = 96, .segment = 47, .unit = 8});
  EXPECT_EQ(rest.count, 3);
  EXPECT_EQ(rest.bytes, 40);
  EXPECT_EQ(rest.last, 16);
  auto const less_than_a_unit = skel::plan::cut({.ranks = 2, .bytes = 96, .segment = 3, .unit = 8});
  EXPECT_EQ(less_than_a_unit.count, 12);
  auto const nothing = skel::plan::cut({.ranks = 2, .bytes = 0, .segment = 3, .unit = 8});
  EXPECT_EQ(nothing.count, 1);
  EXPECT_EQ(nothing.last, 0);
}

}  // namespace
