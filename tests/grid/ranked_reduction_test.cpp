#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <skel/detail/plan/block.hpp>
#include <skel/detail/platform/host_load.hpp>
#include <skel/skel.hpp>

namespace {

using namespace skel;
using plan::reduction_exchange;
using testing::HasSubstr;
using numbers = std::vector<std::int64_t>;

constexpr reduction_rules replayable{.replayable = true};
constexpr reduction_rules same_parts{.determinism = plan::determinism::same_parts};
constexpr std::array<std::optional<reduction_exchange>, 3> ways{std::nullopt, reduction_exchange::dense,
                                                                reduction_exchange::sparse};

/// Hosts of one cluster with links of 1 GB/s: rank i is host i, and nothing is measured.
run_settings on_one_cluster() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  run_settings settings;
  settings.platform = platform::description(
      1e-6, {{.name = "here", .hosts = static_cast<std::size_t>(ranks), .inside = {5e-5, 1e9}}}, {});
  return settings;
}

/// The iterations of a rank: pairs of elements of its part of the elements and a bit beyond, so that neighbours share
/// some and most are touched by one rank. The last rank has none.
pattern share_of(std::size_t rank, std::size_t ranks, std::size_t elements, unsigned draw) {
  std::mt19937 random(1000 * draw + static_cast<unsigned>(rank));
  std::size_t const iterations = rank + 1 == ranks && ranks > 1 ? 0 : elements / ranks;
  auto const block = plan::block_of(elements, ranks, rank);
  std::vector<std::size_t> index;
  for (std::size_t i = 0; i < 2 * iterations; ++i)
    index.push_back((block.begin + random() % (block.size() + 5)) % elements);
  return pattern(iterations, elements, std::move(index));
}

std::int64_t value(std::size_t rank, std::size_t i, std::size_t k) {
  return static_cast<std::int64_t>((rank + 3) * (i % 17)) - static_cast<std::int64_t>(2 * k);
}

auto adding(std::size_t rank) {
  return [rank](std::size_t i, auto& acc) {
    acc.add(0, value(rank, i, 0));
    acc.add(1, value(rank, i, 1));
  };
}

void add_by_hand(numbers& x, pattern const& of, std::size_t rank) {
  for (std::size_t i = 0; i < of.iterations(); ++i)
    for (std::size_t k = 0; k < 2; ++k) x[of.row(i)[k]] += value(rank, i, k);
}

class RankedReduction : public testing::Test {
 protected:
  skel::grid grid{on_one_cluster()};
  std::size_t ranks = static_cast<std::size_t>(grid.size()), self = static_cast<std::size_t>(grid.rank());

  reduction_settings with(std::optional<reduction_exchange> way) { return {.threads = 2, .exchange = way}; }

  template <class T>
  void expect_same_bits(std::vector<T> const& x) {
    std::vector<T> all(ranks * x.size());
    grid.all_gather(std::span(x), std::span(all));
    for (std::size_t r = 0; r < ranks; ++r)
      EXPECT_EQ(std::memcmp(all.data() + r * x.size(), x.data(), x.size() * sizeof(T)), 0) << "rank " << r;
  }
};

TEST_F(RankedReduction, GivesEveryRankTheSumsOfAllIterations) {
  for (auto const way : ways) {
    irregular_reduction<> reduction(with(way));
    for (unsigned draw = 0; draw < 6; ++draw) {
      std::size_t const elements = std::array<std::size_t, 6>{1, 3, 7, 64, 500, 3001}[draw];
      auto const mine = share_of(self, ranks, elements, draw);
      numbers x(elements, 7), expected = x;
      for (int use = 0; use < 5; ++use) {
        reduction.run(grid, own_share(mine), std::span{x}, adding(self));
        for (std::size_t r = 0; r < ranks; ++r) add_by_hand(expected, share_of(r, ranks, elements, draw), r);
        ASSERT_EQ(x, expected) << elements << " elements\n" << reduction.exchange_report();
      }
      if (way && ranks > 1) {
        EXPECT_EQ(reduction.exchange_report().way, *way);
      }
    }
    if (ranks > 1) {
      EXPECT_EQ(reduction.exchange_report().executions, 30u);
    }
  }
}

