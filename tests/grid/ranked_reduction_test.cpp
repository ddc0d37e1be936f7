#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <skel/detail/plan/block.hpp>
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
        reduction.run(grid, mine, std::span{x}, adding(self));
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
        reduction.run_owned(grid, share_of(self, ranks, elements, draw), std::span{x}, adding(self));
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
      reduction.run(grid, all[self], std::span{x}, adding(self));
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
    for (int use = 0; use < 6; ++use) reduction.run(grid, mine, std::span{x}, body);
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
      everywhere.run(grid, mine, arrays(std::span{x}, std::span{u}), body);
      owned.run_owned(grid, mine, arrays(std::span{y}, std::span{v}), body);
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
      reduction.run(grid, mine, std::span{x}, [&](std::size_t i, auto& acc) {
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
    reduction.run(grid, 100 * self, std::span{histogram},
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
        reduction.run(grid, mine, std::span{x}, [&](std::size_t i, auto& acc) {
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
    reduction.run(grid, mine, std::span{x}, adding(self));
    FAIL() << "nothing was refused";
  } catch (input_error const& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("has 100 elements on rank 0 and 101 on rank 1"));
  }
  EXPECT_EQ(x, same);
  // An array that does not fit its pattern, on one rank.
  numbers fitting(self == 0 ? 99 : 100, 5);
  auto const fits = share_of(self, ranks, 100, 8);
  try {
    reduction.run(grid, fits, std::span{fitting}, adding(self));
    FAIL() << "nothing was refused";
  } catch (error const& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("has 99 elements where 100 are needed"));
  }
}

TEST_F(RankedReduction, RefusesDifferentForcedExchanges) {
  if (ranks == 1) GTEST_SKIP() << "needs two ranks";
  irregular_reduction<> reduction(with(self == 0 ? reduction_exchange::dense : reduction_exchange::sparse));
  numbers x(50, 0);
  auto const mine = share_of(self, ranks, 50, 8);
  EXPECT_THROW(reduction.run(grid, mine, std::span{x}, adding(self)), error);
  irregular_reduction<> open(with(reduction_exchange::sparse));
  EXPECT_THROW(open.run(grid, 3, std::span{x}, [](std::size_t i, auto& acc) { acc.add(i, std::int64_t{1}); }), error);
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
  reduction.run(grid, scattered, std::span{x}, adding(self));
  auto const report = reduction.exchange_report();
  EXPECT_EQ(report.way, reduction_exchange::sparse);
  EXPECT_EQ(report.longest, 10u);
  EXPECT_GT(report.dense, report.sparse);
  std::ostringstream text;
  text << report;
  EXPECT_THAT(text.str(), HasSubstr("sparse, as it saves more than saying which elements are touched takes"));

  irregular_reduction<> capped({.threads = 1, .memory_cap = 100, .expected_uses = 1000});
  capped.run(grid, scattered, std::span{x}, adding(self));
  EXPECT_EQ(capped.exchange_report().way, reduction_exchange::dense);
  EXPECT_THAT(capped.exchange_report().why, HasSubstr("memory cap"));
}

}  // namespace
