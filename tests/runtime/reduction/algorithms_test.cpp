#include <skel/detail/runtime/reduction/algorithms.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/runtime/threads/team.hpp>

#include "random_pattern.hpp"

namespace {

using namespace skel;
using namespace skel::runtime::reduction;
using runtime::team;
using runtime::thread_team;
using tests::odd_shapes;
using tests::random_pattern;
using vec3 = std::array<double, 3>;

template <class Algorithm, class T, class Op, class Body>
void reduce(Algorithm& with, pattern const& of, team& workers, std::vector<T>& into, Op const& op, Body body,
            runtime::dealing dealt = runtime::dealing::on_demand) {
  with.prepare(of, workers, op);
  with_rows(of, [&](auto rows) {
    pattern_loop<decltype(rows)> const loop{of.iterations(), of.elements(), rows, dealt};
    with.run(loop, workers, columns<T>{{into.data()}}, op, body);
  });
}

/// What slot `slot` of iteration i adds: not symmetric in slots, so that a mix-up shows.
std::int64_t share(std::size_t i, std::size_t slot) {
  return static_cast<std::int64_t>((i * 31 + slot * 7) % 101) - 50;
}

/// What a sequential loop over the rows gives: written without the library's loops.
template <class T, class Op>
std::vector<T> by_hand(pattern const& of, std::vector<T> into, Op op) {
  for (std::size_t i = 0; i < of.iterations(); ++i)
    for (std::size_t k = 0; k < of.row(i).size(); ++k)
      into[of.row(i)[k]] = op(into[of.row(i)[k]], static_cast<T>(share(i, k)));
  return into;
}

/// The sum of each row's shares, and its slots, known to bodies without looking at the pattern.
auto adding(pattern const& of) {
  return [&of](std::size_t i, auto& acc) {
    for (std::size_t k = 0; k < of.row(i).size(); ++k) acc.add(k, share(i, k));
  };
}

template <template <class, class...> class Algorithm>
struct named {
  template <class Op, class... Ts>
  using type = Algorithm<Op, Ts...>;
};

template <class Named>
class ReductionAlgorithm : public testing::Test {};
using all =
    testing::Types<named<sequential>, named<replicated_buffer>, named<replicated_links>, named<selective_privates>,
                   named<local_write>, named<atomic_updates>, named<lazy_blocks>, named<segmented_gather>>;
TYPED_TEST_SUITE(ReductionAlgorithm, all);

template <class Op>
std::vector<std::int64_t> start(std::size_t elements, Op) {
  std::vector<std::int64_t> x(elements);
  for (std::size_t e = 0; e < elements; ++e) x[e] = static_cast<std::int64_t>(e % 7) + 1;
  return x;
}

template <class Named, class Op>
void equals_by_hand(Op op) {
  typename Named::template type<Op, std::int64_t> algorithm;  // one for all: plans and buffers are made anew
  for (auto const dealt : {runtime::dealing::blocks, runtime::dealing::on_demand})
    for (std::size_t const parts : {1u, 2u, 3u, 7u}) {
      thread_team workers(parts);
      unsigned seed = 0;
      for (auto const& shape : odd_shapes()) {
        auto const of = random_pattern(shape, ++seed);
        auto x = start(of.elements(), op);
        auto const expected = by_hand(of, by_hand(of, x, op), op);
        reduce(algorithm, of, workers, x, op, adding(of), dealt);
        with_rows(of, [&](auto rows) {  // and once more with the same plan
          pattern_loop<decltype(rows)> const loop{of.iterations(), of.elements(), rows, dealt};
          auto body = adding(of);
          algorithm.run(loop, workers, columns<std::int64_t>{{x.data()}}, op, body);
        });
        ASSERT_EQ(x, expected) << parts << " parts, shape " << seed;
      }
    }
}

TYPED_TEST(ReductionAlgorithm, GivesSumsOfASequentialLoop) {
  equals_by_hand<TypeParam>(std::plus<>{});
}

TYPED_TEST(ReductionAlgorithm, GivesMinimaOfASequentialLoop) {
  equals_by_hand<TypeParam>(minimum{});
}

TYPED_TEST(ReductionAlgorithm, GivesMaximaOfASequentialLoop) {
  equals_by_hand<TypeParam>(maximum{});
}

TYPED_TEST(ReductionAlgorithm, GivesProductsOfASequentialLoop) {
  auto const wrapping = with_identity(
      [](std::int64_t a, std::int64_t b) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
      },
      std::int64_t{1});
  equals_by_hand<TypeParam>(wrapping);
}