TEST_F(RankedReduction, GivesEveryOwnerTheSumsOfItsElements) {
  for (auto const way : ways) {
    irregular_reduction<std::plus<>, replayable> reduction(with(way));
    for (unsigned draw = 0; draw < 6; ++draw) {
      std::size_t const elements = std::array<std::size_t, 6>{1, 3, 7, 64, 500, 3001}[draw];
      auto const block = plan::block_of(elements, ranks, self);
      numbers all(elements, 7), x(block.size(), 7);
      for (int use = 0; use < 4; ++use) {
        reduction.run_owned(grid, own_share(share_of(self, ranks, elements, draw)), std::span{x}, adding(self));
        for (std::size_t r = 0; r < ranks; ++r) add_by_hand(all, share_of(r, ranks, elements, draw), r);
        ASSERT_EQ(x, numbers(all.begin() + static_cast<std::ptrdiff_t>(block.begin),
                             all.begin() + static_cast<std::ptrdiff_t>(block.end)))
            << elements << " elements\n"
            << reduction.exchange_report();
      }
    }
  }
}

TEST_F(RankedReduction, FollowsPatternsThatChangeOnSomeRanksOnly) {
  std::size_t const elements = 400;
  for (auto const way : ways) {
    irregular_reduction<> reduction(with(way));
    std::vector<pattern> all;
    for (std::size_t r = 0; r < ranks; ++r) all.push_back(share_of(r, ranks, elements, 9));
    numbers x(elements, 0), expected = x;
    for (std::size_t use = 0; use < 12; ++use) {
      std::size_t const changing = use % 3 == 2 ? use % ranks : ranks;  // every third time, one of them
      if (changing < ranks)
        all[changing].change([&](pattern::editor& pen) {
          for (std::size_t i = 0; i < all[changing].iterations(); i += 3) pen.set(i, 1, (i * 31 + use) % elements);
        });
      reduction.run(grid, own_share(all[self]), std::span{x}, adding(self));
      for (std::size_t r = 0; r < ranks; ++r) add_by_hand(expected, all[r], r);
      ASSERT_EQ(x, expected) << "use " << use << '\n' << reduction.exchange_report();
    }
    if (ranks > 1) {
      EXPECT_EQ(reduction.exchange_report().phases, 5u);
    }
  }
}

TEST_F(RankedReduction, LeavesTheSameRoundedBitsOnAllRanks) {
  std::size_t const elements = 900;
  auto const body = [&](std::size_t i, auto& acc) {
    acc.add(0, 1.0 / double(i + self + 1));
    acc.add(1, -1.0 / double(3 * i + self + 2));
  };
  auto const mine = share_of(self, ranks, elements, 4);
  for (auto const way : ways) {
    irregular_reduction<> reduction(with(way));
    std::vector<double> x(elements, 0.1);
    for (int use = 0; use < 6; ++use) reduction.run(grid, own_share(mine), std::span{x}, body);
    expect_same_bits(x);
  }
}

