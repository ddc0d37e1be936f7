#include <skel/detail/cost/reduction/mechanisms.hpp>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/random_reductions.hpp"

namespace {

using namespace skel::cost;
using enum mechanism;
using enum skel::plan::reduction_algorithm;
using skel::plan::reduction_algorithm;
using skel::tests::random_reductions;

using expected_amounts = std::map<mechanism, double>;

/// Whether inspectors have it; otherwise executions do.
bool is_of_setups(mechanism one) {
  return one >= inspection;
}

double of(mechanism_amounts const& amounts, mechanism one) {
  return amounts[static_cast<std::size_t>(one)];
}

/// 2000 updates of each of four parts, who touch half of 1000 elements.
reduction_problem small_problem() {
  reduction_problem problem;
  auto& of = problem.pattern;
  of.elements = 1000, of.iterations = 4000, of.subscripts = 8000, of.parts = 4;
  of.sparsity = 0.5, of.clusters = 10, of.copies = 1.5, of.load = 1.8, of.crossing = 0.25;
  of.privates = 0.25, of.private_subscripts = 0.3, of.turnover = 0.5, of.mixing = 0.2;
  problem.other_seconds = 1e-3;
  return problem;
}

/// So that the small problem has something from beyond each.
constexpr cache_sizes small_caches{1000, 2000, 4000};

/// 1 - exp(-(10 runs + 0.9765625 blocks) / 1.953125 blocks) of all blocks.
double opened() {
  return 1.953125 * (1 - std::exp(-5.62));
}

/// The loop of a part that runs a quarter of the small problem, but for the lines that it updates.
expected_amounts quarter(expected_amounts more) {
  expected_amounts all{{beginning, 1},
                       {iteration, 1000},
                       {other_work, 1},
                       {update, 2000},
                       {streamed_from_second, 246.09375},
                       {streamed_from_last, 242.1875},
                       {streamed_from_memory, 234.375}};
  for (auto const& [one, amount] : more) all[one] = amount;
  return all;
}

void expect_amounts(mechanism_amounts const& found, expected_amounts const& wanted, std::string const& what) {
  for (std::size_t k = 0; k < mechanisms; ++k) {
    auto const one = static_cast<mechanism>(k);
    double const amount = wanted.contains(one) ? wanted.at(one) : 0;
    EXPECT_NEAR(found[k], amount, 1e-9 * amount) << what << ": " << name_of(one);
  }
}

TEST(Mechanisms, HaveNamesOfTheirOwnByWhichTheyAreFound) {
  std::set<std::string_view> names;
  for (std::size_t k = 0; k < mechanisms; ++k) {
    auto const one = static_cast<mechanism>(k);
    EXPECT_FALSE(name_of(one).empty()) << k;
    EXPECT_EQ(find_mechanism(name_of(one)), one);
    names.insert(name_of(one));
  }
  EXPECT_EQ(names.size(), mechanisms);
  EXPECT_EQ(name_of(line_from_memory), "line from memory");
  EXPECT_EQ(find_mechanism("fresh huge page"), fresh_huge_page);
  EXPECT_EQ(find_mechanism("dragons"), std::nullopt);
  EXPECT_EQ(find_mechanism(""), std::nullopt);
}

TEST(Mechanisms, AreOfFreshBuffersOrNot) {
  EXPECT_FALSE(is_of_fresh_buffers(counted_element));
  EXPECT_TRUE(is_of_fresh_buffers(opened_block));
  EXPECT_TRUE(is_of_fresh_buffers(fresh_line));
}

TEST(AmountsOfRun, AreThoseOfEachAlgorithm) {
  std::map<reduction_algorithm, expected_amounts> const wanted{
      {sequential,
       {{beginning, 1},
        {iteration, 4000},
        {other_work, 4},
        {update, 8000},
        {line_from_second, 3500},
        {line_from_last, 3000},
        {line_from_memory, 2000},
        {streamed_from_second, 984.375},
        {streamed_from_last, 968.75},
        {streamed_from_memory, 937.5}}},
      {replicated_buffer, quarter({{line_from_second, 750},
                                   {line_from_last, 500},
                                   {phase, 1},
                                   {merged_element, 750},
                                   {merged_word, 750},
                                   {merged_from_second, 90.8203125},
                                   {merged_from_last, 87.890625},
                                   {merged_from_memory, 82.03125}})},
      {replicated_links, quarter({{line_from_second, 750},
                                  {line_from_last, 500},
                                  {phase, 1},
                                  {merged_element, 375},
                                  {merged_word, 375},
                                  {merged_from_second, 43.9453125},
                                  {merged_from_last, 41.015625},
                                  {merged_from_memory, 35.15625},
                                  {merged_run, 7.5}})},
      {selective_privates, quarter({{line_from_second, 750 + 6.8359375},
                                    {line_from_last, 500 + 5.859375},
                                    {line_from_memory, 3.90625},
                                    {phase, 1},
                                    {private_update, 600},
                                    {merged_element, 62.5},
                                    {merged_word, 62.5},
                                    {merged_from_second, 3.90625}})},
      {local_write,
       {{beginning, 1},
        {iteration, 1800},
        {other_work, 1.8},
        {update, 3600},
        {line_from_second, 900 + 885.9375},
        {line_from_last, 871.875},
        {line_from_memory, 843.75},
        {streamed_from_second, 442.96875},
        {streamed_from_last, 435.9375},
        {streamed_from_memory, 421.875},
        {checked_owner, 1800},
        {crossing_iteration, 900}}},
      {atomic, quarter({{line_from_second, 750}, {line_from_last, 500}, {atomic_word, 2000}})},
      {lazy_blocks, quarter({{line_from_second, 750},
                             {line_from_last, 500},
                             {phase, 1},
                             {block_lookup, 1500},
                             {merged_element, opened() * 512 * 0.75},
                             {merged_word, opened() * 512 * 0.75},
                             {merged_from_second, opened() * 48 * (1 - 1000 / (opened() * 16384))},
                             {merged_from_last, opened() * 48 * (1 - 2000 / (opened() * 16384))},
                             {merged_from_memory, opened() * 48 * (1 - 4000 / (opened() * 16384))}})},
      {segmented_gather, quarter({{line_from_second, 937.5},
                                  {line_from_last, 875},
                                  {line_from_memory, 750},
                                  {phase, 1},
                                  {stored_word, 2000},
                                  {gathered_element, 250},
                                  {streamed_from_second, 988.28125},
                                  {streamed_from_last, 976.5625},
                                  {streamed_from_memory, 953.125}})}};
  ASSERT_EQ(wanted.size(), skel::plan::reduction_algorithms);
  for (auto const& [algorithm, amounts] : wanted)
    expect_amounts(amounts_of_run(algorithm, small_problem(), small_caches), amounts,
                   std::string(skel::plan::name_of(algorithm)));
}

TEST(AmountsOfSetup, AreThoseOfEachAlgorithm) {
  std::map<reduction_algorithm, expected_amounts> const wanted{
      {sequential, {{inspection, 1}}},
      {atomic, {{inspection, 1}}},
      {replicated_buffer, {{inspection, 1}, {prepared_part, 4}, {fresh_page, 1.953125}, {fresh_line, 125}}},
      {replicated_links,
       {{inspection, 1},
        {prepared_part, 4},
        {marked_subscript, 2000},
        {bitmap_word, 15.625},
        {linked_run, 10},
        {fresh_page, 1.953125},
        {fresh_line, 125}}},
      {selective_privates,
       {{inspection, 1},
        {prepared_part, 4},
        {marked_subscript, 2000},
        {bitmap_word, 15.625},
        {listed_iteration, 1000},
        {private_subscript, 1200},
        {private_element, 62.5},
        {fresh_page, 0.1220703125},
        {fresh_line, 7.8125}}},
      {local_write,
       {{inspection, 1},
        {prepared_part, 4},
        {owned_subscript, 2000},
        {crossing_subscript, 500},
        {copied_iteration, 1800}}},
      {lazy_blocks, {{inspection, 1}, {prepared_part, 4}, {block, 1.953125}, {opened_block, opened()}}},
      {segmented_gather,
       {{inspection, 1},
        {prepared_part, 4},
        {sorted_subscript, 2000},
        {crossing_subscript, 500},
        {counted_line, 1000},
        {counted_element, 250},
        {fresh_page, 15.625},
        {fresh_line, 1000}}}};
  ASSERT_EQ(wanted.size(), skel::plan::reduction_algorithms);
  for (auto const& [algorithm, amounts] : wanted)
    expect_amounts(amounts_of_setup(algorithm, small_problem()), amounts, std::string(skel::plan::name_of(algorithm)));
}

TEST(AmountsOfRun, CountAnElementsWordsAndLines) {
  auto problem = small_problem();
  problem.value_bytes = 160;  // 20 words, 2.5 lines
  auto const amounts = amounts_of_run(replicated_buffer, problem, small_caches);
  EXPECT_DOUBLE_EQ(of(amounts, update), 2000);
  EXPECT_DOUBLE_EQ(of(amounts, updated_word), 2000 * 19);
  EXPECT_DOUBLE_EQ(of(amounts, line_from_second), 2000 * 0.5 * 2.5 * (1 - 1000.0 / 80000));
  EXPECT_DOUBLE_EQ(of(amounts, merged_word), 750 * 20);
  EXPECT_DOUBLE_EQ(of(amounts_of_run(atomic, problem, small_caches), atomic_word), 2000 * 20);
  EXPECT_DOUBLE_EQ(of(amounts_of_run(segmented_gather, problem, small_caches), stored_word), 2000 * 20);
}

TEST(AmountsOfSetup, FreshBuffersAreInHugePagesWhereThesePay) {
  auto problem = small_problem();
  auto const fresh = [&](std::size_t bytes) {
    problem.pattern.elements = bytes / 8;
    return amounts_of_setup(replicated_buffer, problem);
  };
  constexpr std::size_t mebi = std::size_t{1} << 20;
  auto const one = fresh(2 * mebi + 100 * 1024), two = fresh(3 * mebi);
  EXPECT_DOUBLE_EQ(of(one, fresh_huge_page), 1);
  EXPECT_DOUBLE_EQ(of(one, fresh_page), 25);
  EXPECT_DOUBLE_EQ(of(two, fresh_huge_page), 2);
  EXPECT_DOUBLE_EQ(of(two, fresh_page), 0) << "the last one has more room than is needed";
  EXPECT_DOUBLE_EQ(of(two, fresh_line), 3 * mebi / 64);
}

TEST(AmountsOfRun, OfOnePartMergeNothing) {
  auto problem = small_problem();
  problem.pattern.parts = 1;
  problem.pattern.copies = problem.pattern.load = 1, problem.pattern.crossing = 0;
  problem.pattern.privates = problem.pattern.private_subscripts = 0;
  for (auto const algorithm : {replicated_buffer, replicated_links, selective_privates, lazy_blocks}) {
    auto const amounts = amounts_of_run(algorithm, problem, small_caches);
    for (auto const one : {merged_element, merged_word, merged_from_second, merged_run, private_update, block_lookup})
      EXPECT_EQ(of(amounts, one), 0) << skel::plan::name_of(algorithm) << ": " << name_of(one);
    EXPECT_EQ(of(amounts, update), 8000);
  }
  auto const alone = amounts_of_run(sequential, problem, small_caches);
  EXPECT_EQ(of(amounts_of_run(local_write, problem, small_caches), iteration), of(alone, iteration));
  EXPECT_EQ(of(amounts_of_run(local_write, problem, small_caches), crossing_iteration), 0);
}

TEST(Amounts, AreFiniteAndNotNegativeForAnyProblem) {
  random_reductions random(1);
  std::vector<reduction_problem> problems(1);  // that without any element
  for (int k = 0; k < 500; ++k) problems.push_back(random.next()), problems.push_back(by_sizes(problems.back()));
  for (auto const& problem : problems)
    for (auto const& traits : skel::plan::reduction_catalogue()) {
      auto const run = amounts_of_run(traits.algorithm, problem, {});
      auto const setup = amounts_of_setup(traits.algorithm, problem);
      for (std::size_t k = 0; k < mechanisms; ++k) {
        auto const one = static_cast<mechanism>(k);
        ASSERT_TRUE(std::isfinite(run[k]) && run[k] >= 0) << traits.name << ": " << name_of(one) << ' ' << run[k];
        ASSERT_TRUE(std::isfinite(setup[k]) && setup[k] >= 0) << traits.name << ": " << name_of(one) << ' ' << setup[k];
        EXPECT_EQ((is_of_setups(one) ? run : setup)[k], 0) << traits.name << ": " << name_of(one);
      }
      EXPECT_EQ(of(run, beginning), 1);
      EXPECT_EQ(of(setup, inspection), 1);
    }
}

TEST(Amounts, AreNeverLessWhereThereIsMoreWork) {
  random_reductions random(3);
  for (int k = 0; k < 300; ++k) {
    auto const problem = random.next();
    auto longer = problem;
    longer.pattern.iterations *= 2, longer.pattern.subscripts *= 2;
    for (auto const& traits : skel::plan::reduction_catalogue()) {
      auto const few = amounts_of_run(traits.algorithm, problem, {}),
                 many = amounts_of_run(traits.algorithm, longer, {}),
                 soon = amounts_of_setup(traits.algorithm, problem), late = amounts_of_setup(traits.algorithm, longer);
      for (std::size_t m = 0; m < mechanisms; ++m) {
        auto const one = static_cast<mechanism>(m);
        EXPECT_GE(many[m], few[m]) << traits.name << ": " << name_of(one);
        if (one == fresh_page) continue;  // what is left over may fill a huge one
        EXPECT_GE(late[m], soon[m]) << traits.name << ": " << name_of(one);
      }
      EXPECT_EQ(of(many, iteration), 2 * of(few, iteration));
    }
  }
}

TEST(AmountsOfRun, AreNeverMoreWithLargerCaches) {
  random_reductions random(4);
  for (int k = 0; k < 300; ++k) {
    auto const problem = random.next();
    for (auto const& traits : skel::plan::reduction_catalogue()) {
      auto const small = amounts_of_run(traits.algorithm, problem, {1 << 14, 1 << 18, 1 << 22}),
                 large = amounts_of_run(traits.algorithm, problem, {1 << 16, 1 << 21, 1 << 26}),
                 all = amounts_of_run(traits.algorithm, problem, {1e18, 1e18, 1e18});
      for (std::size_t m = 0; m < mechanisms; ++m)
        EXPECT_LE(large[m], small[m]) << traits.name << ": " << name_of(static_cast<mechanism>(m));
      for (auto const one : {line_from_second, line_from_memory, streamed_from_last, merged_from_memory})
        EXPECT_EQ(of(all, one), 0) << traits.name << ": " << name_of(one);
    }
  }
}

TEST(BySizes, ForgetsEverythingButSizes) {
  random_reductions random(5);
  for (int k = 0; k < 100; ++k) {
    auto const problem = random.next();
    auto other = problem;
    other.pattern.sparsity /= 2, other.pattern.clusters *= 3, other.pattern.copies += 1, other.pattern.privates += 1;
    other.known_by = knowledge::sampled;
    auto const sizes = by_sizes(problem);
    EXPECT_EQ(sizes, by_sizes(other));
    EXPECT_EQ(sizes.known_by, knowledge::sizes);
    EXPECT_EQ(sizes.pattern.subscripts, problem.pattern.subscripts);
    EXPECT_EQ(sizes.value_bytes, problem.value_bytes);
    EXPECT_EQ(by_sizes(sizes), sizes);
    EXPECT_LE(sizes.pattern.sparsity, 1);
  }
}

}  // namespace
