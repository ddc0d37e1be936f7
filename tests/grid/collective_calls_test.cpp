#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <skel/skel.hpp>

#include <support/counted_copies.hpp>

namespace {

using testing::HasSubstr;
using word = std::uint64_t;
using words = std::vector<word>;

/// Hosts of two clusters, 5 ms apart: rank i is host i.
skel::run_settings on_two_clusters() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<skel::platform::cluster> clusters{
      {.name = "near", .hosts = static_cast<std::size_t>((ranks + 1) / 2), .inside = {5e-5, 1e8}}};
  std::vector<skel::platform::cluster_link> links;
  if (ranks > 1) {
    clusters.push_back({.name = "far", .hosts = static_cast<std::size_t>(ranks / 2), .inside = {5e-5, 1e8}});
    links = {{.from = 0, .to = 1, .path = {5e-3, 1e8}}, {.from = 1, .to = 0, .path = {5e-3, 1e8}}};
  }
  skel::run_settings settings;
  settings.platform = skel::platform::description(1e-6, std::move(clusters), std::move(links));
  return settings;
}

class CollectiveCalls : public testing::Test {
 protected:
  skel::grid grid{on_two_clusters()};
  std::size_t ranks = static_cast<std::size_t>(grid.size());
  std::mt19937_64 same{3};                                         // on all ranks
  std::mt19937_64 own{1000 + static_cast<unsigned>(grid.rank())};  // of this rank

  words drawn(std::size_t count) {
    words out(count);
    for (word& w : out) w = own();
    return out;
  }
  int any_root() { return static_cast<int>(same() % ranks); }
  std::size_t any_count() { return std::array<std::size_t, 4>{0, 1, 17, same() % 5000}[same() % 4]; }
};

TEST_F(CollectiveCalls, MoveWhatMpiMoves) {
  for (int draw = 0; draw < 12; ++draw) {
    std::size_t const count = any_count();
    int const root = any_root(), n = static_cast<int>(count);

    words data = drawn(count), wanted = data;
    MPI_Bcast(wanted.data(), n, MPI_UINT64_T, root, MPI_COMM_WORLD);
    grid.broadcast(std::span(data), root);
    EXPECT_EQ(data, wanted) << "broadcast";

    words const all = drawn(count * ranks);
    words part(count), wanted_part(count);
    MPI_Scatter(all.data(), n, MPI_UINT64_T, wanted_part.data(), n, MPI_UINT64_T, root, MPI_COMM_WORLD);
    grid.scatter(std::span(all), std::span(part), root);
    EXPECT_EQ(part, wanted_part) << "scatter";

    words gathered(count * ranks), wanted_all(count * ranks);
    MPI_Gather(part.data(), n, MPI_UINT64_T, wanted_all.data(), n, MPI_UINT64_T, root, MPI_COMM_WORLD);
    grid.gather(std::span(part), std::span(gathered), root);
    EXPECT_EQ(gathered, wanted_all) << "gather";

    MPI_Allgather(part.data(), n, MPI_UINT64_T, wanted_all.data(), n, MPI_UINT64_T, MPI_COMM_WORLD);
    grid.all_gather(std::span(part), std::span(gathered));
    EXPECT_EQ(gathered, wanted_all) << "all_gather";

    MPI_Alltoall(all.data(), n, MPI_UINT64_T, wanted_all.data(), n, MPI_UINT64_T, MPI_COMM_WORLD);
    grid.all_to_all(std::span(all), std::span(gathered));
    EXPECT_EQ(gathered, wanted_all) << "all_to_all";
    grid.barrier();
  }
}