TEST_F(RankedReduction, GivesTheSameBitsByEitherExchangeWhereTheyMayNotDiffer) {
  std::size_t const elements = 900;
  auto const body = [&](std::size_t i, auto& acc) {
    acc.add(0, 1.0 / double(i + self + 1), float(i) / 3);
    acc.add(1, -1.0 / double(3 * i + self + 2), 0.1F);
  };
  auto const mine = share_of(self, ranks, elements, 5);
  auto const block = plan::block_of(elements, ranks, self);
  std::vector<std::vector<double>> results;
  std::vector<std::vector<float>> others;
  for (auto const way : {reduction_exchange::dense, reduction_exchange::sparse}) {
    // One algorithm, as others round otherwise.
    reduction_settings const one{.threads = 2, .forced = plan::reduction_algorithm::replicated_buffer, .exchange = way};
    irregular_reduction<std::plus<>, same_parts> everywhere(one), owned(one);
    std::vector<double> x(elements, 0.1), y(block.size(), 0.1);
    std::vector<float> u(elements, 0.2F), v(block.size(), 0.2F);
    for (int use = 0; use < 3; ++use) {
      everywhere.run(grid, own_share(mine), arrays(std::span{x}, std::span{u}), body);
      owned.run_owned(grid, own_share(mine), arrays(std::span{y}, std::span{v}), body);
    }
    expect_same_bits(x);
    EXPECT_TRUE(std::equal(y.begin(), y.end(), x.begin() + static_cast<std::ptrdiff_t>(block.begin)));
    EXPECT_TRUE(std::equal(v.begin(), v.end(), u.begin() + static_cast<std::ptrdiff_t>(block.begin)));
    results.push_back(x);
    others.push_back(u);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(others[0], others[1]);
}

TEST_F(RankedReduction, CombinesValuesOfSeveralComponentsWithAnyOperator) {
  using vec3 = std::array<std::int32_t, 3>;
  std::size_t const elements = 120;
  auto const mine = share_of(self, ranks, elements, 6);
  auto const greatest = componentwise(maximum{});
  auto const point = [](std::size_t r, std::size_t i) {
    return vec3{static_cast<std::int32_t>(i * 7 % 50), -static_cast<std::int32_t>(i + r), static_cast<std::int32_t>(r)};
  };
  std::vector<vec3> expected(elements, vec3{1, -40, 2});
  for (std::size_t r = 0; r < ranks; ++r) {
    auto const theirs = share_of(r, ranks, elements, 6);
    for (std::size_t i = 0; i < theirs.iterations(); ++i)
      for (std::size_t const e : theirs.row(i)) expected[e] = greatest(expected[e], point(r, i));
  }
  for (auto const way : ways) {
    irregular_reduction<decltype(greatest)> reduction(with(way), greatest);
    std::vector<vec3> x(elements, vec3{1, -40, 2});
    for (int use = 0; use < 3; ++use)
      reduction.run(grid, own_share(mine), std::span{x}, [&](std::size_t i, auto& acc) {
        acc.add(0, point(self, i));
        acc.add(1, point(self, i));
      });
    EXPECT_EQ(x, expected);
  }
}

TEST_F(RankedReduction, CrossesWithSubscriptsThatAreKnownOnlyWhileItRuns) {
  irregular_reduction<> reduction({.threads = 2});
  numbers histogram(10, 0), expected(10, 0);
  for (std::size_t r = 0; r < ranks; ++r)
    for (std::size_t i = 0; i < 100 * r; ++i) expected[i * i % 10] += 2;
  for (int use = 0; use < 2; ++use)
    reduction.run(grid, own_share(100 * self), std::span{histogram},
                  [](std::size_t i, auto& acc) { acc.add(i * i % 10, std::int64_t{1}); });
  EXPECT_EQ(histogram, expected);
}

TEST_F(RankedReduction, ThrowsOnAllRanksAndWritesNothingWhereABodyThrows) {
  if (ranks == 1) GTEST_SKIP() << "one rank runs the loop on its arrays";
  std::size_t const elements = 300, failing = ranks / 2 - 1 + ranks % 2;
  auto const mine = share_of(self, ranks, elements, 7);
  for (auto const way : ways) {
    irregular_reduction<> reduction(with(way));
    numbers x(elements, 5), expected = x;
    for (std::size_t use = 0; use < 4; ++use) {
      bool const fails = use % 2 == 0;
      std::string said;
      try {
        reduction.run(grid, own_share(mine), std::span{x}, [&](std::size_t i, auto& acc) {
          if (fails && self == failing && i == 20) throw std::domain_error("iteration 20 has no value");
          adding(self)(i, acc);
        });
      } catch (std::domain_error const& own) {
        EXPECT_EQ(self, failing);
        said = own.what();
      } catch (error const& theirs) {
        EXPECT_NE(self, failing);
        EXPECT_THAT(theirs.what(), HasSubstr("rank " + std::to_string(failing) + " failed"));
        said = theirs.what();
      }
      if (fails)
        EXPECT_THAT(said, HasSubstr("iteration 20 has no value"));
      else
        for (std::size_t r = 0; r < ranks; ++r) add_by_hand(expected, share_of(r, ranks, elements, 7), r);
      ASSERT_EQ(x, expected);
    }
  }
}

TEST_F(RankedReduction, RefusesOtherLengthsOnAllRanks) {
  if (ranks == 1) GTEST_SKIP() << "needs two ranks";
  irregular_reduction<> reduction({.threads = 2});
  std::size_t const elements = self == 1 ? 101 : 100;
  auto const mine = share_of(self, ranks, elements, 8);
  numbers x(elements, 5);
  numbers const same = x;
  try {
    reduction.run(grid, own_share(mine), std::span{x}, adding(self));
    FAIL() << "nothing was refused";
  } catch (input_error const& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("has 100 elements on rank 0 and 101 on rank 1"));
  }
  EXPECT_EQ(x, same);
  // An array that does not fit its pattern, on one rank.
  numbers fitting(self == 0 ? 99 : 100, 5);
  auto const fits = share_of(self, ranks, 100, 8);
  try {
    reduction.run(grid, own_share(fits), std::span{fitting}, adding(self));
    FAIL() << "nothing was refused";
  } catch (error const& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("has 99 elements where 100 are needed"));
  }
}