TYPED_TEST(ReductionAlgorithm, TakesBodiesThatLeaveSlotsOutOrUseThemTwice) {
  typename TypeParam::template type<std::plus<>, std::int64_t> algorithm;
  auto const of = random_pattern({400, 97, 3}, 5);
  auto const body = [](std::size_t i, auto& acc) {
    if (i % 3 == 0) return;
    acc.add(1, std::int64_t{1});
    acc.add(1, static_cast<std::int64_t>(i));
  };
  std::vector<std::int64_t> expected(97, 0);
  for (std::size_t i = 0; i < 400; ++i)
    if (i % 3 != 0) expected[of.row(i)[1]] += 1 + static_cast<std::int64_t>(i);
  for (std::size_t const parts : {1u, 4u}) {
    thread_team workers(parts);
    std::vector<std::int64_t> x(97, 0);
    reduce(algorithm, of, workers, x, std::plus<>{}, body);
    EXPECT_EQ(x, expected);
  }
}

TYPED_TEST(ReductionAlgorithm, AccumulatesVectorsComponentByComponent) {
  auto const op = componentwise(std::plus<>{});
  typename TypeParam::template type<componentwise_operator<std::plus<>>, vec3> algorithm;
  thread_team workers(3);
  auto const of = random_pattern({500, 61, 2}, 9);
  std::vector<vec3> x(61, vec3{1, 0, 0});
  auto expected = x;
  for (std::size_t i = 0; i < 500; ++i)
    for (std::size_t k = 0; k < 2; ++k) expected[of.row(i)[k]] = op(expected[of.row(i)[k]], vec3{1.0, double(i), -2.0});
  reduce(algorithm, of, workers, x, op, [](std::size_t i, auto& acc) {
    acc.add(0, vec3{1.0, double(i), -2.0});
    acc.add(1, vec3{1.0, double(i), -2.0});
  });
  EXPECT_EQ(x, expected);  // whole numbers: exact in any order
}

TYPED_TEST(ReductionAlgorithm, AccumulatesIntoSeveralArraysOfDifferentTypes) {
  typename TypeParam::template type<std::plus<>, double, std::int32_t> algorithm;
  thread_team workers(3);
  auto const of = random_pattern({500, 61, 2}, 11);
  std::vector<double> x(61, 0);
  std::vector<std::int32_t> counts(61, 0);
  auto body = [](std::size_t i, auto& acc) {
    acc.add(0, double(i), 1);
    acc.add(1, -double(i), 1);
  };
  algorithm.prepare(of, workers, std::plus<>{});
  with_rows(of, [&](auto rows) {
    pattern_loop<decltype(rows)> const loop{of.iterations(), of.elements(), rows};
    algorithm.run(loop, workers, columns<double, std::int32_t>{{x.data(), counts.data()}}, std::plus<>{}, body);
  });
  std::vector<double> sums(61, 0);
  std::vector<std::int32_t> touched(61, 0);
  for (std::size_t i = 0; i < 500; ++i) {
    sums[of.row(i)[0]] += double(i), ++touched[of.row(i)[0]];
    sums[of.row(i)[1]] -= double(i), ++touched[of.row(i)[1]];
  }
  EXPECT_EQ(x, sums);
  EXPECT_EQ(counts, touched);
}

TYPED_TEST(ReductionAlgorithm, RunsEveryIterationAlsoThoseThatTouchNothing) {
  typename TypeParam::template type<std::plus<>, std::int64_t> algorithm;
  thread_team workers(3);
  auto const of = pattern::rows(4, std::vector<std::size_t>(51, 0), std::vector<int>{});
  std::vector<std::int64_t> x(4, 0);
  std::atomic<int> calls{0};
  reduce(algorithm, of, workers, x, std::plus<>{}, [&](std::size_t, auto&) { ++calls; });
  EXPECT_EQ(calls, 50);
}

TYPED_TEST(ReductionAlgorithm, HandsOnAnExceptionOfTheBodyAndRunsCleanlyAfterIt) {
  typename TypeParam::template type<std::plus<>, std::int64_t> algorithm;
  auto const of = random_pattern({1000, 5000, 2}, 3);
  for (auto const& [parts, dealt] : {std::pair{1u, runtime::dealing::blocks}, std::pair{3u, runtime::dealing::blocks},
                                     std::pair{3u, runtime::dealing::on_demand}}) {
    thread_team workers(parts);
    std::vector<std::int64_t> x(5000, 0);
    auto const fails = [&](std::size_t i, auto& acc) {
      acc.add(0, share(i, 0));
      if (i % 400 == 399) throw std::runtime_error("iteration " + std::to_string(i));
      acc.add(1, share(i, 1));
    };
    EXPECT_THROW(reduce(algorithm, of, workers, x, std::plus<>{}, fails, dealt), std::runtime_error);
    x.assign(5000, 0);
    with_rows(of, [&, dealt = dealt](auto rows) {  // with the plan and the buffers of the run that was broken off
      pattern_loop<decltype(rows)> const loop{of.iterations(), of.elements(), rows, dealt};
      auto body = adding(of);
      algorithm.run(loop, workers, columns<std::int64_t>{{x.data()}}, std::plus<>{}, body);
    });
    EXPECT_EQ(x, by_hand(of, std::vector<std::int64_t>(5000, 0), std::plus<>{}));
  }
}