TEST_F(CollectiveCalls, ReduceAsMpiReduces) {
  for (int draw = 0; draw < 12; ++draw) {
    std::size_t const count = any_count();
    int const root = any_root(), n = static_cast<int>(count);
    words const mine = drawn(count);

    words data = mine, wanted = mine;
    MPI_Allreduce(mine.data(), wanted.data(), n, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    grid.all_reduce(std::span(data), std::plus<>{});
    EXPECT_EQ(data, wanted) << "all_reduce";

    data = wanted = mine;
    MPI_Reduce(mine.data(), wanted.data(), n, MPI_UINT64_T, MPI_MAX, root, MPI_COMM_WORLD);
    grid.reduce(std::span(data), skel::maximum{}, root);
    EXPECT_EQ(data, wanted) << "reduce, which leaves the other ranks' data as it is";
  }
}

/// Associative and not commutative.
struct affine {
  std::uint32_t a, b;
  friend bool operator==(affine const&, affine const&) = default;
};
affine then(affine first, affine second) {
  return {second.a * first.a, second.a * first.b + second.b};
}

TEST_F(CollectiveCalls, KeepTheOrderOfTheRanksUnlessToldThatItDoesNotMatter) {
  static_assert(!skel::is_commutative<decltype(&then), affine>);
  auto const of = [](std::size_t rank, std::size_t i) {
    return affine{static_cast<std::uint32_t>(2 * rank + 3), static_cast<std::uint32_t>(rank * 71 + i)};
  };
  for (std::size_t const count : {1u, 5u, 2000u}) {
    std::vector<affine> data(count), wanted(count);
    for (std::size_t i = 0; i < count; ++i) {
      data[i] = of(static_cast<std::size_t>(grid.rank()), i);
      wanted[i] = of(0, i);
      for (std::size_t r = 1; r < ranks; ++r) wanted[i] = then(wanted[i], of(r, i));
    }
    auto copy = data;
    grid.all_reduce(std::span(copy), then);
    EXPECT_EQ(copy, wanted);
    int const root = any_root();
    grid.reduce(std::span(data), then, root);
    if (grid.rank() == root) {
      EXPECT_EQ(data, wanted);
    }
  }
}

TEST_F(CollectiveCalls, GiveAllRanksTheSameBitsOfASumThatRounds) {
  std::vector<double> data(3000);
  for (double& x : data) x = std::generate_canonical<double, 53>(own) * 1e6;
  grid.all_reduce(std::span(data), std::plus<>{});
  std::vector<double> first = data;
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  EXPECT_EQ(data, first);
}

TEST_F(CollectiveCalls, ReturnValuesWhereTheyAreWanted) {
  int const root = any_root(), rank = grid.rank(), n = grid.size();
  auto const sum = grid.reduce(rank + 1, std::plus<>{}, root);
  EXPECT_EQ(sum, rank == root ? std::optional(n * (n + 1) / 2) : std::nullopt);
  EXPECT_EQ(grid.all_reduce(rank, skel::minimum{}), 0);
  EXPECT_EQ(grid.gather(rank * 1.5, root).size(), rank == root ? ranks : 0);
  auto const bools = grid.all_gather(rank % 2 == 0);
  for (std::size_t r = 0; r < ranks; ++r) EXPECT_EQ(bools[r], r % 2 == 0);
  std::vector<int> each(ranks);
  std::iota(each.begin(), each.end(), 100 * rank);
  auto const got = grid.all_to_all(each);
  for (std::size_t r = 0; r < ranks; ++r) EXPECT_EQ(got[r], 100 * static_cast<int>(r) + rank);
  EXPECT_EQ(grid.scatter(rank == root ? each : std::vector<int>{}, root), 100 * root + rank);
  int value = rank == root ? 42 : -1;
  grid.broadcast(value, root);
  EXPECT_EQ(value, 42);
}

using book = std::map<std::string, std::vector<int>>;

TEST_F(CollectiveCalls, CarryTypesThatAreSerialisedAndOfAnySize) {
  int const root = any_root(), rank = grid.rank();
  auto const of = [](int r) {
    return book{{"rank " + std::to_string(r), std::vector<int>(static_cast<std::size_t>(100 * r), r)}};
  };
  book value = rank == root ? of(root) : book{};
  grid.broadcast(value, root);
  EXPECT_EQ(value, of(root));

  std::string text = rank == root ? std::string(5000, 'x') : "short";
  grid.broadcast(text, root);
  EXPECT_EQ(text, std::string(5000, 'x'));

  auto const all = grid.all_gather(of(rank));
  ASSERT_EQ(all.size(), ranks);
  for (std::size_t r = 0; r < ranks; ++r) EXPECT_EQ(all[r], of(static_cast<int>(r)));

  std::vector<std::string> letters(ranks);
  for (std::size_t r = 0; r < ranks; ++r) letters[r] = std::string(r * 10, static_cast<char>('a' + rank));
  EXPECT_EQ(grid.scatter(letters, root),
            std::string(static_cast<std::size_t>(rank) * 10, static_cast<char>('a' + root)));
  auto const mail = grid.all_to_all(letters);
  for (std::size_t r = 0; r < ranks; ++r)
    EXPECT_EQ(mail[r], std::string(static_cast<std::size_t>(rank) * 10, static_cast<char>('a' + r)));

  auto const joined = grid.reduce(std::string(1, static_cast<char>('a' + rank)), std::plus<>{}, root);
  std::string alphabet;
  for (std::size_t r = 0; r < ranks; ++r) alphabet += static_cast<char>('a' + r);
  EXPECT_EQ(joined, rank == root ? std::optional(alphabet) : std::nullopt);
  EXPECT_EQ(grid.all_reduce(std::string(1, static_cast<char>('a' + rank)), std::plus<>{}), alphabet);
}

TEST_F(CollectiveCalls, CopyNoValuesThatTheirOperatorTakesOver) {
  using skel::test::counted_copies;
  counted_copies const mine(static_cast<word>(grid.rank()));
  words all(ranks);
  std::iota(all.begin(), all.end(), 0);
  counted_copies::copies = 0;
  auto const check = [&](auto const& op) {
    EXPECT_EQ(grid.all_reduce(mine, op).values, all);
    auto const on_root = grid.reduce(mine, op, 0);
    ASSERT_EQ(on_root.has_value(), grid.rank() == 0);
    if (on_root) {
      EXPECT_EQ(on_root->values, all);
    }
  };
  check(skel::test::append_by_value);
  check(skel::test::append_in_place);
  check(skel::commutative(skel::test::append_both_by_value));
  check(skel::commutative(skel::test::append_by_rvalue));
  EXPECT_EQ(counted_copies::copies.load(), 0);

  // Elements of spans are where messages put them, so an operator that takes them over is given copies.
  auto const add = [](word&& a, word&& b) { return a + b; };
  words sums(5, 1);
  grid.all_reduce(std::span{sums}, add);
  EXPECT_EQ(sums, words(5, ranks));
}

TEST_F(CollectiveCalls, StayRightWhileTheirTimesAreLearnt) {
  // The platform says 5 ms where memory takes microseconds: what was decided is refuted, and decided anew.
  for (word round = 0; round < 130; ++round) {
    words mine(100, round + static_cast<word>(grid.rank()));
    grid.all_reduce(std::span(mine), std::plus<>{});
    ASSERT_EQ(mine, words(100, ranks * round + ranks * (ranks - 1) / 2)) << "round " << round;
    words all(300, grid.rank() == 0 ? round : 0);
    grid.broadcast(std::span(all));
    ASSERT_EQ(all, words(300, round)) << "round " << round;
  }
}

TEST_F(CollectiveCalls, SayHowTheyAreDone) {
  auto const decision = grid.decide({.operation = skel::plan::collective::broadcast, .bytes = 1 << 20});
  EXPECT_FALSE(decision.name.empty());
  if (ranks > 1) {
    EXPECT_THAT(decision.why, HasSubstr(decision.name));
    EXPECT_EQ(decision.edges.size(), 1u) << "from one cluster to the other";
  }
}

TEST_F(CollectiveCalls, AreDoneAsIsSaid) {
  if (ranks == 1) return;
  using enum skel::plan::collective;
  for (auto const operation : {skel::plan::collective::broadcast, reduce, allreduce, scatter})
    for (std::uint64_t bytes = 9; bytes < (1U << 22U); bytes = bytes * 10 / 9 + 1) {
      skel::mapping::collective_request const asked{.operation = operation, .bytes = bytes};
      // Calls of a class are done alike, and this is one of them.
      EXPECT_TRUE(grid.decide(asked).plan == grid.decide(skel::mapping::class_of(asked)).plan) << bytes;
    }
}

TEST(CollectiveCallsWithoutAPlatform, MeasureTheHosts) {
  skel::grid grid;
  EXPECT_EQ(grid.all_reduce(1, std::plus<>{}), grid.size());
}

static_assert(skel::is_commutative<std::plus<>, double>);
static_assert(skel::is_commutative<skel::minimum, int>);
static_assert(!skel::is_commutative<std::plus<>, std::string>);
static_assert(!skel::is_commutative<std::minus<>, int>);
static_assert(skel::is_commutative<decltype(skel::commutative(then)), affine>);

}  // namespace