TEST_F(RankedReduction, RefusesAShareOfOneRankBesideTheLoopOfAll) {
  if (ranks == 1) GTEST_SKIP() << "needs two ranks";
  irregular_reduction<> reduction({.threads = 2});
  auto const mine = share_of(self, ranks, 100, 8);
  numbers x(100, 5);
  try {
    if (self == 1)
      reduction.run(grid, own_share(mine), std::span{x}, adding(self));
    else
      reduction.run(grid, share_of(0, ranks, 100, 8), std::span{x}, adding(0));
    FAIL() << "nothing was refused";
  } catch (input_error const& refused) {
    EXPECT_THAT(refused.what(),
                HasSubstr("loop: is a share of its own on rank 1, and one that all ranks have on rank 0; run("));
  }
}

TEST_F(RankedReduction, RefusesDifferentForcedExchanges) {
  if (ranks == 1) GTEST_SKIP() << "needs two ranks";
  irregular_reduction<> reduction(with(self == 0 ? reduction_exchange::dense : reduction_exchange::sparse));
  numbers x(50, 0);
  auto const mine = share_of(self, ranks, 50, 8);
  EXPECT_THROW(reduction.run(grid, own_share(mine), std::span{x}, adding(self)), error);
  irregular_reduction<> open(with(reduction_exchange::sparse));
  EXPECT_THROW(
      open.run(grid, own_share(3), std::span{x}, [](std::size_t i, auto& acc) { acc.add(i, std::int64_t{1}); }), error);
}

TEST_F(RankedReduction, ChoosesByWhatIsTouchedAndSaysWhy) {
  if (ranks == 1) GTEST_SKIP() << "needs two ranks";
  std::size_t const elements = 200000;
  // Every rank touches ten elements of many: far apart on the models of this platform.
  std::vector<std::size_t> few;
  for (std::size_t k = 0; k < 10; ++k) few.push_back(1000 * k + self);
  pattern const scattered(5, elements, few);
  irregular_reduction<> reduction({.threads = 1, .expected_uses = 1000});
  numbers x(elements, 0);
  reduction.run(grid, own_share(scattered), std::span{x}, adding(self));
  auto const report = reduction.exchange_report();
  EXPECT_EQ(report.way, reduction_exchange::sparse);
  EXPECT_EQ(report.longest, 10u);
  EXPECT_GT(report.dense, report.sparse);
  std::ostringstream text;
  text << report;
  EXPECT_THAT(text.str(), HasSubstr("sparse, as it saves more than the lists of touched elements cost"));

  irregular_reduction<> capped({.threads = 1, .memory_cap = 100, .expected_uses = 1000});
  capped.run(grid, own_share(scattered), std::span{x}, adding(self));
  EXPECT_EQ(capped.exchange_report().way, reduction_exchange::dense);
  EXPECT_THAT(capped.exchange_report().why, HasSubstr("memory cap"));
}

/// A loop that all ranks have: rows of one to four subscripts, or pairs.
pattern common_pattern(std::size_t iterations, std::size_t elements, bool pairs) {
  std::mt19937 random(static_cast<unsigned>(iterations + elements));  // the same on all ranks
  std::vector<std::size_t> offsets{0}, index;
  for (std::size_t i = 0; i < iterations; ++i) {
    for (std::size_t k = pairs ? 2 : 1 + i * i % 4; k > 0; --k) index.push_back((i + random() % 9) % elements);
    offsets.push_back(index.size());
  }
  return pairs ? pattern(iterations, elements, std::move(index))
               : pattern::rows(elements, std::move(offsets), std::move(index));
}

/// Adds to each slot of an iteration, and counts the iterations.
auto adding_to_all(pattern const& of, std::atomic<std::size_t>& calls) {
  return [&](std::size_t i, auto& acc) {
    ++calls;
    for (std::size_t k = 0; k < of.row(i).size(); ++k) acc.add(k, value(1, i, k));
  };
}

