#include <skel/detail/runtime/reduction/engine.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "random_pattern.hpp"

namespace {

using namespace skel;
using namespace skel::runtime::reduction;
using enum plan::reduction_algorithm;
using vec3 = std::array<double, 3>;

template <class... Algorithms>
constexpr plan::reduction_set these(Algorithms... algorithms) {
  return (plan::set_of(algorithms) | ... | plan::reduction_set{0});
}

constexpr plan::reduction_set all_algorithms =
    these(sequential, replicated_buffer, replicated_links, selective_privates, local_write, atomic, lazy_blocks,
          segmented_gather);
constexpr plan::reduction_set without(plan::reduction_set left, plan::reduction_algorithm one) {
  return left & ~plan::set_of(one);
}

constexpr reduction_rules plain{}, replayable{.replayable = true},
    same_parts{.replayable = true, .determinism = plan::determinism::same_parts},
    any_parts{.replayable = true, .determinism = plan::determinism::any_parts};

struct large {
  double numbers[2];
  friend large operator+(large const& a, large const& b) {
    return {{a.numbers[0] + b.numbers[0], a.numbers[1] + b.numbers[1]}};
  }
};

// Rules.
static_assert(reduction_engine<replayable, std::plus<>, double>::legal() == all_algorithms);
static_assert(reduction_engine<plain, std::plus<>, double>::legal() == without(all_algorithms, local_write));
static_assert(reduction_engine<same_parts, std::plus<>, double>::legal() == without(all_algorithms, atomic));
static_assert(reduction_engine<any_parts, std::plus<>, double>::legal() == these(sequential, segmented_gather));

// Loops that find their elements while they run: what makes no plan of a pattern.
static_assert(reduction_engine<replayable, std::plus<>, double>::legal_open() ==
              these(sequential, replicated_buffer, atomic, lazy_blocks));
static_assert(reduction_engine<any_parts, std::plus<>, double>::legal_open() == these(sequential));

// Atomic updates: values of at most 8 bytes, arrays of them under componentwise operators.
template <class Op, class... Ts>
constexpr bool is_atomic = (reduction_engine<replayable, Op, Ts...>::legal() & plan::set_of(atomic)) != 0;
static_assert(is_atomic<std::plus<>, float> && is_atomic<std::plus<>, std::int64_t> && is_atomic<minimum, double>);
static_assert(is_atomic<componentwise_operator<std::plus<>>, vec3>);
static_assert(is_atomic<componentwise_operator<minimum>, std::array<int, 5>>);
static_assert(is_atomic<std::plus<>, double, std::int32_t>);
static_assert(!is_atomic<std::plus<>, large>);
static_assert(!is_atomic<std::plus<>, double, large>);
static_assert(!is_atomic<operator_with_identity<std::plus<>, std::string>, std::string>);
using whole_vectors = operator_with_identity<vec3 (*)(vec3, vec3), vec3>;
static_assert(!is_atomic<whole_vectors, vec3>);

TEST(ReductionEngine, IsLegalWhereTheCatalogueGuaranteesWhatIsAsked) {
  for (auto const& traits : plan::reduction_catalogue()) {
    auto const one = plan::set_of(traits.algorithm);
    EXPECT_EQ((reduction_engine<same_parts, std::plus<>, double>::legal() & one) != 0,
              traits.guarantees != plan::determinism::none)
        << traits.name;
    EXPECT_EQ((reduction_engine<any_parts, std::plus<>, double>::legal() & one) != 0,
              traits.guarantees == plan::determinism::any_parts)
        << traits.name;
    EXPECT_EQ((reduction_engine<plain, std::plus<>, double>::legal() & one) != 0, !traits.replays) << traits.name;
    EXPECT_EQ((reduction_engine<replayable, std::plus<>, double>::legal_open() & one) != 0, traits.any_pattern)
        << traits.name;
  }
}

TEST(ReductionEngine, RunsWhicheverAlgorithmIsNamedAndKeepsOnlyThat) {
  reduction_engine<replayable, std::plus<>, std::int64_t> engine{std::plus<>{}};
  runtime::thread_team workers(3);
  auto const of = tests::random_pattern({1000, 300, 3, true}, 4);
  auto body = [&](std::size_t i, auto& acc) {
    for (std::size_t k = 0; k < of.row(i).size(); ++k) acc.add(k, static_cast<std::int64_t>(i + k));
  };
  std::vector<std::int64_t> expected(300, 0);
  for (std::size_t i = 0; i < of.iterations(); ++i)
    for (std::size_t k = 0; k < of.row(i).size(); ++k) expected[of.row(i)[k]] += static_cast<std::int64_t>(i + k);
  for (auto const& traits : plan::reduction_catalogue()) {
    std::vector<std::int64_t> x(300, 0);
    engine.keep_only(traits.algorithm);
    engine.prepare(traits.algorithm, of, workers);
    engine.run(traits.algorithm, of, workers, columns<std::int64_t>{{x.data()}}, body);
    EXPECT_EQ(x, expected) << traits.name;
    EXPECT_EQ(engine.bytes() > 0, traits.algorithm != sequential && traits.algorithm != atomic) << traits.name;
  }
  engine.keep_only(sequential);
  EXPECT_EQ(engine.bytes(), 0u);
}

/// Who runs which iteration of the first of two blocks where its first iteration is held up until `others` have run.
template <reduction_rules Rules>
std::vector<std::thread::id> who_runs_the_first_block(std::size_t others) {
  reduction_engine<Rules, std::plus<>, double> engine{std::plus<>{}};
  runtime::thread_team workers(2);
  constexpr std::size_t iterations = 20000;
  pattern const of(iterations, 10, std::vector<subscript>(iterations, 3));
  std::vector<std::thread::id> by(iterations);
  std::atomic<std::size_t> done{0};
  auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  auto body = [&](std::size_t i, auto& acc) {
    while (i == 0 && done < others && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    by[i] = std::this_thread::get_id();
    ++done;
    acc.add(0, 1.0);
  };
  std::vector<double> x(10, 0);
  engine.prepare(replicated_buffer, of, workers);
  engine.run(replicated_buffer, of, workers, columns<double>{{x.data()}}, body);
  EXPECT_EQ(x[3], iterations);
  by.resize(iterations / 2);
  return by;
}

TEST(ReductionEngine, LetsNobodyTakeOverWhereBitsDependOnWhoRunsWhat) {
  auto const fixed = who_runs_the_first_block<same_parts>(10000);  // the other block
  EXPECT_EQ(std::count(fixed.begin(), fixed.end(), fixed.front()), static_cast<std::ptrdiff_t>(fixed.size()));
  auto const free = who_runs_the_first_block<plain>(10001);  // and one that was taken over
  EXPECT_LT(std::count(free.begin(), free.end(), free.front()), static_cast<std::ptrdiff_t>(free.size()));
}

}  // namespace