TYPED_TEST(ReductionAlgorithm, KeepsNothingWhenReleased) {
  typename TypeParam::template type<std::plus<>, std::int64_t> algorithm;
  thread_team workers(2);
  auto const of = random_pattern({1000, 500, 2}, 3);
  std::vector<std::int64_t> x(500, 0);
  reduce(algorithm, of, workers, x, std::plus<>{}, adding(of));
  algorithm.release();
  EXPECT_EQ(algorithm.bytes(), 0u);
}

template <class Named>
std::vector<double> rounded_sums(pattern const& of, std::size_t parts) {
  typename Named::template type<std::plus<>, double> algorithm;
  // Blocks are what makes sums the same for as many parts; what is the same for any is so whoever does what.
  auto const dealt = Named::template type<std::plus<>, double>::algorithm == plan::reduction_algorithm::segmented_gather
                         ? runtime::dealing::on_demand
                         : runtime::dealing::blocks;
  thread_team workers(parts);
  std::vector<double> x(of.elements(), 0.1);
  auto const body = [&](std::size_t i, auto& acc) {
    for (std::size_t k = 0; k < of.row(i).size(); ++k) acc.add(k, 1.0 / double(i + k + 1));
  };
  reduce(algorithm, of, workers, x, std::plus<>{}, body, dealt);
  return x;
}

TYPED_TEST(ReductionAlgorithm, IsAsDeterministicAsItsTraitsSay) {
  auto const of = random_pattern({3000, 40, 3}, 21);
  constexpr auto algorithm = TypeParam::template type<std::plus<>, double>::algorithm;
  auto const guarantee = plan::traits_of(algorithm).guarantees;
  if (guarantee == plan::determinism::none) GTEST_SKIP() << "gives no guarantee";
  auto const first = rounded_sums<TypeParam>(of, 4);
  for (int repeat = 0; repeat < 20; ++repeat) ASSERT_EQ(rounded_sums<TypeParam>(of, 4), first);
  if (guarantee != plan::determinism::any_parts) return;
  auto const one = rounded_sums<named<sequential>>(of, 1);
  for (std::size_t const parts : {1u, 2u, 3u, 5u, 8u}) EXPECT_EQ(rounded_sums<TypeParam>(of, parts), one);
}

template <class Named>
class OpenReduction : public testing::Test {};
using open = testing::Types<named<sequential>, named<replicated_buffer>, named<atomic_updates>, named<lazy_blocks>>;
TYPED_TEST_SUITE(OpenReduction, open);

TYPED_TEST(OpenReduction, FindsItsElementsWhileItRuns) {
  typename TypeParam::template type<std::plus<>, std::int64_t> algorithm;
  for (std::size_t const parts : {1u, 2u, 7u}) {
    thread_team workers(parts);
    open_loop const loop{5000, 1201};
    std::vector<std::int64_t> x(1201, 0), expected(1201, 0);
    auto body = [](std::size_t i, auto& acc) { acc.add(i * i % 1201, static_cast<std::int64_t>(i)); };
    for (std::size_t i = 0; i < 5000; ++i) expected[i * i % 1201] += static_cast<std::int64_t>(i);
    algorithm.prepare(loop, workers, std::plus<>{});
    algorithm.run(loop, workers, columns<std::int64_t>{{x.data()}}, std::plus<>{}, body);
    EXPECT_EQ(x, expected);
  }
}

TYPED_TEST(OpenReduction, RefusesAnElementThatIsNotThere) {
  typename TypeParam::template type<std::plus<>, std::int64_t> algorithm;
  thread_team workers(2);
  open_loop const loop{10, 5};
  std::vector<std::int64_t> x(5, 0);
  auto body = [](std::size_t i, auto& acc) { acc.add(i == 7 ? 5 : 0, std::int64_t{1}); };
  algorithm.prepare(loop, workers, std::plus<>{});
  try {
    algorithm.run(loop, workers, columns<std::int64_t>{{x.data()}}, std::plus<>{}, body);
    FAIL() << "nothing was refused";
  } catch (input_error const& refused) {
    EXPECT_THAT(refused.what(), testing::AllOf(testing::HasSubstr("iteration 7"), testing::HasSubstr("element 5")));
  }
}

}  // namespace