TEST_F(RankedReduction, DividesTheIterationsOfOnePatternAmongTheRanks) {
  for (auto const way : ways)
    for (bool const pairs : {true, false})
      for (std::size_t const iterations : {0U, 1U, 5U, 1000U}) {
        auto loop = common_pattern(iterations, 200, pairs);
        irregular_reduction<> alone({.threads = 2}), among(with(way));
        numbers expected(200, 3), x(200, 3);
        for (int use = 0; use < 4; ++use) {
          std::atomic<std::size_t> calls_alone = 0, calls = 0;
          alone.run(loop, std::span{expected}, adding_to_all(loop, calls_alone));
          among.run(grid, loop, std::span{x}, adding_to_all(loop, calls));
          ASSERT_EQ(x, expected) << iterations << " iterations\n" << among.exchange_report();
          EXPECT_EQ(grid.all_reduce(calls.load(), std::plus<>{}), iterations);
          if (iterations == 1000) {
            EXPECT_GT(calls, 1000 / ranks / 3) << "every rank has its part";
            EXPECT_LT(calls, 3 * 1000 / ranks);
          }
          if (use == 2 && iterations > 0) loop.change([](pattern::editor& pen) { pen.set(0, 0, 7); });
        }
      }
}

/// On each rank as another number of threads takes over in the middle of an execution.
TEST_F(RankedReduction, IsRightWhileTheHostGivesMoreAndFewerCores) {
  auto const loop = common_pattern(500, 90, false);
  for (auto const way : ways) {
    double now = 0;
    reduction_workers workers{std::make_unique<runtime::thread_team>(3), [&now] { return now += 0.1; },
                              [](double at) {
                                platform::host_reading one;
                                one.quota = 1 + static_cast<double>(static_cast<int>(at / 5) % 3);
                                return one;
                              }};
    irregular_reduction<> alone({.threads = 2}), among({.exchange = way}, {}, std::move(workers));
    numbers expected(90, 3), x(90, 3);
    std::atomic<std::size_t> calls = 0;
    for (int use = 0; use < 100; ++use) {
      alone.run(loop, std::span{expected}, adding_to_all(loop, calls));
      among.run(grid, loop, std::span{x}, adding_to_all(loop, calls));
      ASSERT_EQ(x, expected) << among.report();
    }
    EXPECT_GE(among.report().regroupings, 3u) << among.report();
  }
}

TEST_F(RankedReduction, DividesWhereEveryRankHasItsBlockOnly) {
  auto const loop = common_pattern(700, 90, false);
  auto const block = plan::block_of(90, ranks, self);
  irregular_reduction<> alone({.threads = 2}), among({.threads = 2});
  numbers all(90, 3), x(block.size(), 3);
  for (int use = 0; use < 3; ++use) {
    std::atomic<std::size_t> calls = 0;
    alone.run(loop, std::span{all}, adding_to_all(loop, calls));
    among.run_owned(grid, loop, std::span{x}, adding_to_all(loop, calls));
    ASSERT_TRUE(std::equal(x.begin(), x.end(), all.begin() + static_cast<std::ptrdiff_t>(block.begin)));
  }
}

TEST_F(RankedReduction, DividesIterationsWhoseSubscriptsAreKnownOnlyWhileTheyRun) {
  irregular_reduction<> alone({.threads = 2}), among({.threads = 2});
  numbers expected(10, 0), x(10, 0);
  auto const body = [](std::size_t i, auto& acc) { acc.add(i * i % 10, std::int64_t{1}); };
  for (int use = 0; use < 2; ++use) {
    alone.run(std::size_t{1001}, std::span{expected}, body);
    among.run(grid, std::size_t{1001}, std::span{x}, body);
    EXPECT_EQ(x, expected);
  }
}

/// The first call of `run` is refused on all ranks, and changes nothing.
template <class Run>
void expect_own_share_advised(numbers const& x, Run const& run) {
  numbers const same = x;
  try {
    run();
    FAIL() << "nothing was refused";
  } catch (input_error const& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("skel::own_share(pattern)"));
  }
  EXPECT_EQ(x, same);
}

