#include <skel/detail/plan/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/plan/collective_plan.hpp>

namespace {

using namespace skel::plan;

void expect_alike(rank_schedule const& a, rank_schedule const& b, std::string const& which) {
  EXPECT_EQ(a.work_bytes, b.work_bytes) << which;
  EXPECT_EQ(a.load, b.load) << which;
  EXPECT_EQ(a.unload, b.unload) << which;
  ASSERT_EQ(a.steps.size(), b.steps.size()) << which;
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    step const &x = a.steps[i], &y = b.steps[i];
    ASSERT_TRUE(x.what == y.what && x.peer == y.peer && x.phase == y.phase && x.bytes == y.bytes) << which;
    auto const of_x = a.ranges_of(x), of_y = b.ranges_of(y);
    ASSERT_TRUE(std::equal(of_x.begin(), of_x.end(), of_y.begin(), of_y.end())) << which;
  }
}

// Whoever obeys a plan writes down its own steps only: of an all-to-all exchange of 5000 ranks half a megabyte and not
// 2 GB.
TEST(Circle, StepsOfOneRankAreThoseThatItHasInTheWholeSchedule) {
  for (auto const& algorithm : collective_algorithms())
    for (std::size_t const n : {1U, 2U, 5U, 8U, 11U}) {
      collective_problem const problem{.ranks = n, .root = n / 2, .bytes = 24, .unit = 2};
      auto const all = algorithm.make(problem);
      collective_plan const plan{.operation = algorithm.operation, .algorithm = std::string(algorithm.name)};
      for (std::size_t rank = 0; rank < n; ++rank)
        expect_alike(steps_of(plan, problem, rank), all.ranks[rank], std::string(algorithm.name));
    }
}

TEST(Circle, NeighboursThatSendAlikeSendAsManyBytes) {
  for (auto const& algorithm : collective_algorithms()) {
    if (algorithm.rounds == nullptr) continue;
    for (std::size_t n = 1; n <= 9; ++n)
      for (std::uint64_t bytes = 0; bytes < 40; bytes += 2) {
        collective_problem const problem{.ranks = n, .root = n / 2, .bytes = bytes, .unit = 2};
        circle const& rounds = *algorithm.rounds;
        auto const sent = [&](std::size_t rank, std::size_t round) {
          std::vector<byte_range> ranges;
          rounds.sent(problem, rank, round, ranges);
          std::uint64_t sum = 0;
          for (byte_range const& one : ranges) sum += one.bytes;
          return sum;
        };
        for (std::size_t i = 0; i < rounds.rounds(n); ++i)
          for (std::size_t rank = 0; rank < n; ++rank) {
            std::size_t const end = even(rounds, problem) ? n : rounds.alike_before(problem, rank, i);
            ASSERT_TRUE(end > rank && end <= n) << algorithm.name;
            for (std::size_t other = rank; other < end; ++other)
              ASSERT_EQ(sent(other, i), sent(rank, i)) << algorithm.name << " of " << bytes << " over " << n;
          }
      }
  }
}

TEST(Circle, SchedulesForPricesHaveAllMessagesAndAllBytes) {
  for (auto const& algorithm : collective_algorithms())
    for (std::size_t n = 1; n <= 17; ++n)
      for (std::uint64_t const bytes : {0U, 8U, 360U}) {
        collective_problem problem{.ranks = n, .root = n - 1, .bytes = bytes, .unit = 4};
        auto const whole = algorithm.make(problem);
        problem.priced = true;
        auto const priced = algorithm.make(problem);
        for (std::size_t rank = 0; rank < n; ++rank) {
          auto const &a = whole.ranks[rank].steps, &b = priced.ranks[rank].steps;
          ASSERT_EQ(a.size(), b.size()) << algorithm.name;
          for (std::size_t i = 0; i < a.size(); ++i)
            ASSERT_TRUE(a[i].what == b[i].what && a[i].peer == b[i].peer && a[i].bytes == b[i].bytes)
                << algorithm.name << " of " << bytes << " bytes over " << n;
        }
      }
}

// 4096 ranks had two thousand ranges in each of the first rounds.
TEST(Circle, SchedulesForPricesHaveOneRangeForEachStep) {
  for (auto const operation : {collective::reduce, collective::allreduce}) {
    auto const all = find_algorithm(operation, "rabenseifner")->make({.ranks = 256, .bytes = 4096, .priced = true});
    for (auto const& mine : all.ranks) EXPECT_LE(mine.ranges.size(), mine.steps.size());
  }
}

TEST(Circle, BytesThatCannotBeCountedAreRefused) {
  std::uint64_t const many = std::uint64_t{1} << 53;
  EXPECT_NO_THROW(require_countable(collective::broadcast, {.ranks = 5000, .bytes = many}));
  EXPECT_NO_THROW(require_countable(collective::alltoall, {.ranks = 100, .bytes = many}));
  EXPECT_THROW(require_countable(collective::alltoall, {.ranks = 5000, .bytes = many}), skel::error);
}

}  // namespace