TEST_F(RankedReduction, SaysThatRanksWhosePatternsDifferBringSharesOfTheirOwn) {
  if (ranks == 1) GTEST_SKIP() << "needs two ranks";
  irregular_reduction<> reduction({.threads = 2});
  irregular_reduction<std::plus<>, skel::reproducible> same_bits({.threads = 2});
  numbers x(300, 5);
  std::atomic<std::size_t> calls = 0;
  auto loop = common_pattern(400, 300, true);
  auto const mine = share_of(self, ranks, 300, 7);
  expect_own_share_advised(x, [&] { reduction.run(grid, mine, std::span{x}, adding_to_all(mine, calls)); });
  expect_own_share_advised(x, [&] { same_bits.run(grid, mine, std::span{x}, adding_to_all(mine, calls)); });
  // One subscript differs on the last rank.
  if (self + 1 == ranks) loop.change([](pattern::editor& pen) { pen.set(399, 1, 0); });
  expect_own_share_advised(x, [&] { reduction.run(grid, loop, std::span{x}, adding_to_all(loop, calls)); });
  // One rank says that it brings its own.
  expect_own_share_advised(x, [&] {
    if (self == 0)
      reduction.run(grid, own_share(mine), std::span{x}, adding_to_all(mine, calls));
    else
      reduction.run(grid, mine, std::span{x}, adding_to_all(mine, calls));
  });
  expect_own_share_advised(x, [&] {
    reduction.run(grid, 5 + self, std::span{x}, [](std::size_t i, auto& acc) { acc.add(i, std::int64_t{1}); });
  });
  auto const same = common_pattern(400, 300, true);  // then it works again
  numbers expected = x;
  irregular_reduction<>({.threads = 2}).run(same, std::span{expected}, adding_to_all(same, calls));
  reduction.run(grid, same, std::span{x}, adding_to_all(same, calls));
  EXPECT_EQ(x, expected);
}

TEST_F(RankedReduction, GivesTheBitsOfOneThreadOnAnyNumberOfRanksAndThreadsIfReproducible) {
  for (bool const pairs : {true, false}) {
    auto const loop = common_pattern(3000, 70, pairs);
    auto const body = [&](std::size_t i, auto& acc) {
      for (std::size_t k = 0; k < loop.row(i).size(); ++k)
        acc.add(k, 1.0 / double(3 * i + k + 1), float(k) - 0.1F * float(i % 13));
    };
    std::vector<double> expected(70, 0.1);
    std::vector<float> other(70, 0.2F);
    for (int use = 0; use < 3; ++use)  // what it means
      for (std::size_t i = 0; i < loop.iterations(); ++i)
        for (std::size_t k = 0; k < loop.row(i).size(); ++k) {
          expected[loop.row(i)[k]] += 1.0 / double(3 * i + k + 1);
          other[loop.row(i)[k]] += float(k) - 0.1F * float(i % 13);
        }
    auto const block = plan::block_of(70, ranks, self);
    for (std::size_t const threads : {1u, 2u, 3u}) {
      irregular_reduction<std::plus<>, skel::reproducible> everywhere({.threads = threads}),
          owned({.threads = threads});
      std::vector<double> x(70, 0.1), y(block.size(), 0.1);
      std::vector<float> u(70, 0.2F), v(block.size(), 0.2F);
      for (int use = 0; use < 3; ++use) {
        everywhere.run(grid, loop, arrays(std::span{x}, std::span{u}), body);
        owned.run_owned(grid, loop, arrays(std::span{y}, std::span{v}), body);
      }
      EXPECT_EQ(x, expected);
      EXPECT_EQ(u, other);
      EXPECT_TRUE(std::equal(y.begin(), y.end(), expected.begin() + static_cast<std::ptrdiff_t>(block.begin)));
      EXPECT_TRUE(std::equal(v.begin(), v.end(), other.begin() + static_cast<std::ptrdiff_t>(block.begin)));

      std::vector<double> histogram(10, 0.1), by_hand(10, 0.1);
      for (std::size_t i = 0; i < 500; ++i) by_hand[i * i % 10] += 1.0 / double(i + 1);
      irregular_reduction<std::plus<>, skel::reproducible> open({.threads = threads});
      open.run(grid, std::size_t{500}, std::span{histogram},
               [](std::size_t i, auto& acc) { acc.add(i * i % 10, 1.0 / double(i + 1)); });
      EXPECT_EQ(histogram, by_hand);
    }
  }
}

}  // namespace
